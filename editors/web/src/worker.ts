// The worker: the analyzer as WebAssembly, and one request after the other. A trap leaves the memory of the module in an
// unknown state, so the worker says so and the page starts another one.
import type { Reply } from './protocol';

interface Analyzer extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  web_buffer(length: number): number;
  web_call(): number;
  web_len(): number;
  web_last_words(): number;
}

const scope = self as unknown as DedicatedWorkerGlobalScope;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Fetches the module, which is packed so that every server of files sends the small one; some servers unpack it. It is
 * compiled while it comes. */
async function load(): Promise<Analyzer> {
  const response = await fetch(new URL('analyzer.wasm.gz', scope.location.href));
  if (!response.ok) {
    throw new Error(`the analyzer cannot be loaded (${response.status})`);
  }
  const { first, all } = await peeked(response.body!);
  const module = first === 0x1f ? all.pipeThrough(new DecompressionStream('gzip')) : all;
  const wasm = new Response(module, { headers: { 'content-type': 'application/wasm' } });
  const { instance } = await WebAssembly.instantiateStreaming(wasm, {});
  return instance.exports as Analyzer;
}

/** The first byte of a stream, and the stream with it. */
async function peeked(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader();
  const { value: head } = await reader.read();
  const all = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: it => head && it.enqueue(head),
    async pull(it) {
      const { done, value } = await reader.read();
      if (done) {
        it.close();
      } else {
        it.enqueue(value);
      }
    },
  });
  return { first: head?.[0], all };
}

function text(analyzer: Analyzer, at: number): string {
  return decoder.decode(new Uint8Array(analyzer.memory.buffer, at >>> 0, analyzer.web_len() >>> 0));
}

function call(analyzer: Analyzer, request: unknown): string {
  const bytes = encoder.encode(JSON.stringify(request));
  const at = analyzer.web_buffer(bytes.length) >>> 0;
  new Uint8Array(analyzer.memory.buffer, at, bytes.length).set(bytes);
  return text(analyzer, analyzer.web_call());
}

function lastWords(analyzer: Analyzer, error: unknown): string {
  const depth = error instanceof RangeError ? 'it is nested too deeply for this browser' : String(error);
  try {
    return text(analyzer, analyzer.web_last_words()) || depth;
  } catch {
    return depth;
  }
}

const loading = load();
const reply = (it: Reply) => scope.postMessage(it);

scope.onmessage = async ({ data: { id, request } }: MessageEvent<{ id: number; request: unknown }>) => {
  let analyzer: Analyzer;
  try {
    analyzer = await loading;
  } catch (error) {
    reply({ id, error: error instanceof Error ? error.message : String(error) });
    return;
  }
  try {
    reply({ id, ...JSON.parse(call(analyzer, request)) });
  } catch (error) {
    reply({ id, trap: lastWords(analyzer, error) });
  }
};
