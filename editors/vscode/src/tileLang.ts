// What TileLang itself makes of the kernel under the cursor: its IR after each pass, and its device code. It is asked by
// this command alone: the Python of `tilelang.python` imports the file, which executes it. Cancelling ends that process.
import * as vscode from 'vscode';
import type { Session } from './session';
import { SCHEME } from './texts';

/** A text of TileLang; `lines` of it come from lines of the source. */
interface Stage {
  pass: string;
  text: string;
  lines: { line: number; source: number }[];
}

/** The answer of `tir-analyzer/viewTileLang`. */
interface Lowered {
  function: string;
  instance: string | null;
  before: Stage;
  stages: Stage[];
  code: string;
  languageId: string;
}

export class TileLang implements vscode.Disposable {
  /** By text: where its lines come from. */
  private readonly origins = new Map<string, { source: vscode.Uri; lines: Stage['lines'] }>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly session: Session) {
    this.subscriptions = [
      vscode.workspace.onDidCloseTextDocument(it => this.origins.delete(it.uri.toString())),
      vscode.languages.registerDefinitionProvider({ scheme: SCHEME }, {
        provideDefinition: (document, { line }) => this.definition(document.uri, line),
      }),
    ];
  }

  /** Has TileLang lower the kernel under the cursor, and shows what comes out. */
  async show(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new Error('TileLang executes the file: trust the workspace first');
    }
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      throw new Error('there is no kernel: no editor is open');
    }
    const { client } = this.session;
    const { document, selection } = editor;
    const params = client.code2ProtocolConverter.asTextDocumentPositionParams(document, selection.active);
    const shown = { location: vscode.ProgressLocation.Notification, title: 'TileLang lowers the kernel', cancellable: true };
    const result = await vscode.window.withProgress(shown, async (_, token) => {
      try {
        return await client.sendRequest<Lowered | null>('tir-analyzer/viewTileLang', params, token);
      } catch (error) {
        if (token.isCancellationRequested) {
          return undefined;
        }
        throw error;
      }
    });
    if (result === null) {
      throw new Error('there is no kernel under the cursor');
    }
    if (result) {
      await this.open(document.uri, result);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows the device code beside the source, and the passes as diffs in one editor. */
  private async open(source: vscode.Uri, result: Lowered): Promise<void> {
    const { texts } = this.session;
    const name = result.instance ?? result.function;
    const text = (of: string, extension: string, stage: Stage): vscode.Uri => {
      const uri = texts.uri(`${result.function} ${of}.${extension}`, source.toString());
      texts.set(uri, stage.text);
      this.origins.set(uri.toString(), { source, lines: stage.lines });
      return uri;
    };
    const rows: [vscode.Uri, vscode.Uri, vscode.Uri][] = [];
    let last = text('before TileLang', 'tir', result.before);
    result.stages.forEach((stage, at) => {
      const now = text(`after ${at + 1} ${stage.pass}`, 'tir', stage);
      rows.push([now, last, now]);
      last = now;
    });
    const code = text('of TileLang', 'cu', { pass: '', text: result.code, lines: [] });
    await texts.show(code, result.languageId);
    if (rows.length > 0) {
      await vscode.commands.executeCommand('vscode.changes', `${name}: passes of TileLang`, rows);
    }
  }

  private definition(uri: vscode.Uri, line: number): vscode.Location | undefined {
    const of = this.origins.get(uri.toString());
    const found = of?.lines.find(it => it.line === line);
    return of && found ? new vscode.Location(of.source, new vscode.Position(found.source, 0)) : undefined;
  }
}
