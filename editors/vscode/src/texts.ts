// Texts that are no files: device code, functions after passes, explanations.
import * as vscode from 'vscode';

export const SCHEME = 'tir-analyzer';

/** Names of languages that no extension may have, and what colours them well enough. */
const FALLBACKS: Record<string, string> = { opencl: 'c', hip: 'cuda-cpp', metal: 'cpp', wgsl: 'rust', spirv: 'plaintext' };

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registered = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.workspace.onDidCloseTextDocument(it => it.uri.scheme === SCHEME && this.texts.delete(it.uri.toString())),
  );

  /** The address of a text: a name that the tab shows, and what tells it from others of that name. */
  uri(name: string, about: string): vscode.Uri {
    return vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: about });
  }

  /** Sets a text; views of it change. */
  set(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
  }

  /** Shows a text beside the editor, which keeps the focus. */
  async show(uri: vscode.Uri, language: string, selection?: vscode.Range): Promise<vscode.TextEditor> {
    let document = await vscode.workspace.openTextDocument(uri);
    const known = await vscode.languages.getLanguages();
    const id = known.includes(language) ? language : (FALLBACKS[language] ?? 'plaintext');
    if (document.languageId !== id && known.includes(id)) {
      document = await vscode.languages.setTextDocumentLanguage(document, id);
    }
    const visible = vscode.window.visibleTextEditors.find(it => it.document === document);
    const viewColumn = visible?.viewColumn ?? vscode.ViewColumn.Beside;
    return vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: false, selection });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }
}
