// Explanations of the command line, beside the source: a decision, facts, a simplification, the tree.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Session } from './session';

function activeEditor(): vscode.TextEditor {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new Error('no editor is open');
  }
  return editor;
}

/** The column of a place as the command line counts it: characters from 1. */
function column(document: vscode.TextDocument, { line, character }: vscode.Position): number {
  return [...document.lineAt(line).text.slice(0, character)].length + 1;
}

async function show(session: Session, name: string, text: string, selection?: vscode.Range): Promise<void> {
  const uri = session.texts.uri(name, '');
  session.texts.set(uri, text);
  await session.texts.show(uri, 'plaintext', selection);
}

/** The decision about the expression under the cursor, with its reason and the places where it is computed. */
export async function explain(session: Session): Promise<void> {
  const { document, selection } = activeEditor();
  const place = `${selection.start.line + 1}:${column(document, selection.start)}`;
  const text = await session.cli.about(document, ['explain'], place);
  await show(session, `explanation of ${path.basename(document.fileName)}`, text);
}

/** What is known before the statement under the cursor. */
export async function facts(session: Session): Promise<void> {
  const { document, selection } = activeEditor();
  const text = await session.cli.about(document, ['explain', '--facts'], `${selection.start.line + 1}`);
  await show(session, `facts of ${path.basename(document.fileName)}`, text);
}

/** The simplest form of the selection, or of what is typed, under conditions. */
export async function simplify(session: Session, given?: string, conditions?: string[]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection).trim();
  const title = 'Simplify an expression';
  const value = selected || undefined;
  const expression = given ?? (await vscode.window.showInputBox({ title, value, placeHolder: 'min(n, n + 1)' }));
  if (!expression) {
    return;
  }
  const known = conditions ?? (await askConditions(title));
  if (known) {
    const text = await session.cli.run(['simplify', expression, '--facts', ...known.flatMap(it => ['--given', it])]);
    await show(session, 'simplification', `${expression}\n\n${text}`);
  }
}

async function askConditions(title: string): Promise<string[] | undefined> {
  const prompt = 'Conditions that hold, with semicolons between; none is fine';
  const text = await vscode.window.showInputBox({ title, prompt, placeHolder: 'n > 0; m % 4 == 0' });
  return text?.split(';').map(it => it.trim()).filter(it => it !== '');
}

/** The syntax tree of the document; the innermost node around the cursor is selected. */
export async function showTree(session: Session): Promise<void> {
  const { document, selection } = activeEditor();
  const text = await session.cli.about(document, ['parse'], '');
  const offset = Buffer.byteLength(document.getText(new vscode.Range(new vscode.Position(0, 0), selection.start)));
  await show(session, `tree of ${path.basename(document.fileName)}`, text, innermost(text, offset));
}

/** The last line of a tree whose range of bytes contains an offset: lines come from the outside to the inside. */
function innermost(tree: string, offset: number): vscode.Range | undefined {
  const lines = tree.split('\n');
  const at = lines.findLastIndex(line => {
    const found = /@(\d+)\.\.(\d+)/.exec(line);
    return found !== null && Number(found[1]) <= offset && offset < Number(found[2]);
  });
  return at < 0 ? undefined : new vscode.Range(at, 0, at, lines[at].length);
}
