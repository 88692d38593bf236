// What the suites ask of the running editor.
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const PATIENCE_MS = 30_000;
const results = process.env.VSC_RESULTS;
let questions = 0;

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Waits until something holds, and returns it. */
async function until(what, holds) {
  const deadline = Date.now() + PATIENCE_MS;
  let last;
  while (Date.now() < deadline) {
    try {
      last = await holds();
    } catch (error) {
      last = error;
    }
    if (last && !(last instanceof Error)) {
      return last;
    }
    await sleep(50);
  }
  throw new Error(`never: ${what}${last instanceof Error ? ` (${last.message})` : ''}`);
}

/** Asks the program around VS Code about the screen. */
async function page(question) {
  const id = ++questions;
  const ask = path.join(results, 'ask');
  fs.writeFileSync(`${ask}.tmp`, JSON.stringify({ id, ...question }));
  fs.renameSync(`${ask}.tmp`, ask);
  const answer = path.join(results, `answer-${id}`);
  await until('the screen is read', () => fs.existsSync(answer));
  return JSON.parse(fs.readFileSync(answer, 'utf8'));
}

const onScreen = text => until(`on the screen: ${text}`, async () => (await page({ what: 'shows', text })) === true);

/** The state of the server, as the extension tells it. */
function status() {
  return vscode.extensions.getExtension('tir-analyzer.tir-analyzer')?.exports?.status();
}

const isRunning = () => status()?.state === 'running';

/** The path of a file of the workspace. */
function file(name, folder = 0) {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders[folder].uri, name);
}

/** Opens a file in the editor, with the cursor at the start of a text. */
async function open(name, at, folder) {
  const uri = typeof name === 'string' ? file(name, folder) : name;
  const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), vscode.ViewColumn.One);
  if (at !== undefined) {
    put(editor, at);
  }
  return editor;
}

/** The place of a text in a document. */
function placeOf(document, text) {
  const offset = document.getText().indexOf(text);
  if (offset < 0) {
    throw new Error(`there is no ${text}`);
  }
  return document.positionAt(offset);
}

/** Puts the cursor at the start of a text. */
function put(editor, text) {
  const at = typeof text === 'string' ? placeOf(editor.document, text) : text;
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(editor.selection);
}

const whole = document => new vscode.Range(0, 0, document.lineCount, 0);
const label = hint => (typeof hint.label === 'string' ? hint.label : hint.label.map(it => it.value).join('')).trim();

/** The hints of a document: line from 0 and label. */
async function hints(document) {
  const found = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, whole(document));
  return (found ?? []).map(it => ({ line: it.position.line, label: label(it) }));
}

/** The hints, once there are some. */
const someHints = document => until('there are hints', async () => {
  const found = await hints(document);
  return found.length > 0 && found;
});

/** The code actions at a place whose titles contain the words. */
async function actions(document, at, words) {
  const range = new vscode.Range(at, at);
  const all = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, range, undefined, 20);
  return all.filter(it => it.title.includes(words));
}

/** Applies the first action whose title contains the words. */
async function apply(document, at, words) {
  const [action] = await until(`an action: ${words}`, async () => {
    const found = await actions(document, at, words);
    return found.length > 0 && found;
  });
  await vscode.workspace.applyEdit(action.edit);
  return action.title;
}

/** The text of the hovers at a place. */
async function hover(document, at) {
  const found = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at);
  return found.flatMap(it => it.contents).map(it => it.value ?? it).join('\n');
}

/** Runs a command of the extension. */
const run = (name, ...args) => vscode.commands.executeCommand(`tir-analyzer.${name}`, ...args);

/** The visible editor of a text of the extension whose name contains the words. */
function view(words) {
  return vscode.window.visibleTextEditors.find(it => it.document.uri.scheme === 'tir-analyzer' && it.document.uri.path.includes(words));
}

/** The text of a view once it holds the words. */
const viewWith = (name, words) => until(`${name} shows ${words}`, () => {
  const text = view(name)?.document.getText();
  return text?.includes(words) && text;
});

/** Replaces a whole document. */
async function setText(document, text) {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, whole(document), text);
  await vscode.workspace.applyEdit(edit);
}

/** Closes everything without saving. */
async function closeAll() {
  for (const document of vscode.workspace.textDocuments.filter(it => it.isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  // A new document without a name would get the name, and the text, of one that is still there.
  await until('everything is closed', () => vscode.workspace.textDocuments.every(it => !it.isUntitled && !it.isDirty));
}

/** Changes a setting of the extension for the workspace; none takes it back. */
function set(key, value, target = vscode.ConfigurationTarget.Workspace) {
  return vscode.workspace.getConfiguration('tir-analyzer').update(key, value, target);
}

module.exports = {
  actions, apply, closeAll, file, hints, hover, isRunning, label, onScreen, open, page, placeOf, put, run, set, setText, sleep, someHints,
  status, until, view, viewWith, whole,
};
