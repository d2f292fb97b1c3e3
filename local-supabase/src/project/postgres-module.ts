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

/** V8's own limit of executed bytes after which it optimizes a function of WebAssembly, by version: in Node 20, and later. */
const V8_BUDGET_BYTES = Number.parseInt(process.versions.v8, 10) < 12 ? 1_800_000 : 13_000_000;
const MOST_BUDGET_BYTES = 2_000_000_000;

/**
 * V8 optimizes functions of WebAssembly that run often. For PostgreSQL this takes more time than a whole start, and
 * memory, and repays it only after thousands of requests. Modules of others keep V8's behavior: a module keeps what is set
 * when it is compiled, in Node 24 the limit only, and `--no-wasm-tier-up` by itself has no effect.
 */
async function compile(): Promise<WebAssembly.Module> {
  const module = makeInterruptible(await readFile(join(pgliteFolder(), 'pglite.wasm')));
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString(`--wasm-tiering-budget=${MOST_BUDGET_BYTES}`);
  try {
    return await WebAssembly.compile(module);
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
    setFlagsFromString(`--wasm-tiering-budget=${V8_BUDGET_BYTES}`);
  }
}

const pgliteFolder = (): string => dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
