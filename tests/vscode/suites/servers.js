// Where the server comes from, and what happens when it is not there or crashes.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const probe = require('./probe');

const state = wanted => probe.until(`the server is ${wanted}`, () => probe.status()?.state === wanted);
const python = () => vscode.extensions.getExtension('ms-python.python').activate();

/** Ends the server as a crash does, and waits for what comes of it. */
async function crash() {
  const { pid, starts } = probe.status();
  process.kill(pid, 'SIGKILL');
  await probe.until('it is seen', () => probe.status().pid !== pid);
  return starts;
}

module.exports = {
  'a missing server is told with a way out': async () => {
    await probe.open('softmax.py');
    await state('missing');
    assert.ok(probe.status().problem.includes('tried'), probe.status().problem);
    await probe.onScreen('The program tir-analyzer was not found');
    await probe.onScreen('How to Install');
    await probe.run('viewDeviceCode');
    await probe.onScreen('the server is not found');
    await vscode.commands.executeCommand('notifications.clearAll');
  },

  'the server of the selected Python environment is found': async () => {
    (await python()).select(process.env.VSC_OTHER_PYTHON);
    await state('running');
    assert.equal(probe.status().server.source, 'environment');
    const { document } = await probe.open('softmax.py');
    await probe.someHints(document);
  },

  'the status tells memory': async () => {
    const bytes = await probe.until('it is measured', () => probe.status().memory);
    assert.ok(bytes > 5e6 && bytes < 2e9, String(bytes));
  },

  'a restart is another process': async () => {
    const { pid } = probe.status();
    await probe.run('restart');
    await state('running');
    assert.notEqual(probe.status().pid, pid);
    await probe.someHints((await probe.open('softmax.py')).document);
  },

  'a crashed server is started again and knows the documents': async () => {
    const { document } = await probe.open('softmax.py');
    const starts = await crash();
    await probe.until('it runs again', () => probe.isRunning() && probe.status().starts === starts + 1);
    await probe.someHints(document);
  },

  'a server that ends while it is started again is started once more': async () => {
    await probe.run('restart');
    await state('running');
    await crash();
    const pid = await probe.until('there is a process', () => probe.status().pid);
    process.kill(pid, 'SIGKILL');
    await probe.until('another one runs', () => probe.isRunning() && probe.status().pid !== pid);
    await probe.someHints((await probe.open('softmax.py')).document);
  },

  'a server that crashes again and again stays down': async () => {
    while (probe.status().state !== 'failed') {
      await crash();
      await probe.until('it settles', () => ['running', 'failed'].includes(probe.status().state));
    }
    await probe.onScreen('is not started again');
    await vscode.commands.executeCommand('notifications.clearAll');
    await probe.run('restart');
    await state('running');
    await probe.someHints((await probe.open('softmax.py')).document);
  },

  'a named server that is none is told and its correction counts at once': async () => {
    await probe.set('server.path', '/bin/false', vscode.ConfigurationTarget.Global);
    await state('missing');
    assert.ok(probe.status().problem.includes('/bin/false'), probe.status().problem);
    await probe.set('server.path', undefined, vscode.ConfigurationTarget.Global);
    await state('running');
  },
};
