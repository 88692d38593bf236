// The item in the status bar: the server's state, what it works on, and its memory.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { LANGUAGES } from './detect';
import type { Server } from './discovery';

/** The state of the server. */
export interface Status {
  state: 'starting' | 'running' | 'stopped' | 'failed' | 'missing';
  server?: Server;
  pid?: number;
  /** Starts of the server in this window, restarts too. */
  starts: number;
  /** What is being read, as `kernels.py 32/80 functions`. */
  work?: string;
  /** Resident memory in bytes, where the system tells. */
  memory?: number;
  /** What went wrong. */
  problem?: string;
}

const MEMORY_MS = 10_000;
const ICONS = { starting: '$(sync~spin)', running: '$(circuit-board)', stopped: '$(circle-slash)', failed: '$(error)', missing: '$(error)' };

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('tir-analyzer', vscode.StatusBarAlignment.Left, 1);
  private readonly timer = setInterval(() => void this.measure(), MEMORY_MS);
  private readonly listener = vscode.window.onDidChangeActiveTextEditor(() => this.show());
  private readonly works = new Map<string, string>();

  constructor(readonly status: Status) {
    this.item.name = 'tir-analyzer';
    this.show();
  }

  /** Changes the state and shows it. */
  set(change: Partial<Status>): void {
    Object.assign(this.status, change);
    if (change.state && change.state !== 'running') {
      this.works.clear();
      this.status.work = undefined;
      this.status.memory = undefined;
    }
    this.show();
    void this.measure();
  }

  /** Shows how far a piece of work is; none ends it. */
  progress(token: string, work: string | undefined): void {
    if (work === undefined) {
      this.works.delete(token);
    } else {
      this.works.set(token, work);
    }
    this.status.work = [...this.works.values()].at(-1);
    this.show();
  }

  private async measure(): Promise<void> {
    const { pid, state } = this.status;
    const memory = pid !== undefined && state === 'running' ? await residentMemory(pid) : undefined;
    if (memory !== this.status.memory) {
      this.status.memory = memory;
      this.show();
    }
  }

  private show(): void {
    const { state, work, server } = this.status;
    const bad = state === 'failed' || state === 'missing';
    this.item.text = work ? '$(sync~spin) tir-analyzer' : `${ICONS[state]} tir-analyzer`;
    this.item.backgroundColor = bad ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.item.command = bad || server === undefined ? 'tir-analyzer.selectServer' : 'tir-analyzer.showLog';
    this.item.tooltip = this.tooltip();
    const editor = vscode.window.activeTextEditor;
    // A window that shows no language of ours is left alone.
    if (bad || (editor && LANGUAGES.includes(editor.document.languageId))) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  private tooltip(): vscode.MarkdownString {
    const { state, server, work, memory, problem, starts } = this.status;
    const text = new vscode.MarkdownString('', true);
    text.isTrusted = true;
    text.appendMarkdown(`**tir-analyzer** ${server?.version ?? ''} is ${state === 'missing' ? 'not found' : state}\n\n`);
    if (problem) {
      text.appendText(problem).appendMarkdown('\n\n');
    }
    if (work) {
      text.appendText(`reading ${work}`).appendMarkdown('\n\n');
    }
    if (server) {
      text.appendText(`${server.path} (${server.source})`).appendMarkdown('\n\n');
    }
    if (memory !== undefined) {
      text.appendText(`${Math.round(memory / 1e6)} MB of memory`).appendMarkdown('\n\n');
    }
    if (starts > 1) {
      text.appendText(`started ${starts} times`).appendMarkdown('\n\n');
    }
    const links = [['Restart', 'restart'], ['Log', 'showLog'], ['Select Server', 'selectServer'], ['Bug Report', 'bugReport']];
    return text.appendMarkdown(links.map(([name, id]) => `[${name}](command:tir-analyzer.${id})`).join(' · '));
  }

  dispose(): void {
    clearInterval(this.timer);
    this.listener.dispose();
    this.item.dispose();
  }
}

/** The resident memory of a process in bytes, where the system tells it cheaply. */
async function residentMemory(pid: number): Promise<number | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kib = /^VmRSS:\s*(\d+) kB/m.exec(text)?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  }
  if (process.platform === 'darwin') {
    return new Promise(resolve => {
      execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) => resolve(error ? undefined : Number(stdout) * 1024));
    });
  }
  return undefined;
}
