// Keeps Python that is not ours away from the server: it is not told about such documents, and not asked.
import * as vscode from 'vscode';
import type { MessageSignature } from 'vscode-languageclient/node';
import { isOurs } from './detect';

type Type = string | MessageSignature;
type Params = { textDocument?: { uri: string } };

const method = (type: Type): string => (typeof type === 'string' ? type : type.method);

/**
 * Documents that were opened and held back. They are told about once they are ours, as a whole.
 *
 * It stands where messages are sent, not at the single features, so that no feature is forgotten.
 */
export class Gate {
  private readonly held = new Set<string>();

  /** Forgets everything: a new server was told nothing. */
  reset(): void {
    this.held.clear();
  }

  readonly sendNotification = async <R>(
    type: Type,
    next: (type: Type, params?: R) => Promise<void>,
    params: R,
  ): Promise<void> => {
    const uri = (params as Params | undefined)?.textDocument?.uri;
    if (uri === undefined) {
      return next(type, params);
    }
    switch (method(type)) {
      case 'textDocument/didOpen': {
        const document = find(uri);
        if (document && !isOurs(document)) {
          this.held.add(uri);
          return;
        }
        break;
      }
      case 'textDocument/didClose':
        if (this.held.delete(uri)) {
          return;
        }
        break;
      default:
        if (this.held.has(uri)) {
          const document = find(uri);
          if (!document || !isOurs(document) || method(type) !== 'textDocument/didChange') {
            return;
          }
          this.held.delete(uri);
          const { languageId, version } = document;
          const whole = { textDocument: { uri, languageId, version, text: document.getText() } };
          return next('textDocument/didOpen', whole as R);
        }
    }
    return next(type, params);
  };

  readonly sendRequest = async <P, R>(
    type: Type,
    params: P | undefined,
    token: vscode.CancellationToken | undefined,
    next: (type: Type, params?: P, token?: vscode.CancellationToken) => Promise<R>,
  ): Promise<R> => {
    const uri = (params as Params | undefined)?.textDocument?.uri;
    if (uri !== undefined && this.held.has(uri)) {
      const nothing = method(type) === 'textDocument/diagnostic' ? { kind: 'full', items: [] } : null;
      return nothing as R;
    }
    return next(type, params, token);
  };
}

function find(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find(it => it.uri.toString() === wanted);
}
