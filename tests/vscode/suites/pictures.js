// Pictures of the editor, for the README. `VSC_SHOTS` names the folder that they go to.
const vscode = require('vscode');
const probe = require('./probe');

const shoot = name => probe.page({ what: 'shoots', file: `${name}${process.env.VSC_SUFFIX}.png` });

/** The side bar has nothing to tell. */
const closeSideBar = () => vscode.commands.executeCommand('workbench.action.closeSidebar');

module.exports = {
  hints: async () => {
    await closeSideBar();
    const editor = await probe.open('softmax.py');
    const hints = await probe.someHints(editor.document);
    editor.revealRange(new vscode.Range(9, 0, 12, 0), vscode.TextEditorRevealType.AtTop);
    await probe.onScreen('device code: cuda');
    await probe.onScreen(hints[0].label.slice(0, 6));
    await shoot('hints');
  },

  hover: async () => {
    const editor = await probe.open('softmax.py');
    const at = probe.placeOf(editor.document, '(m + T.int64(255))');
    probe.put(editor, at.translate(0, 3));
    await vscode.commands.executeCommand('editor.action.showHover');
    await probe.onScreen('omputed');
    await shoot('hover');
    await vscode.commands.executeCommand('editor.action.hideHover');
  },

  'device code': async () => {
    const editor = await probe.open('softmax.py');
    const at = probe.placeOf(editor.document, 'in_thread_T_softmax_expsum_shared[0] = T.float32');
    probe.put(editor, at.translate(3));
    await probe.run('viewDeviceCode');
    await probe.viewWith('softmax.py.cu', '__global__');
    probe.put(editor, at.translate(2));
    probe.put(editor, at.translate(3));
    await shoot('device-code');
    await probe.closeAll();
  },

  mlir: async () => {
    const { document } = await probe.open('unit.mlir');
    await probe.someHints(document);
    await shoot('mlir');
  },

  pir: async () => {
    await probe.open('program.pir');
    await probe.sleep(500);
    await shoot('pir');
  },

  passes: async () => {
    await probe.open('softmax.py', 'in_thread_T_softmax_expsum_shared[0] = T.float32');
    await probe.run('viewPasses', ['simplify', 'cse']);
    await probe.viewWith('after cse', 'cse_v1');
    await shoot('passes');
    await probe.closeAll();
  },

  walkthrough: async () => {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'tir-analyzer.tir-analyzer#start', false);
    await probe.sleep(1500);
    await shoot('walkthrough');
    await probe.closeAll();
  },
};
