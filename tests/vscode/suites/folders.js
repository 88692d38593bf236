// Two folders in one window, one server for both.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const probe = require('./probe');

module.exports = {
  'documents of both folders have hints': async () => {
    // The folders of a workspace file are read while extensions start already.
    await probe.until('both folders are there', () => vscode.workspace.workspaceFolders?.length === 2);
    const first = await probe.open('softmax.py', undefined, 0);
    await probe.someHints(first.document);
    const second = await probe.open('unit.mlir', undefined, 1);
    assert.equal((await probe.someHints(second.document))[0].label, '= %0 (line 2)');
    assert.equal(probe.status().starts, 1);
  },

  'a folder is taken out and the other stays': async () => {
    const { document } = await probe.open('unit.mlir', undefined, 1);
    vscode.workspace.updateWorkspaceFolders(0, 1);
    await probe.until('one is left', () => vscode.workspace.workspaceFolders.length === 1);
    await probe.someHints(document);
  },
};
