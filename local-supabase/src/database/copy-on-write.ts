import type { PGlite } from '@electric-sql/pglite';

/** A file of Emscripten's in-memory file system. */
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

/** Marks a buffer as shared: the first write to a file with this buffer copies it. */
export type Freeze = (bytes: Uint8Array) => void;

const known = new WeakMap<Emscripten, Freeze>();

/**
 * Makes the in-memory files of a PGlite copy-on-write, so that they can share buffers with other instances or with an
 * image.
 */
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
    // Other changes, such as growing and truncating, replace the array by themselves.
    if (node.contents && frozen.has(node.contents.buffer))
      // Not `slice`, because a Buffer's `slice` shares memory.
      node.contents = new Uint8Array(node.contents.subarray(0, node.usedBytes));
    return write(opened, ...rest);
  };
  return ({ buffer }) => void frozen.add(buffer);
}
