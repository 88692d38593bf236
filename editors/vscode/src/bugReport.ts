// What a maintainer asks first, in an editor: nothing is sent, and the user sees what it holds.
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Session } from './session';
import { writtenForReport } from './settings';

export async function bugReport(session: Session): Promise<void> {
  const { status, context } = session;
  const { server } = status;
  const version = context.extension.packageJSON.version;
  const json = (value: unknown): string => '```json\n' + JSON.stringify(value, null, 2) + '\n```';
  const content = [
    '# tir-analyzer: bug report', '',
    'What did you do, what did you expect, what happened? Add the function that shows it, if you can.', '', '',
    '## Versions', '',
    `- server: ${server ? `${server.version}, ${server.path} (${server.source})` : 'not found'}`,
    `- extension: ${version}`, `- VS Code: ${vscode.version} (${vscode.env.appName}, ${vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop'})`,
    `- system: ${os.type()} ${os.release()} ${os.arch()}`, '',
    '## State', '', json({ ...status, server: undefined, trusted: vscode.workspace.isTrusted, folders: vscode.workspace.workspaceFolders?.length ?? 0 }), '',
    '## Settings that are not the default', '', json(writtenForReport(context.extension.packageJSON)), '',
    'The log is in the output channel `tir-analyzer` (command `tir-analyzer: Show Log`).', '',
  ].join('\n');
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document);
}
