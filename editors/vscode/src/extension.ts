// The entry: small, as it is loaded for every window with Python in it. What needs the server is loaded with it.
import * as vscode from 'vscode';
import { becomesOurs, isOurs } from './detect';
import type { Session, Status } from './session';

/** What this extension offers to others, and to its tests. */
export interface Api {
  /** The state of the server; undefined while nothing needed one. */
  status(): Status | undefined;
}

const COMMANDS = [
  'viewDeviceCode', 'viewDeviceCodeFor', 'viewPasses', 'viewTileLang', 'chooseInstance', 'explain', 'facts', 'simplify',
  'showTree', 'fixAll', 'openConfig', 'openSample', 'restart', 'showLog', 'selectServer', 'bugReport',
] as const;

const CONFIG_FILES = '{tir-analyzer.toml,*/tir-analyzer.toml}';

let started: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  let session: Promise<Session> | undefined;
  const open = (): Promise<Session> => (session ??= load(context).then(it => (started = it)));
  const openFor = (document: vscode.TextDocument): void => {
    if (!session && isOurs(document)) {
      void open();
    }
  };
  const mark = (editor: vscode.TextEditor | undefined): void => {
    const is = editor !== undefined && isOurs(editor.document);
    void vscode.commands.executeCommand('setContext', 'tir-analyzer.isOurs', is);
  };
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(openFor),
    vscode.window.onDidChangeActiveTextEditor(mark),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.languageId === 'python' && becomesOurs(document, contentChanges)) {
        openFor(document);
        mark(vscode.window.activeTextEditor);
      }
    }),
    ...COMMANDS.map(name =>
      vscode.commands.registerCommand(`tir-analyzer.${name}`, async (...args: unknown[]) =>
        (await open()).run(name, args),
      ),
    ),
    vscode.tasks.registerTaskProvider('tir-analyzer', {
      provideTasks: async () => (await open()).tasks(),
      resolveTask: async task => (await open()).task(task),
    }),
  );
  mark(vscode.window.activeTextEditor);
  vscode.workspace.textDocuments.forEach(openFor);
  if (!session && (await vscode.workspace.findFiles(CONFIG_FILES, null, 1)).length > 0) {
    void open();
  }
  return { status: () => started?.status };
}

/** Ends the server in order: its process ends with this window in any case. */
export async function deactivate(): Promise<void> {
  await started?.stop();
}

async function load(context: vscode.ExtensionContext): Promise<Session> {
  const { Session } = await import('./session.js');
  const session = new Session(context);
  context.subscriptions.push(session);
  await session.start();
  return session;
}
