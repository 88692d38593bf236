// A running server with all that is shown of it. One a window; it is loaded when the first document needs it.
import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import { CloseAction, LanguageClient, type LanguageClientOptions, State } from 'vscode-languageclient/node';
import { bugReport } from './bugReport';
import { Cli } from './cli';
import { Crashes, MAX_RESTARTS } from './crashes';
import { LANGUAGES, SCHEMES } from './detect';
import { DeviceCode } from './deviceCode';
import { findServer, MissingServer, onEnvironmentChange } from './discovery';
import { explain, facts, showTree, simplify } from './explain';
import { Commands } from './features';
import { Gate } from './gate';
import { chooseInstance } from './instances';
import { viewPasses } from './passes';
import { openSample } from './sample';
import { SECTION, setting, written } from './settings';
import { type Status, StatusItem } from './status';
import { buildTask, buildTasks } from './tasks';
import { Texts } from './texts';
import { TileLang } from './tileLang';

export type { Status } from './status';

/** Extensions that colour the names of Python: VS Code takes these colours from one extension. */
const PYTHON_SERVERS = ['ms-python.vscode-pylance', 'detachhead.basedpyright', 'astral-sh.ty', 'meta.pyrefly'];

/** A client that restarts is down for a moment; one that is down for so long is not restarting. */
const REVIVE_MS = 500;

