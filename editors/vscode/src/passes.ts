// A function before and after passes, as a diff.
import * as vscode from 'vscode';
import type { Session } from './session';
import { setting } from './settings';

interface Stages {
  function: string;
  before: string;
  stages: { pass: string; text: string; changed: boolean; notes: string[] }[];
}

/** Passes that are offered beside those of the setting: names of rules with fixes. */
const OFFERED = ['simplify', 'cse', 'dead-store', 'dead-binding', 'redundant-condition', 'redundant-load'];

/** Asks for passes, if none are given, and shows what each of them changes in the function under the cursor. */
export async function viewPasses(session: Session, given?: string[]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new Error('there is no function: no editor is open');
  }
  const passes = given ?? (await ask());
  if (!passes?.length) {
    return;
  }
  const { client } = session;
  const { document, selection } = editor;
  const params = client.code2ProtocolConverter.asTextDocumentPositionParams(document, selection.active);
  const result = await client.sendRequest<Stages | null>('tir-analyzer/viewPasses', { ...params, passes });
  if (!result) {
    throw new Error('there is no function under the cursor');
  }
  await show(session, document, result);
}

/** The passes in their order; with those of the setting chosen already. */
async function ask(): Promise<string[] | undefined> {
  const preset = setting<string[]>('passes.default');
  const names = [...new Set([...preset, ...OFFERED])];
  const items = names.map(label => ({ label, picked: preset.includes(label) }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'Passes, run from top to bottom', canPickMany: true });
  return chosen?.map(it => it.label);
}

/** Shows the passes that change something: one as a diff, several as diffs in one editor. */
async function show(session: Session, document: vscode.TextDocument, result: Stages): Promise<void> {
  const { texts, log } = session;
  const extension = document.languageId === 'mlir' || document.languageId === 'pir' ? document.languageId : 'tir';
  const text = (stage: string, content: string): vscode.Uri => {
    const uri = texts.uri(`${result.function} ${stage}.${extension}`, document.uri.toString());
    texts.set(uri, content);
    return uri;
  };
  const rows: [vscode.Uri, vscode.Uri, vscode.Uri][] = [];
  let last = text('before', result.before);
  for (const { pass, changed, notes, text: after } of result.stages) {
    notes.forEach(it => log.info(`${result.function}: ${pass}: ${it}`));
    if (changed) {
      const now = text(`after ${pass}`, after);
      rows.push([now, last, now]);
      last = now;
    }
  }
  const title = `${result.function}: ${result.stages.map(it => it.pass).join(', ')}`;
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(`tir-analyzer: ${title} change nothing.`);
  } else if (rows.length === 1) {
    await vscode.commands.executeCommand('vscode.diff', rows[0][1], rows[0][2], title);
  } else {
    await vscode.commands.executeCommand('vscode.changes', title, rows);
  }
}
