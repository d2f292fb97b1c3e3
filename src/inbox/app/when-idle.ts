/** What no first screen needs, in one chunk that is loaded after it. */
export { createConnectionWatch } from './connection/connection-watch.ts';
export { followServiceWorker } from './service-worker.ts';
