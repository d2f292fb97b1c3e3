import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeInterruptible } from '../database/interruptible-wasm.ts';

let compiled: Promise<WebAssembly.Module> | undefined;

/** PostgreSQL in WebAssembly, as PGlite ships it and with statements that can be stopped; compiled once per process. */
export function loadPostgresModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<WebAssembly.Module> {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  return WebAssembly.compile(makeInterruptible(await readFile(join(folder, 'pglite.wasm'))));
}
