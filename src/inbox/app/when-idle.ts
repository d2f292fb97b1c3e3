/** Code that no first screen needs, in one chunk that loads when the page is idle. */
export { createConnectionWatch } from './connection/connection-watch.ts';
export { registerServiceWorker } from './service-worker.ts';
