// The page's side of the worker: questions wait here, so that one that is out of date is never asked.
import type { Answers, Ask, Reply, Request } from './protocol';

/** The question was put aside: a newer one of its kind, or another text, took its place. */
export class Superseded extends Error {}

declare global {
  interface Window {
    /** The worker that `early.ts` has started; it is there to be taken. */
    earlyWorker?: Worker | undefined;
  }
}

interface Waiting {
  request: Request;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** A question that takes longer than this ends its worker. */
const PATIENCE_MS = 30_000;

export class Client {
  private worker = this.start();
  private waiting: Waiting[] = [];
  private current: (Waiting & { id: number; timer: number }) | null = null;
  private opened: Request<'open'> | null = null;
  private nextId = 1;
  /** Kinds of questions that ended a worker: they are not asked again of this text. */
  private readonly refused = new Map<string, string>();
  /** Told when a worker had to be replaced. */
  onRestart: (note: string) => void = () => {};

  /** Opens a text: all questions about the one before are put aside. */
  open(request: Omit<Request<'open'>, 'ask'>): Promise<Answers['open']> {
    this.waiting.forEach(it => it.reject(new Superseded()));
    this.waiting = [];
    this.refused.clear();
    this.opened = { ask: 'open', ...request };
    return this.ask('open', request);
  }

  /** Asks; of two questions of one kind only the newer is answered. */
  ask<A extends Ask>(ask: A, rest: Record<string, unknown> = {}): Promise<Answers[A]> {
    const why = this.refused.get(ask);
    if (why !== undefined) {
      return Promise.reject(new Error(why));
    }
    return new Promise((resolve, reject) => {
      const older = this.waiting.findIndex(it => it.request.ask === ask);
      if (older >= 0) {
        this.waiting.splice(older, 1)[0]?.reject(new Superseded());
      }
      this.waiting.push({ request: { ask, ...rest }, resolve: it => resolve(it as Answers[A]), reject });
      this.next();
    });
  }

  private next(): void {
    const next = this.current === null ? this.waiting.shift() : undefined;
    if (next === undefined) {
      return;
    }
    const id = this.nextId++;
    const timer = window.setTimeout(() => this.restart('it took more than 30 seconds'), PATIENCE_MS);
    this.current = { ...next, id, timer };
    this.worker.postMessage({ id, request: next.request });
  }

  private start(): Worker {
    const worker = window.earlyWorker ?? new Worker('worker.js', { name: 'tir-analyzer' });
    window.earlyWorker = undefined;
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.replied(data);
    worker.onerror = event => this.restart(event.message || 'the worker ended');
    return worker;
  }

  private replied(reply: Reply): void {
    const current = this.current;
    if (current === null || current.id !== reply.id) {
      return;
    }
    if ('trap' in reply) {
      this.restart(reply.trap);
      return;
    }
    clearTimeout(current.timer);
    this.current = null;
    if ('error' in reply) {
      current.reject(new Error(reply.error));
    } else {
      current.resolve(reply.answer);
    }
    this.next();
  }

  /** Starts another worker, which reads the text again, and goes on without the question that ended this one. */
  private restart(why: string): void {
    this.worker.terminate();
    this.worker = this.start();
    const current = this.current;
    this.current = null;
    const isOpen = current?.request.ask === 'open';
    if (current) {
      clearTimeout(current.timer);
      this.refused.set(current.request.ask, why);
    }
    if (isOpen) {
      this.waiting.forEach(it => it.reject(new Error(why)));
      this.waiting = [];
      this.opened = null;
    } else if (this.opened) {
      const ignore = () => {};
      this.waiting.unshift({ request: this.opened, resolve: ignore, reject: ignore });
    }
    const what = current ? `“${current.request.ask}” has no answer for this text` : 'the analyzer ended';
    this.onRestart(`${what}: ${why}. The analyzer was started again.`);
    current?.reject(new Error(why));
    this.next();
  }
}
