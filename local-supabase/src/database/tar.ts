export interface TarEntry {
  readonly path: string;
  /** The content, which shares the archive's memory; null for a folder. */
  readonly bytes: Uint8Array | null;
}

const BLOCK_BYTES = 512;
const OCTAL = 8;
const FOLDER = '5';

/** Reads an archive of files and folders with short names, as PGlite writes it (POSIX.1-1988, ustar). */
export function readTar(archive: Uint8Array): readonly TarEntry[] {
  const text = (start: number, end: number) =>
    new TextDecoder().decode(archive.subarray(start, end)).replace(/\0.*$/s, '');
  const entries: TarEntry[] = [];
  for (let start = 0; start + BLOCK_BYTES <= archive.length;) {
    const path = text(start, start + 100);
    if (path === '') break;
    const sizeBytes = Number.parseInt(text(start + 124, start + 136), OCTAL) || 0;
    const isFolder = text(start + 156, start + 157) === FOLDER || path.endsWith('/');
    const content = start + BLOCK_BYTES;
    entries.push({ path, bytes: isFolder ? null : archive.subarray(content, content + sizeBytes) });
    start = content + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return entries;
}
