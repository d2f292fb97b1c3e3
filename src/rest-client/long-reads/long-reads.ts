/** Reads that take several requests. */
export { inChunks } from './chunks.ts';
export type { ChunksOptions } from './chunks.ts';
export { pages } from './pages.ts';
export type { PageKey, PagesOptions } from './pages.ts';