export class Session implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('tir-analyzer', { log: true });
  readonly texts = new Texts();
  readonly status: Status = { state: 'stopped', starts: 0 };
  private readonly item = new StatusItem(this.status);
  private readonly gate = new Gate();
  private readonly crashes = new Crashes(restarts => this.crashed(restarts));
  private readonly deviceCode = new DeviceCode(this);
  private readonly tileLang = new TileLang(this);
  private readonly subscriptions: vscode.Disposable[] = [];
  private running: LanguageClient | undefined;
  /** Starts and stops come one after another. */
  private turn: Promise<void> = Promise.resolve();

  constructor(readonly context: vscode.ExtensionContext) {
    this.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`${SECTION}.server`)) {
          void this.restart();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restartIfOther()),
    );
    void onEnvironmentChange(() => void this.restartIfOther()).then(it => it && this.subscriptions.push(it));
  }

  /** The client, or an error with a way out for the user. */
  get client(): LanguageClient {
    if (this.running === undefined || this.status.state !== 'running') {
      throw new Error(`the server is ${this.status.state === 'missing' ? 'not found' : this.status.state}`);
    }
    return this.running;
  }

  /** The command line of the same program. */
  get cli(): Cli {
    if (this.status.server === undefined) {
      throw new Error('the server is not found');
    }
    return new Cli(this.status.server.path);
  }

  start(): Promise<void> {
    return this.inTurn(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.stopNow());
  }

  async restart(): Promise<void> {
    this.crashes.reset();
    await this.inTurn(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  /** Runs a command of the palette or of a lens; what goes wrong is told. */
  async run(name: string, args: unknown[]): Promise<unknown> {
    try {
      return await this.command(name, args);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.log.error(`${name}: ${message}`);
      void vscode.window.showWarningMessage(`tir-analyzer: ${message}`);
      return undefined;
    }
  }

  tasks(): vscode.Task[] {
    return this.status.server ? buildTasks(this.status.server.path) : [];
  }

  task(task: vscode.Task): vscode.Task | undefined {
    return this.status.server && buildTask(this.status.server.path, task);
  }

  dispose(): void {
    this.crashes.isWanted = true;
    void this.running?.dispose();
    vscode.Disposable.from(...this.subscriptions, this.deviceCode, this.tileLang, this.texts, this.item, this.log).dispose();
  }

  private command(name: string, args: unknown[]): unknown {
    switch (name) {
      case 'viewDeviceCode':
        return this.deviceCode.show(undefined, args);
      case 'viewDeviceCodeFor':
        return this.deviceCode.showChosen(args[0] as string | undefined);
      case 'viewPasses':
        return viewPasses(this, args[0] as string[] | undefined);
      case 'viewTileLang':
        return this.tileLang.show();
      case 'chooseInstance':
        return chooseInstance(this, args);
      case 'explain':
        return explain(this);
      case 'facts':
        return facts(this);
      case 'simplify':
        return simplify(this, args[0] as string | undefined, args[1] as string[] | undefined);
      case 'showTree':
        return showTree(this);
      case 'fixAll':
        return this.fixAll();
      case 'openConfig':
        return this.openConfig();
      case 'openSample':
        return openSample();
      case 'restart':
        return this.restart();
      case 'showLog':
        return this.log.show();
      case 'selectServer':
        return this.selectServer();
      case 'bugReport':
        return bugReport(this);
      default:
        throw new Error(`there is no command ${name}`);
    }
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work, work);
    return this.turn;
  }

  private async startNow(): Promise<void> {
    this.item.set({ state: 'starting', problem: undefined });
    try {
      const server = await findServer(this.context);
      this.log.info(`server ${server.version}: ${server.path} (${server.source})`);
      this.item.set({ server });
      await this.connect(server.path);
    } catch (error) {
      this.failed(error);
    }
  }

  private async connect(program: string): Promise<void> {
    this.gate.reset();
    const client = new LanguageClient(SECTION, 'tir-analyzer', () => this.spawn(program), this.options());
    client.registerFeature(new Commands());
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.item.set({ state: 'running' });
      } else if (newState !== State.Starting) {
        setTimeout(() => this.revive(client), REVIVE_MS);
      }
    });
    this.running = client;
    this.crashes.isWanted = false;
    await client.start();
    this.item.set({ state: 'running' });
  }

  /** Starts again after a server that ended while it was started again: the client gives that one up. */
  private revive(client: LanguageClient): void {
    const isDown = this.running === client && ![State.Running, State.Starting].includes(client.state);
    const isKnown = this.crashes.isWanted || this.status.state === 'failed' || this.status.state === 'missing';
    if (isDown && !isKnown && this.crashes.closed().action === CloseAction.Restart) {
      void this.inTurn(async () => {
        await this.stopNow();
        await this.startNow();
      });
    }
  }

  private async spawn(program: string) {
    this.gate.reset();
    const env = { ...process.env, ...setting<Record<string, string>>('server.extra-env') };
    const child = spawn(program, ['server'], { env, stdio: 'pipe' });
    child.on('exit', (code, signal) => this.log.info(`the server ended: ${signal ?? `exit code ${code}`}`));
    this.item.set({ pid: child.pid, starts: this.status.starts + 1, state: 'starting' });
    return child;
  }

  private options(): LanguageClientOptions {
    const manifest = this.context.extension.packageJSON;
    return {
      documentSelector: SCHEMES.flatMap(scheme => LANGUAGES.map(language => ({ scheme, language }))),
      initializationOptions: written(manifest),
      outputChannel: this.log,
      errorHandler: this.crashes,
      initializationFailedHandler: () => false,
      middleware: {
        sendNotification: this.gate.sendNotification,
        sendRequest: this.gate.sendRequest,
        workspace: {
          configuration: params => params.items.map(it => (it.section === SECTION ? written(manifest) : null)),
        },
        handleWorkDoneProgress: (token, value, next) => {
          const { kind, message } = value;
          this.item.progress(String(token), kind === 'end' ? undefined : (message ?? ''));
          next(token, value);
        },
        provideCompletionItem: async (document, position, context, token, next) => {
          const found = await next(document, position, context, token);
          return knowsNames(document) ? withoutNames(found) : found;
        },
        provideDocumentSemanticTokens: (document, token, next) =>
          coloursNames(document) ? next(document, token) : undefined,
        provideDocumentSemanticTokensEdits: (document, previous, token, next) =>
          coloursNames(document) ? next(document, previous, token) : undefined,
        provideDocumentRangeSemanticTokens: (document, range, token, next) =>
          coloursNames(document) ? next(document, range, token) : undefined,
      },
    };
  }

  private async stopNow(): Promise<void> {
    const client = this.running;
    this.running = undefined;
    this.crashes.isWanted = true;
    this.item.set({ state: 'stopped', pid: undefined });
    // One that crashed or never came up cannot be stopped, and need not.
    await client?.dispose().catch(error => this.log.debug(`stopping: ${error}`));
  }

  /** Starts again if another server is found than the one that runs. */
  private async restartIfOther(): Promise<void> {
    const found = await findServer(this.context).catch(() => undefined);
    if (found && (this.status.state !== 'running' || found.path !== this.status.server?.path)) {
      await this.restart();
    }
  }

  private crashed(restarts: boolean): void {
    if (restarts) {
      this.log.warn('the server crashed and is started again');
      this.item.set({ state: 'starting', pid: undefined });
      return;
    }
    const problem = `The server crashed ${MAX_RESTARTS + 1} times within three minutes and is not started again.`;
    this.item.set({ state: 'failed', pid: undefined, problem });
    this.log.error(problem);
    void this.offer(problem, ['Restart', 'Show Log', 'Collect a Bug Report']);
  }

  private failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    if (error instanceof MissingServer) {
      this.item.set({ state: 'missing', server: undefined, problem: message });
      const problem = 'The program tir-analyzer was not found: install it, or select it.';
      void this.offer(problem, ['Select Server…', 'How to Install', 'Show Log']);
    } else {
      this.item.set({ state: 'failed', problem: message });
      void this.offer(`The server did not start: ${message}`, ['Restart', 'Select Server…', 'Show Log']);
    }
  }

  private async offer(problem: string, ways: string[]): Promise<void> {
    const way = await vscode.window.showErrorMessage(`tir-analyzer: ${problem}`, ...ways);
    const commands: Record<string, string> = {
      Restart: 'restart', 'Show Log': 'showLog', 'Collect a Bug Report': 'bugReport', 'Select Server…': 'selectServer',
    };
    if (way === 'How to Install') {
      await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(this.context.extensionUri, 'README.md'));
    } else if (way !== undefined) {
      await this.run(commands[way], []);
    }
  }

  private async selectServer(): Promise<void> {
    const chosen = await vscode.window.showOpenDialog({ title: 'The program tir-analyzer', openLabel: 'Select' });
    if (chosen?.[0]) {
      const configuration = vscode.workspace.getConfiguration(SECTION);
      await configuration.update('server.path', chosen[0].fsPath, vscode.ConfigurationTarget.Global);
    }
  }

  /** Applies `source.fixAll` of this server alone: the editor's own command asks all extensions. */
  private async fixAll(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return;
    }
    const { client } = this;
    const whole = new vscode.Range(0, 0, editor.document.lineCount, 0);
    const actions = await client.sendRequest<{ edit?: unknown }[] | null>('textDocument/codeAction', {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
      range: client.code2ProtocolConverter.asRange(whole),
      context: { diagnostics: [], only: ['source.fixAll'] },
    });
    const first = actions?.[0];
    if (!first) {
      void vscode.window.showInformationMessage('tir-analyzer: there is nothing to fix here.');
      return;
    }
    const resolved = first.edit ? first : await client.sendRequest<{ edit?: unknown }>('codeAction/resolve', first);
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(resolved.edit as never);
    if (edit) {
      await vscode.workspace.applyEdit(edit);
    }
  }

  private async openConfig(): Promise<void> {
    const [found] = await vscode.workspace.findFiles('{tir-analyzer.toml,*/tir-analyzer.toml}', null, 1);
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (!found && !folder) {
      throw new Error('open a folder first: tir-analyzer.toml lies in its root');
    }
    const uri = found ?? vscode.Uri.joinPath(folder!.uri, 'tir-analyzer.toml').with({ scheme: 'untitled' });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  }
}

/** Returns true if another server knows the names of a document: it is Python, and there is a server for that. */
function knowsNames(document: vscode.TextDocument): boolean {
  return document.languageId === 'python' && PYTHON_SERVERS.some(it => vscode.extensions.getExtension(it));
}

/** The completions without the names in scope, which another server offers as well. */
function withoutNames<T extends vscode.CompletionItem[] | vscode.CompletionList | null | undefined>(found: T): T {
  const keep = (it: vscode.CompletionItem) => it.kind !== vscode.CompletionItemKind.Variable;
  if (Array.isArray(found)) {
    return found.filter(keep) as T;
  }
  return found ? ({ ...found, items: found.items.filter(keep) } as T) : found;
}

/** Returns true if the names of a document are coloured by this server. */
function coloursNames(document: vscode.TextDocument): boolean {
  if (document.languageId !== 'python') {
    return true;
  }
  const wish = setting<'auto' | 'on' | 'off'>('python.semantic-tokens', document.uri);
  return wish === 'on' || (wish === 'auto' && !knowsNames(document));
}
