// The service worker: keeps the files of the page, so that it works without a network. A page built anew has other
// contents, hence another version (`version.txt`), and with it another cache; all files change together.
const scope = self as unknown as ServiceWorkerGlobalScope;
const FILES = ['./', 'index.html', 'style.css', 'early.js', 'main.js', 'worker.js', 'icon.svg', 'analyzer.wasm.gz'];
const PREFIX = 'tir-analyzer-';

scope.addEventListener('install', event => {
  const fill = async () => {
    const version = await (await fetch('version.txt', { cache: 'no-store' })).text();
    const cache = await caches.open(PREFIX + version.trim());
    await cache.addAll(FILES.map(it => new Request(it, { cache: 'no-cache' })));
    await scope.skipWaiting();
  };
  event.waitUntil(fill());
});

scope.addEventListener('activate', event => {
  const take = async () => {
    const names = (await caches.keys()).filter(it => it.startsWith(PREFIX));
    await Promise.all(names.slice(0, -1).map(it => caches.delete(it)));
    await scope.clients.claim();
  };
  event.waitUntil(take());
});

scope.addEventListener('fetch', event => {
  const answer = async () => {
    const name = (await caches.keys()).filter(it => it.startsWith(PREFIX)).at(-1);
    const kept = name === undefined ? undefined : await (await caches.open(name)).match(event.request, { ignoreSearch: true });
    return kept ?? fetch(event.request);
  };
  event.respondWith(answer());
});
