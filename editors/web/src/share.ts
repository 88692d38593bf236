// Sharing by the fragment of the address, which browsers do not send: a text with its settings, packed.

export interface Shared {
  text: string;
  name?: string;
  language?: string;
  preset?: string;
  tab?: string;
  target?: string;
}

/** A fragment that unpacks to more is refused. */
const MOST_BYTES = 8 * 1024 * 1024;

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let it = await reader.read(); !it.done; it = await reader.read()) {
    length += it.value.length;
    if (length > MOST_BYTES) {
      throw new Error('the link holds more than 8 MB');
    }
    parts.push(it.value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The fragment for a text, with its `#`. */
export async function pack(shared: Shared): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return `#k=${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** What a fragment holds; null if it is none of ours. */
export async function unpack(fragment: string): Promise<Shared | null> {
  const packed = /^#k=([\w-]+)$/.exec(fragment)?.[1];
  if (packed === undefined) {
    return null;
  }
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, it => it.charCodeAt(0));
  const unpacked = await through(bytes, new DecompressionStream('deflate-raw'));
  const shared: unknown = JSON.parse(new TextDecoder().decode(unpacked));
  if (typeof shared !== 'object' || shared === null || typeof (shared as Shared).text !== 'string') {
    throw new Error('the link holds no text');
  }
  return shared as Shared;
}
