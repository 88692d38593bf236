// Stands for the Python extension: the part of its interface that tells the selected environment.
const vscode = require('vscode');

exports.activate = () => {
  const changed = new vscode.EventEmitter();
  let selected = process.env.VSC_PYTHON ?? '';
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path: selected }),
      resolveEnvironment: async it => ({ executable: { uri: it.path ? vscode.Uri.file(it.path) : undefined } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
    select(python) {
      selected = python;
      changed.fire(undefined);
    },
  };
};
