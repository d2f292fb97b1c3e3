import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeInterruptible } from '../database/interruptible-wasm.ts';

let compiled: Promise<WebAssembly.Module> | undefined;

/** PostgreSQL in WebAssembly, as PGlite ships it and with statements that can be stopped; compiled once per process. */
export function loadPostgresModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

let files: Promise<Blob> | undefined;

/** PostgreSQL's own files, as PGlite ships them; the instances of a process share their memory. */
export function loadPostgresFiles(): Promise<Blob> {
  files ??= readFile(join(pgliteFolder(), 'pglite.data')).then((bytes) => new SharedBlob(bytes));
  return files;
}

/** A blob whose memory is not copied for its readers. */
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
 * V8 optimizes functions of WebAssembly that run often. For PostgreSQL this takes more time than a whole start, and
 * memory, and repays it only after thousands of requests. Modules of others keep V8's behavior: it is decided when a
 * module is compiled, and the flag that stays has no effect on theirs.
 */
async function compile(): Promise<WebAssembly.Module> {
  const module = makeInterruptible(await readFile(join(pgliteFolder(), 'pglite.wasm')));
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return await WebAssembly.compile(module);
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}

const pgliteFolder = (): string => dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
