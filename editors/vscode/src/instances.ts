// The choice of the instance of a factory that hints, hovers and device code show.
import * as vscode from 'vscode';
import type { Session } from './session';

/** The arguments of a lens: the document, the factory, the arguments of each instance, the number of the chosen one. */
type Lens = [uri: string, factory: string, instances: string[], chosen: number | null];

const COMMAND = 'tir-analyzer.chooseInstance';

/** Asks for an instance of the lens with these arguments, or of the one nearest to the cursor. */
export async function chooseInstance(session: Session, args: unknown[]): Promise<void> {
  const [uri, factory, instances, chosen] = args.length > 0 ? (args as Lens) : await nearest();
  // A fifth argument is the choice itself: of keybindings and tests.
  const given = args[4] as string | null | undefined;
  const general = { label: 'no instance', description: 'the general function', instance: undefined as string | undefined };
  const items = instances.map((instance, at) => ({
    label: instance, description: at === chosen ? 'shown' : '', instance: instance as string | undefined,
  }));
  const title = `Instance of ${factory}`;
  const item = given === undefined
    ? await vscode.window.showQuickPick([general, ...items], { title })
    : { instance: given ?? undefined };
  if (item) {
    const params = { textDocument: { uri }, factory, instance: item.instance };
    await session.client.sendRequest('tir-analyzer/chooseInstance', params);
  }
}

async function nearest(): Promise<Lens> {
  const editor = vscode.window.activeTextEditor;
  const lenses = editor && (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', editor.document.uri));
  const ours = (lenses ?? []).filter(it => it.command?.command === COMMAND);
  const line = editor?.selection.active.line ?? 0;
  const above = ours.filter(it => it.range.start.line <= line).at(-1) ?? ours[0];
  if (!above) {
    throw new Error('no function here makes kernels whose calls are known');
  }
  return above.command!.arguments as Lens;
}
