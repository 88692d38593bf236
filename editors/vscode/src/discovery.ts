// Finds the server: the setting, the selected Python environment, the one in this extension, PATH.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { setting } from './settings';

/** Where a server was found. */
export type Source = 'setting' | 'environment' | 'bundled' | 'PATH';

/** A server that runs. */
export interface Server {
  path: string;
  source: Source;
  version: string;
}

/** The places that were looked at, and what was wrong with each. */
export class MissingServer extends Error {
  constructor(readonly tried: string[]) {
    super(`no server was found; tried:\n${tried.map(it => `  ${it}`).join('\n')}`);
  }
}

const PROGRAM = process.platform === 'win32' ? 'tir-analyzer.exe' : 'tir-analyzer';
const PROBE_MS = 10_000;

/**
 * The first place that holds a server that runs. A workspace that is not trusted names no program: neither its settings
 * nor its Python environment are asked.
 */
export async function findServer(context: vscode.ExtensionContext): Promise<Server> {
  const tried: string[] = [];
  for await (const [source, candidate] of candidates(context)) {
    const problem = fs.existsSync(candidate) ? undefined : 'there is no such file';
    const version = problem ? undefined : await probe(candidate);
    if (version) {
      return { path: candidate, source, version };
    }
    tried.push(`${candidate} (${source}: ${problem ?? 'it does not run as a tir-analyzer'})`);
    // Who names a program does not want another one.
    if (source === 'setting') {
      break;
    }
  }
  throw new MissingServer(tried.length > 0 ? tried : [`${PROGRAM} on PATH`]);
}

async function* candidates(context: vscode.ExtensionContext): AsyncGenerator<[Source, string]> {
  const bundled = context.asAbsolutePath(path.join('server', PROGRAM));
  if (!vscode.workspace.isTrusted) {
    yield ['bundled', bundled];
    yield* onPath(folder => !isInWorkspace(folder));
    return;
  }
  const named = setting<string>('server.path');
  if (named) {
    yield ['setting', expand(named)];
  }
  if (setting<string>('server.import-strategy') === 'fromEnvironment') {
    for (const folder of await environmentFolders()) {
      const candidate = path.join(folder, PROGRAM);
      if (fs.existsSync(candidate)) {
        yield ['environment', candidate];
      }
    }
  }
  if (fs.existsSync(bundled)) {
    yield ['bundled', bundled];
  }
  yield* onPath(() => true);
}

function* onPath(isWanted: (folder: string) => boolean): Generator<[Source, string]> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const candidate = path.join(folder, PROGRAM);
    if (path.isAbsolute(folder) && isWanted(folder) && fs.existsSync(candidate)) {
      yield ['PATH', candidate];
    }
  }
}

function isInWorkspace(folder: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined;
}

function expand(named: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const text = named.replaceAll('${workspaceFolder}', folder).replace(/^~(?=$|[\\/])/, os.homedir());
  return path.isAbsolute(text) ? text : path.join(folder, text);
}

/** The part of the Python extension's interface that is used here. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(it: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  try {
    return await extension?.activate();
  } catch {
    // Its own failure is its own message.
    return undefined;
  }
}

/** The folders of programs of the selected Python environment; without the Python extension, of the active one. */
async function environmentFolders(): Promise<string[]> {
  const environments = (await pythonApi())?.environments;
  if (environments) {
    const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
    const active = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    const python = active?.executable.uri?.fsPath;
    return python ? programFolders(path.dirname(python)) : [];
  }
  const active = process.env.VIRTUAL_ENV ?? process.env.CONDA_PREFIX;
  return active ? programFolders(path.join(active, 'bin')).concat(path.join(active, 'Scripts')) : [];
}

function programFolders(folder: string): string[] {
  return process.platform === 'win32' ? [folder, path.join(folder, 'Scripts')] : [folder];
}

/** Calls back when another Python environment is selected. */
export async function onEnvironmentChange(callback: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(callback);
}

/** The version of a program, if it is a server. */
function probe(program: string): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile(program, ['--version'], { timeout: PROBE_MS }, (error, stdout) => {
      const version = /^tir-analyzer (.+)/.exec(stdout)?.[1];
      resolve(error ? undefined : version);
    });
  });
}
