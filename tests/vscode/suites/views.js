// What stands beside the source: device code, passes, explanations; and the choice of instances.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const probe = require('./probe');

/** The lenses of a document whose command is this. */
const lenses = (document, command) => probe.until(`a lens: ${command}`, async () => {
  const all = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri, 50);
  const ours = all.filter(it => it.command?.command === command);
  return ours.length > 0 && ours;
});

/** Opens the kernel with the cursor in it. */
const kernel = () => probe.open('softmax.py', 'in_thread_T_softmax_expsum_shared[0] = T.float32');

module.exports = {
  'device code stands beside the kernel': async () => {
    const editor = await kernel();
    await probe.someHints(editor.document);
    await probe.run('viewDeviceCode');
    await probe.viewWith('softmax.py.cu', '__global__');
    assert.equal(probe.view('softmax.py.cu').document.languageId, 'cuda-cpp');
    assert.equal(vscode.window.activeTextEditor.document, editor.document, 'the source keeps the focus');
    await probe.onScreen('__global__');
  },

  'device code follows edits': async () => {
    const editor = await kernel();
    const line = probe.placeOf(editor.document, 'T_softmax_norm_1[').line;
    const text = editor.document.lineAt(line).text;
    await editor.edit(it => it.insert(new vscode.Position(line, text.length), ' * T.float32(2.5)'));
    await probe.viewWith('softmax.py.cu', '2.5');
    await vscode.commands.executeCommand('undo');
    await probe.until('it is gone', () => !probe.view('softmax.py.cu').document.getText().includes('2.5'));
  },

  'lines of device code lead to the source': async () => {
    const { document } = probe.view('softmax.py.cu');
    const [place] = await vscode.commands.executeCommand('vscode.executeDefinitionProvider', document.uri, probe.placeOf(document, 'T_softmax_norm['));
    const source = await vscode.workspace.openTextDocument(place.uri ?? place.targetUri);
    const line = (place.range ?? place.targetRange).start.line;
    assert.ok(source.lineAt(line).text.includes('T_softmax_norm_1['), source.lineAt(line).text);
    const shared = await probe.hover(document, probe.placeOf(document, 'cse_v2 ='));
    assert.ok(shared.includes('computed once: saves') && shared.includes('used on lines '), shared);
  },

  'device code is shown for another target': async () => {
    await kernel();
    await probe.run('viewDeviceCodeFor', 'opencl');
    await probe.viewWith('softmax.py.cl', '__kernel');
    await probe.closeAll();
  },

  'a lens leads to device code': async () => {
    const { document } = await probe.open('softmax.py');
    const [lens] = await lenses(document, 'tir-analyzer.viewDeviceCode');
    assert.ok(lens.command.title.includes('device code: cuda'), lens.command.title);
    await vscode.commands.executeCommand(lens.command.command, ...lens.command.arguments);
    await probe.viewWith('softmax.py.cu', '__global__');
    await probe.closeAll();
  },

  'no kernel is told and opens nothing': async () => {
    await probe.open('softmax.py', '# from');
    await probe.run('viewDeviceCode');
    await probe.onScreen('there is no kernel under the cursor');
    assert.equal(probe.view('softmax.py.cu'), undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
  },

  'passes are a diff': async () => {
    await kernel();
    await probe.run('viewPasses', ['simplify', 'cse']);
    await probe.viewWith('after cse', 'cse_v1');
    assert.ok(probe.view(' before'));
    await probe.closeAll();
  },

  'several passes that change something are diffs in one editor': async () => {
    await probe.open('both.py', 'if i < 64');
    await probe.run('viewPasses', ['simplify', 'cse']);
    await probe.onScreen('both after simplify.tir');
    await probe.onScreen('both after cse.tir');
    await probe.closeAll();
  },

  'passes that change nothing are told': async () => {
    await probe.open('both.py', 'if i < 64');
    await probe.run('viewPasses', ['dead-store']);
    await probe.onScreen('both: dead-store change nothing.');
    await vscode.commands.executeCommand('notifications.clearAll');
    await probe.closeAll();
  },

  'an instance of a factory is chosen': async () => {
    const { document } = await probe.open('factory.py');
    const [lens] = await lenses(document, 'tir-analyzer.chooseInstance');
    assert.ok(lens.command.title.includes('2 instances'), lens.command.title);
    const [uri, factory, instances, chosen] = lens.command.arguments;
    assert.deepEqual([factory, instances.length, chosen], ['scale', 2, null]);
    await probe.run('chooseInstance', uri, factory, instances, chosen, instances[1]);
    await probe.until('it is chosen', async () => {
      const [now] = await lenses(document, 'tir-analyzer.chooseInstance');
      return now.command.arguments[3] === 1;
    });
    // Asked for, without arguments: the list is on the screen.
    const asked = probe.run('chooseInstance');
    await probe.onScreen('the general function');
    await probe.page({ what: 'types', keys: 'Enter' });
    await asked;
    await probe.until('none is chosen', async () => {
      const [now] = await lenses(document, 'tir-analyzer.chooseInstance');
      return now.command.arguments[3] === null;
    });
    await probe.closeAll();
  },

  'a decision and facts are explained': async () => {
    const editor = await probe.open('softmax.py');
    await probe.someHints(editor.document);
    probe.put(editor, 'n * m,');
    await probe.run('explain');
    await probe.viewWith('explanation', 'computed');
    // Text that is not saved is explained as it is.
    await editor.edit(it => it.insert(new vscode.Position(0, 0), '# above\n'));
    await probe.run('facts');
    await probe.viewWith('facts', 'live');
    await probe.closeAll();
  },

  'an expression is simplified under conditions': async () => {
    await probe.run('simplify', 'min(n, n + 1)', []);
    await probe.viewWith('simplification', 'n');
    await probe.run('simplify', '(4 * i + j) % 4', ['0 <= j', 'j < 4']);
    await probe.viewWith('simplification', 'j');
    await probe.closeAll();
  },

  'the tree of the text is shown': async () => {
    const editor = await probe.open('unit.mlir', '%0, %1');
    await probe.run('showTree');
    await probe.viewWith('tree of unit.mlir', 'MLIR_FILE');
    const tree = probe.view('tree of unit.mlir');
    await probe.until('the node at the cursor is selected', () => tree.document.getText(tree.selection).includes('@'));
    assert.equal(editor.document.lineAt(3).text.includes('my.op'), true);
    await probe.closeAll();
  },

  'the kernel of the walkthrough has hints': async () => {
    await probe.run('openSample');
    const { document } = await probe.until('it is open', () => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.getText().includes('scale_rows') && editor;
    });
    await probe.someHints(document);
    await probe.run('viewDeviceCode');
    await probe.onScreen('there is no kernel under the cursor');
    probe.put(vscode.window.activeTextEditor, 'B[row, lane * 2] =');
    await probe.run('viewDeviceCode');
    await probe.viewWith('.cu', '__global__');
    await vscode.commands.executeCommand('notifications.clearAll');
    await probe.closeAll();
  },

  'tasks build and watch': async () => {
    const tasks = await vscode.tasks.fetchTasks({ type: 'tir-analyzer' });
    assert.deepEqual(tasks.map(it => it.name).sort(), ['build', 'build and watch', 'check']);
    assert.equal(tasks.find(it => it.name === 'build and watch').isBackground, true);
    const run = async name => {
      const ended = new Promise(resolve => vscode.tasks.onDidEndTaskProcess(resolve));
      await vscode.tasks.executeTask(tasks.find(it => it.name === name));
      return (await ended).exitCode;
    };
    assert.equal(await run('build'), 0);
    await vscode.workspace.fs.stat(probe.file('build/kernels'));
    // The file is closed: what is reported of it comes from the task.
    assert.equal(vscode.languages.getDiagnostics(probe.file('both.py')).length, 0);
    assert.equal(await run('check'), 0);
    const found = await probe.until('problems of the task', () => {
      const all = vscode.languages.getDiagnostics(probe.file('both.py'));
      return all.length > 0 && all;
    });
    assert.ok(found.every(it => it.source === 'tir-analyzer' && it.code), JSON.stringify(found));
  },

  'tasks say where a kernel is not built': async () => {
    const broken = probe.file('broken_task.py');
    const kernel = read => `from tvm.script import tirx as T


@T.prim_func
def broken_task(A: T.Buffer((64,), "int32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        A[i] = ${read}
`;
    const write = read => vscode.workspace.fs.writeFile(broken, Buffer.from(kernel(read)));
    const told = () => vscode.languages.getDiagnostics(broken).filter(it => it.message.includes('is not built'));
    const tasks = await vscode.tasks.fetchTasks({ type: 'tir-analyzer' });
    const start = name => vscode.tasks.executeTask(tasks.find(it => it.name === name));
    await write('nowhere');
    await start('build');
    const [one] = await probe.until('the problem of a build', () => told().length === 1 && told());
    assert.deepEqual([one.range.start.line, one.range.start.character, one.code], [6, 15, 'has-errors']);
    assert.equal(one.severity, vscode.DiagnosticSeverity.Warning);
    const watch = await start('build and watch');
    await probe.until('the problem while watching', () => told().length === 1);
    await write('1');
    await probe.until('it is gone', () => told().length === 0);
    await write('nowhere');
    await probe.until('it is back', () => told().length === 1);
    watch.terminate();
    await vscode.workspace.fs.delete(broken);
  },

  'a bug report says what is known': async () => {
    await probe.open('unit.mlir');
    await probe.run('bugReport');
    const text = await probe.until('it is open', () => {
      const it = vscode.window.activeTextEditor?.document;
      return it?.languageId === 'markdown' && it.getText();
    });
    assert.ok(text.includes('server: 0.') && text.includes('"state": "running"') && text.includes('"path"'), text);
    await probe.closeAll();
  },
};
