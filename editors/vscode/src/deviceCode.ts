// The device code of the kernel under the cursor, beside the source: it follows edits and the cursor, and the lines
// that belong together are marked in both.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Session } from './session';
import { SCHEME } from './texts';

/** The answer of `tir-analyzer/viewDeviceCode`. */
interface Code {
  text: string;
  languageId: string;
  function: string;
  notes: string[];
  /** Places where lines of the code come from; one holds until the next. */
  lines: { line: number; source: number }[];
  shared: { line: number; sources: number[]; text: string }[];
}

interface View {
  uri: vscode.Uri;
  source: vscode.Uri;
  target: string | undefined;
  position: vscode.Position;
  code: Code;
}

const TARGETS: [string, string, string][] = [
  ['cuda', 'CUDA C++', 'cu'], ['opencl', 'OpenCL C 1.2', 'cl'], ['hip', 'HIP C++', 'hip'], ['c', 'C11', 'c'],
  ['spirv', 'SPIR-V, shown as WGSL', 'wgsl'], ['wgsl', 'WGSL', 'wgsl'], ['metal', 'Metal', 'metal'],
];
const PAUSE_MS = 150;

export class DeviceCode implements vscode.Disposable {
  private readonly views = new Map<string, View>();
  private readonly marked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightStrongBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.wordHighlightStrongForeground'),
  });
  private readonly subscriptions: vscode.Disposable[] = [this.marked];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly session: Session) {
    this.subscriptions.push(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.hasViews(document) && this.followSoon(document)),
      vscode.window.onDidChangeTextEditorSelection(event => this.moved(event.textEditor)),
      vscode.workspace.onDidCloseTextDocument(it => this.views.delete(it.uri.toString())),
      vscode.languages.registerHoverProvider({ scheme: SCHEME }, {
        provideHover: (document, { line }) => this.explain(document.uri, line),
      }),
      vscode.languages.registerDefinitionProvider({ scheme: SCHEME }, {
        provideDefinition: (document, { line }) => this.definition(document.uri, line),
      }),
    );
  }

  /** Shows the code of the kernel at a place: the arguments of a lens, or the cursor. */
  async show(target: string | undefined, args: unknown[] = []): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const [uri, place] = args as [string | undefined, { line: number; character: number } | undefined];
    const isLens = typeof uri === 'string' && place !== undefined;
    const source = isLens ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : editor?.document;
    if (!source) {
      throw new Error('there is no kernel: no editor is open');
    }
    const position = isLens ? new vscode.Position(place.line, place.character) : editor!.selection.active;
    const code = await this.request(source, position, target);
    if (!code) {
      throw new Error('there is no kernel under the cursor');
    }
    const view = this.view(source.uri, target, position, code);
    await this.session.texts.show(view.uri, code.languageId);
    this.mark(view, position.line);
  }

  /** Asks for a target first. */
  async showChosen(target?: string): Promise<void> {
    const items = TARGETS.map(([label, description]) => ({ label, description }));
    const more = { label: 'other settings…', description: 'as cuda:arch=sm_90:max-threads=512' };
    const title = 'Target of the device code';
    let chosen = target ?? (await vscode.window.showQuickPick([...items, more], { title }))?.label;
    if (chosen === more.label) {
      chosen = await vscode.window.showInputBox({ title, value: 'cuda:arch=sm_90' });
    }
    if (chosen) {
      await this.show(chosen);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private request(source: vscode.TextDocument, position: vscode.Position, target?: string): Promise<Code | null> {
    const { client } = this.session;
    const params = client.code2ProtocolConverter.asTextDocumentPositionParams(source, position);
    return client.sendRequest<Code | null>('tir-analyzer/viewDeviceCode', { ...params, target });
  }

  /** The view of a source and target; made on first use. */
  private view(source: vscode.Uri, target: string | undefined, position: vscode.Position, code: Code): View {
    const name = target ?? vscode.workspace.getConfiguration('tir-analyzer').get<string>('device-code.target') ?? 'cuda';
    const extension = TARGETS.find(it => it[0] === name.split(':')[0])?.[2] ?? 'txt';
    const about = JSON.stringify({ source: source.toString(), target });
    const uri = this.session.texts.uri(`${path.posix.basename(source.path)}.${extension}`, about);
    const view = { uri, source, target, position, code };
    this.views.set(uri.toString(), view);
    this.session.texts.set(uri, code.text);
    return view;
  }

  private of(source: vscode.TextDocument): View[] {
    return [...this.views.values()].filter(it => it.source.toString() === source.uri.toString());
  }

  private hasViews(document: vscode.TextDocument): boolean {
    return this.views.size > 0 && this.of(document).length > 0;
  }

  private moved(editor: vscode.TextEditor): void {
    const view = this.views.get(editor.document.uri.toString());
    if (view) {
      this.markSource(view, editor.selection.active.line);
    } else if (this.hasViews(editor.document)) {
      this.of(editor.document).forEach(it => this.mark(it, editor.selection.active.line));
      this.followSoon(editor.document);
    }
  }

  private followSoon(source: vscode.TextDocument): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(source).catch(it => this.session.log.debug(String(it))), PAUSE_MS);
  }

  /** Renews the views. A state of the source without a kernel (a half-typed line) leaves the last code standing. */
  private async follow(source: vscode.TextDocument): Promise<void> {
    const editor = vscode.window.visibleTextEditors.find(it => it.document === source);
    const position = editor?.selection.active;
    for (const view of this.of(source)) {
      const code = await this.request(source, position ?? view.position, view.target);
      if (code && this.views.has(view.uri.toString())) {
        const renewed = this.view(source.uri, view.target, position ?? view.position, code);
        this.mark(renewed, renewed.position.line);
      }
    }
  }

  /** Marks the lines of a view that come from a line of the source, and brings them in sight. */
  private mark(view: View, sourceLine: number): void {
    const editor = editorOf(view.uri);
    if (!editor) {
      return;
    }
    const { lines } = view.code;
    const ranges = lines.flatMap((it, at) => {
      const last = Math.max(it.line, (lines[at + 1]?.line ?? it.line + 1) - 1);
      return it.source === sourceLine ? [new vscode.Range(it.line, 0, last, 0)] : [];
    });
    editor.setDecorations(this.marked, ranges);
    if (ranges.length > 0) {
      editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Marks the line of the source that a line of the view comes from. */
  private markSource(view: View, line: number): void {
    const editor = editorOf(view.source);
    const source = sourceOf(view, line);
    if (editor && source !== undefined) {
      const range = new vscode.Range(source, 0, source, 0);
      editor.setDecorations(this.marked, [range]);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  private explain(uri: vscode.Uri, line: number): vscode.Hover | undefined {
    const view = this.views.get(uri.toString());
    const shared = view?.code.shared.find(it => it.line === line);
    if (!shared) {
      return undefined;
    }
    const places = shared.sources.map(it => it + 1).join(', ');
    return new vscode.Hover([shared.text, `used on lines ${places} of the source`]);
  }

  private definition(uri: vscode.Uri, line: number): vscode.Location | undefined {
    const view = this.views.get(uri.toString());
    const source = view && sourceOf(view, line);
    return view && source !== undefined ? new vscode.Location(view.source, new vscode.Position(source, 0)) : undefined;
  }
}

function sourceOf(view: View, line: number): number | undefined {
  return view.code.lines.findLast(it => it.line <= line)?.source;
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(it => it.document.uri.toString() === uri.toString());
}
