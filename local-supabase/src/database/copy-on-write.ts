import type { PGlite } from '@electric-sql/pglite';

/** A file of Emscripten's file system in memory. */
interface FileNode {
  contents: Uint8Array | null;
  usedBytes: number;
}
interface FileStream {
  readonly node: FileNode;
}
interface FileOperations {
  write: (stream: FileStream, ...rest: unknown[]) => unknown;
}
interface Emscripten {
  readonly MEMFS: { readonly ops_table: { readonly file: { readonly stream: FileOperations } } };
}

/** Marks bytes that files share: the first write to such a file copies them. */
export type Freeze = (bytes: Uint8Array) => void;

const known = new WeakMap<Emscripten, Freeze>();

/** Makes the files in memory of a PGlite able to share their bytes, with those of others or with their own earlier state. */
export function copyOnWriteOf(pglite: PGlite): Freeze {
  const postgres = pglite.Module as unknown as Emscripten;
  const freeze = known.get(postgres) ?? startCopying(postgres);
  known.set(postgres, freeze);
  return freeze;
}

function startCopying({ MEMFS }: Emscripten): Freeze {
  const frozen = new WeakSet<ArrayBufferLike>();
  const { stream } = MEMFS.ops_table.file;
  const { write } = stream;
  stream.write = (opened, ...rest) => {
    const { node } = opened;
    // All else that changes a file gives it another array: its growth, and a new size.
    if (node.contents && frozen.has(node.contents.buffer))
      // Not `slice`, by which a Buffer shares its memory.
      node.contents = new Uint8Array(node.contents.subarray(0, node.usedBytes));
    return write(opened, ...rest);
  };
  return ({ buffer }) => void frozen.add(buffer);
}
