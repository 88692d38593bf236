// Tasks: `build`, its `--watch`, and `check`, with the problem matchers of the manifest.
import * as vscode from 'vscode';

const TYPE = 'tir-analyzer';

interface Definition extends vscode.TaskDefinition {
  command: 'build' | 'check';
  watch?: boolean;
  target?: string;
  paths?: string[];
}

/** The tasks that are offered for each folder. */
export function buildTasks(program: string): vscode.Task[] {
  const definitions: Definition[] = [
    { type: TYPE, command: 'build' },
    { type: TYPE, command: 'build', watch: true },
    { type: TYPE, command: 'check' },
  ];
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.flatMap(folder => definitions.map(it => make(program, it, folder)));
}

/** The task of a definition in `tasks.json`. */
export function buildTask(program: string, task: vscode.Task): vscode.Task | undefined {
  const definition = task.definition as Definition;
  const isKnown = definition.command === 'build' || definition.command === 'check';
  return isKnown ? make(program, definition, task.scope ?? vscode.TaskScope.Workspace) : undefined;
}

function make(program: string, definition: Definition, scope: vscode.WorkspaceFolder | vscode.TaskScope): vscode.Task {
  const { command, watch, target, paths } = definition;
  const args = [command, ...(watch ? ['--watch'] : []), ...(target ? ['--target', target] : []), ...(paths ?? ['.'])];
  const name = [command, ...(watch ? ['and watch'] : []), ...(target ? [target] : [])].join(' ');
  const matcher = command === 'check' ? '$tir-analyzer' : watch ? '$tir-analyzer-watch' : '$tir-analyzer-build';
  const execution = new vscode.ProcessExecution(program, args);
  const task = new vscode.Task(definition, scope, name, TYPE, execution, matcher);
  task.isBackground = watch === true;
  task.group = command === 'build' ? vscode.TaskGroup.Build : vscode.TaskGroup.Test;
  return task;
}
