// What differs from the language client's own features: commands that lenses may name, and formatting of MLIR only.
import * as vscode from 'vscode';
import {
  type ClientCapabilities, DocumentFormattingRequest, DocumentRangeFormattingRequest, type FeatureState,
  type LanguageClient, type ServerCapabilities, type StaticFeature,
} from 'vscode-languageclient/node';

/** The commands of lenses that this extension has. */
const LENS_COMMANDS = ['tir-analyzer.viewDeviceCode', 'tir-analyzer.chooseInstance'];

export class Commands implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...capabilities.experimental, commands: { commands: LENS_COMMANDS } };
  }
  initialize(): void {}
  getState(): FeatureState {
    return { kind: 'static' };
  }
  clear(): void {}
}

/**
 * The server lays out MLIR and nothing else, and offers it for every document. Registered for Python as well it would
 * ask people which of two formatters they want.
 */
export class MlirFormatting implements StaticFeature {
  private registered: vscode.Disposable | undefined;
  private isOffered = false;

  constructor(private readonly client: () => LanguageClient) {}

  fillClientCapabilities(): void {}

  preInitialize(capabilities: ServerCapabilities): void {
    this.isOffered = capabilities.documentFormattingProvider !== undefined;
    delete capabilities.documentFormattingProvider;
    delete capabilities.documentRangeFormattingProvider;
  }

  initialize(): void {
    this.clear();
    if (!this.isOffered) {
      return;
    }
    const client = this.client();
    const options = (it: vscode.FormattingOptions) => ({ tabSize: it.tabSize, insertSpaces: it.insertSpaces });
    const textDocument = (it: vscode.TextDocument) => client.code2ProtocolConverter.asTextDocumentIdentifier(it);
    const provider: vscode.DocumentFormattingEditProvider & vscode.DocumentRangeFormattingEditProvider = {
      async provideDocumentFormattingEdits(document, format, token) {
        const params = { textDocument: textDocument(document), options: options(format) };
        const edits = await client.sendRequest(DocumentFormattingRequest.type, params, token);
        return client.protocol2CodeConverter.asTextEdits(edits, token);
      },
      async provideDocumentRangeFormattingEdits(document, range, format, token) {
        const place = client.code2ProtocolConverter.asRange(range);
        const params = { textDocument: textDocument(document), range: place, options: options(format) };
        const edits = await client.sendRequest(DocumentRangeFormattingRequest.type, params, token);
        return client.protocol2CodeConverter.asTextEdits(edits, token);
      },
    };
    this.registered = vscode.Disposable.from(
      vscode.languages.registerDocumentFormattingEditProvider('mlir', provider),
      vscode.languages.registerDocumentRangeFormattingEditProvider('mlir', provider),
    );
  }

  getState(): FeatureState {
    return { kind: 'static' };
  }

  clear(): void {
    this.registered?.dispose();
    this.registered = undefined;
  }
}
