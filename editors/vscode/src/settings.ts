// Settings: those that the user wrote, in the shape in which the server reads them.
import * as vscode from 'vscode';

export const SECTION = 'tir-analyzer';

/** The settings of this extension alone; all others are the server's, under the names of `tir-analyzer.toml`. */
const CLIENT = ['server.', 'python.', 'passes.', 'trace.'];

type Json = { [key: string]: unknown };

/** The names of all settings, as the manifest declares them. */
function allKeys(manifest: Json): string[] {
  const contributes = manifest.contributes as { configuration: { properties: Json }[] };
  const names = contributes.configuration.flatMap(it => Object.keys(it.properties));
  return names.map(it => it.slice(SECTION.length + 1));
}

/**
 * The server's settings that somebody wrote. Defaults of the manifest are left out: what the editor says stands above
 * `tir-analyzer.toml`, and a default must not.
 */
export function written(manifest: Json): Json {
  return collect(allKeys(manifest).filter(key => !CLIENT.some(it => key.startsWith(it))));
}

/** All settings that somebody wrote, for a reader; variables of the environment may be secrets, and are left out. */
export function writtenForReport(manifest: Json): Json {
  return collect(allKeys(manifest).filter(key => key !== 'server.extra-env'));
}

function collect(keys: string[]): Json {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const settings: Json = {};
  for (const key of keys) {
    const value = writtenValue(configuration, key);
    if (value !== undefined) {
      place(settings, key.split('.'), value);
    }
  }
  return settings;
}

function writtenValue(configuration: vscode.WorkspaceConfiguration, key: string): unknown {
  const it = configuration.inspect(key);
  const all = [it?.workspaceFolderValue, it?.workspaceValue, it?.globalValue];
  // Values that are objects are merged over the scopes.
  return all.some(value => value !== undefined) ? configuration.get(key) : undefined;
}

function place(settings: Json, path: string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    settings[name] = value;
  } else {
    place((settings[name] ??= {}) as Json, rest, value);
  }
}

/** A setting of this extension. */
export function setting<T>(key: string, scope?: vscode.Uri): T {
  return vscode.workspace.getConfiguration(SECTION, scope).get<T>(key) as T;
}
