// Which documents the server is for: all of MLIR, PIR and TIR dumps, and the Python that mentions TVM's script.
import type { TextDocument, TextDocumentContentChangeEvent } from 'vscode';

/** The languages whose every file is read. */
export const OWN_LANGUAGES = ['mlir', 'pir', 'tir'];

/** All languages with something to read, in the documents that a client is told about. */
export const LANGUAGES = [...OWN_LANGUAGES, 'python'];

/** The schemes of documents that people edit; others are views of something. */
export const SCHEMES = ['file', 'untitled', 'vscode-vfs', 'vscode-notebook-cell'];

// Text that holds none of these holds no function for the server. In real files the first hit is an import.
const SIGN = /\btvm\.script\b|\btilelang\b|\.(?:prim_func|ir_module|macro)\b/;

/** Returns true if a text of Python may hold functions of tensor IR. */
export function mentionsScript(text: string): boolean {
  return SIGN.test(text);
}

// A document stays ours until it is closed: its hints do not vanish while an import is edited.
const found = new WeakSet<TextDocument>();

/** Returns true if the server is for a document. Reads the text once, and again only while there was nothing in it. */
export function isOurs(document: TextDocument): boolean {
  if (!SCHEMES.includes(document.uri.scheme) || !LANGUAGES.includes(document.languageId)) {
    return false;
  }
  if (OWN_LANGUAGES.includes(document.languageId) || found.has(document)) {
    return true;
  }
  const is = mentionsScript(document.getText());
  if (is) {
    found.add(document);
  }
  return is;
}

/** Returns true if changes wrote a sign into a document: only the lines that they touch are read. */
export function becomesOurs(document: TextDocument, changes: readonly TextDocumentContentChangeEvent[]): boolean {
  if (document.languageId !== 'python' || !SCHEMES.includes(document.uri.scheme)) {
    return false;
  }
  const touched = changes.some(({ range, text }) => {
    const last = range.start.line + text.split('\n').length - 1;
    for (let line = range.start.line; line <= Math.min(last, document.lineCount - 1); line++) {
      if (mentionsScript(document.lineAt(line).text)) {
        return true;
      }
    }
    return false;
  });
  if (touched) {
    found.add(document);
  }
  return touched;
}
