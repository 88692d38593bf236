// Hints, hovers, fixes, colours, names and layout, while a document is edited.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const vscode = require('vscode');
const probe = require('./probe');

/** It computes one thing twice and shares nothing with the other lines. */
const STORE = 'T_softmax_norm_1[threadIdx_x * T.int64(77)] = A_1[threadIdx_x * T.int64(77)]';

/** A line inside the innermost loop. */
const middle = document => probe.placeOf(document, 'in_thread_T_softmax_expsum_shared[0] = T.float32').line;

/** The diagnostics of this server for a document. */
const problems = uri => vscode.languages.getDiagnostics(uri).filter(it => it.source === 'tir-analyzer');

module.exports = {
  'plain Python is not read until it imports TVMScript': async () => {
    const { document } = await probe.open('plain.py');
    await probe.until('the server runs for the settings of the folder', probe.isRunning);
    assert.deepEqual(await probe.hints(document), []);
    assert.equal(problems(document.uri).length, 0);
    await probe.setText(document, `${document.getText()}from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), "int32"), n: T.int32):\n    A[0] = n * 3 + n * 3\n`);
    await probe.someHints(document);
    await probe.closeAll();
  },

  'hints of a kernel are on the screen': async () => {
    const { document } = await probe.open('softmax.py');
    const hints = await probe.someHints(document);
    assert.ok(hints.length >= 3, JSON.stringify(hints));
    assert.ok(hints.every(it => /^cse_v\d/.test(it.label)), JSON.stringify(hints));
    const visible = hints.find(it => it.label);
    probe.put(vscode.window.activeTextEditor, new vscode.Position(visible.line, 0));
    await probe.onScreen(visible.label.slice(0, 20).replace(/\s+/g, ' '));
  },

  'hints follow edits and survive a half-typed line': async () => {
    const editor = await probe.open('softmax.py');
    const { document } = editor;
    const before = await probe.someHints(document);
    const at = middle(document) + 1;
    const indent = document.lineAt(at - 1).text.match(/^ */)[0];
    await editor.edit(it => it.insert(new vscode.Position(at, 0), `${indent}${STORE.slice(0, 40)}\n`));
    const during = await probe.hints(document);
    assert.ok(during.length >= before.length, `${during.length} of ${before.length}`);
    await editor.edit(it => it.replace(document.lineAt(at).range, indent + STORE));
    await probe.until('the new line has a hint', async () => (await probe.hints(document)).some(it => it.line === at));
    await probe.closeAll();
  },

  'a cell of a notebook sees those before it': async () => {
    const notebook = await vscode.workspace.openNotebookDocument(probe.file('kernel.ipynb'));
    await vscode.window.showNotebookDocument(notebook);
    const { document } = notebook.cellAt(1);
    const [hint] = await probe.someHints(document);
    assert.equal(hint.line, 4, JSON.stringify(hint));
    await probe.until('its finding is told', () => problems(document.uri).some(it => it.range.start.line === 4));
    assert.equal(problems(notebook.cellAt(0).document.uri).length, 0);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), 'import os\n\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal((await probe.someHints(document))[0].line, 4);
    await probe.run('restart');
    await probe.someHints(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await probe.closeAll();
  },

  'a hover tells the reason': async () => {
    const { document } = await probe.open('softmax.py');
    const [first] = await probe.someHints(document);
    const line = document.lineAt(first.line).text;
    const texts = await Promise.all([...line.matchAll(/\w+/g)].map(it => probe.hover(document, new vscode.Position(first.line, it.index))));
    assert.ok(texts.some(it => it.includes('computed') || it.includes('Computed')), texts.join('\n---\n'));
  },

  'a fix binds the value and is saved': async () => {
    const { document } = await probe.open('softmax.py');
    const before = await probe.someHints(document);
    const lines = document.lineCount;
    const name = before[0].label.split(/\s/)[0];
    const end = document.lineAt(before[0].line).range.end.character;
    let at;
    await probe.until('there is an action', async () => {
      for (let column = 0; column <= end && !at; column += 4) {
        const found = await probe.actions(document, new vscode.Position(before[0].line, column), name);
        at = found.length > 0 ? new vscode.Position(before[0].line, column) : undefined;
      }
      return at;
    });
    await probe.apply(document, at, name);
    assert.ok(document.lineCount > lines);
    await document.save();
    const saved = fs.readFileSync(document.uri.fsPath, 'utf8');
    assert.equal(saved, document.getText());
    assert.equal(saved.split('\n').filter(it => it.trimStart().startsWith(name)).length, 1);
  },

  'all fixes are applied at once': async () => {
    const { document } = await probe.open('softmax.py');
    await probe.someHints(document);
    const length = document.getText().length;
    await probe.run('fixAll');
    await probe.until('the text is another', () => document.getText().length !== length);
    await probe.closeAll();
  },

  'equal operations of MLIR have hints and fixes': async () => {
    for (const name of ['unit.mlir', 'stage.ttgir']) {
      const { document } = await probe.open(name);
      assert.equal(document.languageId, 'mlir');
      const hints = await probe.someHints(document);
      assert.deepEqual(hints[0], { line: 2, label: '= %0 (line 2)' });
      await probe.apply(document, new vscode.Position(2, 4), 'Use');
      assert.equal(document.lineAt(2).text, '  %2 = my.op %0, %0 : i32');
      await probe.until('the hint is gone', async () => (await probe.hints(document)).length === 0);
      await probe.closeAll();
    }
  },

  'names of MLIR are found and renamed': async () => {
    const { document } = await probe.open('unit.mlir');
    const use = new vscode.Position(3, 13);
    const [definition] = await probe.until('there is a definition', async () => {
      const found = await vscode.commands.executeCommand('vscode.executeDefinitionProvider', document.uri, use);
      return found.length > 0 && found;
    });
    assert.equal((definition.targetRange ?? definition.range).start.line, 1);
    const references = await vscode.commands.executeCommand('vscode.executeReferenceProvider', document.uri, use);
    assert.equal(references.length, 2);
    const edit = await vscode.commands.executeCommand('vscode.executeDocumentRenameProvider', document.uri, use, 'sum');
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.lineAt(3).text, '  %2 = my.op %sum, %1 : i32');
    const symbols = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', document.uri);
    assert.ok(symbols.some(it => it.name.includes('f')), JSON.stringify(symbols));
    await probe.closeAll();
  },

  'names of MLIR are completed': async () => {
    const editor = await probe.open('unit.mlir');
    const { document } = editor;
    await editor.edit(it => it.insert(new vscode.Position(4, 0), '  %3 = my.op %\n'));
    const list = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, new vscode.Position(4, 14), '%');
    const names = list.items.map(it => it.label.label ?? it.label);
    assert.ok(['%a', '%b', '%0', '%2'].every(it => names.includes(it)), JSON.stringify(names));
    await probe.closeAll();
  },

  'names are coloured by the server': async () => {
    const { document } = await probe.open('unit.mlir');
    const tokens = await probe.until('there are tokens', () =>
      vscode.commands.executeCommand('vscode.provideDocumentSemanticTokens', document.uri));
    assert.ok(tokens.data.length > 20);
    const python = await probe.open('softmax.py');
    await probe.until('those of Python, where nothing else colours them', () =>
      vscode.commands.executeCommand('vscode.provideDocumentSemanticTokens', python.document.uri));
  },

  'MLIR is laid out and Python is not': async () => {
    const { document } = await probe.open('unit.mlir');
    await probe.setText(document, document.getText().replace('  %0 = ', '      %0   =  '));
    const edits = await probe.until('there are edits', () =>
      vscode.commands.executeCommand('vscode.executeFormatDocumentProvider', document.uri, { tabSize: 2, insertSpaces: true }));
    assert.ok(edits.length > 0);
    const python = await probe.open('softmax.py');
    const none = await vscode.commands.executeCommand('vscode.executeFormatDocumentProvider', python.document.uri, { tabSize: 4, insertSpaces: true });
    assert.equal(none, undefined);
    await probe.closeAll();
  },

  'programs of Paddle and dumps have their languages': async () => {
    assert.equal((await probe.open('program.pir')).document.languageId, 'pir');
    const { document } = await probe.open('dump.tir');
    assert.equal(document.languageId, 'tir');
    await probe.someHints(document);
    await probe.closeAll();
  },

  'an operation that nobody knows is declared': async () => {
    const { document } = await probe.open('twice.mlir');
    await probe.until('it is reported', () => problems(document.uri).length > 0);
    await probe.apply(document, new vscode.Position(1, 8), 'Declare `my.op`');
    const settings = await vscode.workspace.openTextDocument(probe.file('tir-analyzer.toml'));
    assert.ok(settings.getText().includes('my.op'));
    await settings.save();
    const hints = await probe.someHints(document);
    assert.ok(hints[0].label.startsWith('= %0'), JSON.stringify(hints));
    await probe.closeAll();
  },

  'settings of the editor reach the server and defaults do not': async () => {
    const { document } = await probe.open('unit.mlir');
    await probe.someHints(document);
    await probe.set('hints.enable', false);
    await probe.until('hints are off', async () => (await probe.hints(document)).length === 0);
    await probe.set('hints.enable', undefined);
    await probe.someHints(document);
    // The file says 100 values a function, the default of the editor's setting is 5.
    const python = await probe.open('dump.tir');
    assert.ok((await probe.someHints(python.document)).length > 5);
  },

  'a saved tir-analyzer.toml counts': async () => {
    const { document } = await probe.open('unit.mlir');
    await probe.someHints(document);
    const uri = probe.file('tir-analyzer.toml');
    const before = fs.readFileSync(uri.fsPath, 'utf8');
    fs.writeFileSync(uri.fsPath, '[hints]\nenable = false\n');
    await probe.until('hints are off', async () => (await probe.hints(document)).length === 0);
    fs.writeFileSync(uri.fsPath, before);
    await probe.someHints(document);
  },

  'a file of 100,000 lines is edited': async () => {
    const editor = await probe.open('large.py');
    const { document } = editor;
    assert.ok(document.lineCount > 100_000);
    const hints = await probe.someHints(document);
    const last = hints.at(-1).line;
    probe.put(editor, new vscode.Position(last, 0));
    const start = Date.now();
    await editor.edit(it => it.insert(new vscode.Position(2, 0), '# a line above everything\n'));
    await probe.until('hints moved', async () => (await probe.hints(document)).at(-1)?.line === last + 1);
    assert.ok(Date.now() - start < 10_000, `${Date.now() - start} ms`);
    await probe.closeAll();
  },
};
