import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeInterruptible } from '../database/interruptible-wasm.ts';

let compiled: Promise<WebAssembly.Module> | undefined;

/** PGlite's PostgreSQL in WebAssembly with interruptible statements, compiled once per process. */
export function loadPostgresModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

let files: Promise<Blob> | undefined;

/** PGlite's files of PostgreSQL; the instances of a process share their memory. */
export function loadPostgresFiles(): Promise<Blob> {
  files ??= readFile(join(pgliteFolder(), 'pglite.data')).then((bytes) => new SharedBlob(bytes));
  return files;
}

/** A blob that does not copy its memory for readers. */
class SharedBlob extends Blob {
  readonly #bytes: ArrayBuffer;
  constructor({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>) {
    super([]);
    this.#bytes =
      byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  }
  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(this.#bytes);
  }
}

/**
 * The number of executed bytes after which V8 by default optimizes a WebAssembly function: in Node 20, and in later
 * versions.
 */
const V8_BUDGET_BYTES = Number.parseInt(process.versions.v8, 10) < 12 ? 1_800_000 : 13_000_000;
const MAX_BUDGET_BYTES = 2_000_000_000;

/**
 * Disables V8's optimization of PostgreSQL's functions: it takes more time than a whole start, and memory, and pays off
 * only after thousands of requests. Other modules are not affected, because a module keeps the flags of its
 * compilation. Node 24 evaluates only the limit; there `--no-wasm-tier-up` alone has no effect.
 */
async function compile(): Promise<WebAssembly.Module> {
  const module = makeInterruptible(await readFile(join(pgliteFolder(), 'pglite.wasm')));
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString(`--wasm-tiering-budget=${MAX_BUDGET_BYTES}`);
  try {
    return await WebAssembly.compile(module);
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
    setFlagsFromString(`--wasm-tiering-budget=${V8_BUDGET_BYTES}`);
  }
}

const pgliteFolder = (): string => dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
