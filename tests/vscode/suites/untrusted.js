// A workspace that is not trusted: it names no program.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const probe = require('./probe');

module.exports = {
  'the bundled server runs and the named one does not': async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    const { document } = await probe.open('unit.mlir');
    await probe.someHints(document);
    assert.equal(probe.status().server.source, 'bundled');
    assert.equal(fs.existsSync(path.join(process.env.VSC_DIR, 'work/evil.ran')), false);
  },

  'device code and fixes work without trust': async () => {
    const { document } = await probe.open('unit.mlir');
    await probe.apply(document, new vscode.Position(2, 4), 'Use');
    assert.equal(document.lineCount, 6);
    await probe.closeAll();
  },
};
