// The server may end by itself: it is started again, but not for ever.
import { CloseAction, type CloseHandlerResult, ErrorAction, type ErrorHandler, type ErrorHandlerResult, type Message } from 'vscode-languageclient/node';

/** So many restarts within the period; one more and it stays down. */
export const MAX_RESTARTS = 4;
const PERIOD_MS = 3 * 60_000;

export class Crashes implements ErrorHandler {
  private times: number[] = [];
  /** True while the user or this extension stops the server. */
  isWanted = false;

  constructor(private readonly onCrash: (restarts: boolean) => void) {}

  /** Forgets the crashes: somebody asked for a new start. */
  reset(): void {
    this.times = [];
  }

  error(_error: Error, _message: Message | undefined, count: number | undefined): ErrorHandlerResult {
    return { action: count !== undefined && count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true };
  }

  closed(): CloseHandlerResult {
    if (this.isWanted) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    const now = Date.now();
    this.times = [...this.times.filter(it => now - it < PERIOD_MS), now];
    const restarts = this.times.length <= MAX_RESTARTS;
    this.onCrash(restarts);
    return { action: restarts ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
  }
}
