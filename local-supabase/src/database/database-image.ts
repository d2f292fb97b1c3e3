import type { PGlite } from '@electric-sql/pglite';
import { copyOnWriteOf } from './copy-on-write.ts';
import { interruptsOf } from './statement-interrupts.ts';

/** The parts of Emscripten's in-memory file system that contain a PGlite's files. */
interface FileNode {
  name: string;
  parent: FileNode;
  name_next: FileNode | undefined;
  mode: number;
  contents: Uint8Array | Record<string, FileNode> | null;
  usedBytes: number;
}
interface FileStream {
  readonly node: FileNode;
  fd: number | null;
  position: number;
  flags: number;
}
interface FileOperations {
  readonly node: { getattr: (node: FileNode, ...rest: unknown[]) => unknown };
}
interface Emscripten {
  readonly HEAPU8: Uint8Array;
  readonly FS: {
    nameTable: (FileNode | undefined)[];
    streams: (FileStream | null | undefined)[];
    isDir: (mode: number) => boolean;
    isFile: (mode: number) => boolean;
    readdir: (path: string) => string[];
  };
  readonly MEMFS: { readonly ops_table: { readonly file: FileOperations } };
}

const PAGE_BYTES = 65_536;
const zeroPage = Buffer.alloc(PAGE_BYTES);
const LIBRARY_FOLDER = '/pglite/lib/postgresql';
/** Libraries that clients' statements load never or rarely: encoding conversions. */
const rarelyLoaded = /^(?:pgxs|\.+|libpqwalreceiver\.so|pgoutput\.so|.+_(?:and|sjis)\w+\.so)$/;

/**
 * Saves the memory and the files of an idle in-memory PGlite. Only what PostgreSQL has written is copied: nonzero
 * memory pages, and each file at its first change.
 *
 * @returns a function that restores this state, any number of times, between statements and outside of a transaction.
 * It returns false and changes nothing if a library was loaded since: its code would stay, but not its data.
 */
export async function saveImage(pglite: PGlite): Promise<() => boolean> {
  const postgres = pglite.Module as unknown as Emscripten;
  const loaded = await loadLibraries(pglite, postgres);
  const files = saveFiles(pglite, postgres);
  const restoreMemory = saveMemory(postgres);
  return () => {
    for (const library of files.touchedLibraries) if (!loaded.has(library)) return false;
    restoreMemory();
    files.restore();
    interruptsOf(pglite)?.renew();
    return true;
  };
}

async function loadLibraries(pglite: PGlite, { FS }: Emscripten): Promise<ReadonlySet<string>> {
  const loaded = new Set<string>();
  for (const library of FS.readdir(LIBRARY_FOLDER)) {
    if (rarelyLoaded.test(library)) continue;
    const isLoaded = await pglite.exec(`load '$libdir/${library}'`).then(
      () => true,
      () => false,
    );
    if (isLoaded) loaded.add(library);
  }
  return loaded;
}

function saveMemory(postgres: Emscripten): () => void {
  const pages = new Map<number, Buffer>();
  const memory = () => Buffer.from(postgres.HEAPU8.buffer);
  const saved = memory();
  for (let start = 0; start < saved.length; start += PAGE_BYTES) {
    const page = saved.subarray(start, start + PAGE_BYTES);
    if (!page.equals(zeroPage)) pages.set(start, Buffer.from(page));
  }
  return () => {
    const current = memory();
    for (let start = 0; start < current.length; start += PAGE_BYTES) {
      const page = current.subarray(start, start + PAGE_BYTES);
      const image = pages.get(start) ?? zeroPage;
      // Compare first: reading a page allocates no memory, writing zeros does.
      if (!page.equals(image)) page.set(image);
    }
  };
}

interface SavedFiles {
  /** The libraries that PostgreSQL has looked up since. */
  readonly touchedLibraries: ReadonlySet<string>;
  restore: () => void;
}

function saveFiles(pglite: PGlite, { FS, MEMFS }: Emscripten): SavedFiles {
  const freeze = copyOnWriteOf(pglite);
  const { file } = MEMFS.ops_table;
  const libraries = new Set<string>();
  const nodes = allNodes(FS.nameTable).map((node) => {
    const { parent, name, name_next, mode, contents, usedBytes } = node;
    if (!FS.isFile(mode)) {
      const entries = FS.isDir(mode) ? { ...(contents as Record<string, FileNode>) } : undefined;
      return { node, state: { parent, name, name_next, mode }, entries };
    }
    if (contents) freeze(contents as Uint8Array);
    return { node, state: { parent, name, name_next, mode, contents, usedBytes }, entries: undefined };
  });
  const nameTable = [...FS.nameTable];
  const streams = FS.streams.map(
    (stream) =>
      stream && { stream, state: { fd: stream.fd, position: stream.position, flags: stream.flags } },
  );
  const { getattr } = file.node;
  // PostgreSQL reads the attributes of a library before it loads it.
  file.node.getattr = (node, ...rest) => {
    if (node.name.endsWith('.so')) libraries.add(node.name);
    return getattr(node, ...rest);
  };

  return {
    touchedLibraries: libraries,
    restore: () => {
      for (const { node, state, entries } of nodes) {
        Object.assign(node, state);
        if (entries) node.contents = { ...entries };
      }
      FS.nameTable = [...nameTable];
      FS.streams = streams.map((saved) => saved && Object.assign(saved.stream, saved.state));
    },
  };
}

function allNodes(nameTable: readonly (FileNode | undefined)[]): readonly FileNode[] {
  const nodes: FileNode[] = [];
  for (const first of nameTable) for (let node = first; node; node = node.name_next) nodes.push(node);
  return nodes;
}
