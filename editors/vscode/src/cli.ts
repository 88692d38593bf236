// The command line of the server's program, for answers that the protocol has no request for.
import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';

const LIMIT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

export class Cli {
  constructor(private readonly program: string) {}

  /** The output of a command; its message as an error if it could not be done. */
  run(args: string[], about?: vscode.TextDocument): Promise<string> {
    const cwd = about?.uri.scheme === 'file' ? path.dirname(about.uri.fsPath) : undefined;
    return new Promise((resolve, reject) => {
      const options = { cwd, timeout: LIMIT_MS, maxBuffer: MAX_BYTES };
      const child = execFile(this.program, [...args, '--color', 'never'], options, (error, stdout, stderr) => {
        if (error && stdout === '') {
          reject(new Error(stderr.trim().replace(/^error: /, '') || error.message));
        } else {
          resolve(stdout);
        }
      });
      child.stdin?.on('error', () => {}).end(about?.getText());
    });
  }

  /** Runs a command about a document: the file where it is saved, its text as standard input where it is not. */
  about(document: vscode.TextDocument, command: string[], place: string): Promise<string> {
    if (document.uri.scheme === 'file' && !document.isDirty) {
      return this.run([...command, place ? `${document.uri.fsPath}:${place}` : document.uri.fsPath]);
    }
    return this.run([...command, '--stdin', ...(place ? [place] : [])], document);
  }
}
