// Starts the worker, before the page's own code is there: the analyzer is fetched and compiled beside it.
window.earlyWorker = new Worker('worker.js', { name: 'tir-analyzer' });
