/** Loads bytes by name, or returns the ones that this process still references, such as the files of a running database. */
export type LoadShared = (name: string, read: () => Promise<Uint8Array>) => Promise<Uint8Array>;

interface Loaded {
  /** References the buffer, because files are views of it. */
  readonly buffer: WeakRef<ArrayBufferLike>;
  readonly offset: number;
  readonly length: number;
}

export function createSharedBytes(): LoadShared {
  const loaded = new Map<string, Loaded>();
  const loading = new Map<string, Promise<Uint8Array>>();
  const start = (name: string, read: () => Promise<Uint8Array>) =>
    read()
      .then((bytes) => {
        const { buffer, byteOffset: offset, length } = bytes;
        loaded.set(name, { buffer: new WeakRef(buffer), offset, length });
        return bytes;
      })
      .finally(() => loading.delete(name));
  return async (name, read) => {
    const { buffer, offset, length } = loaded.get(name) ?? {};
    const known = buffer?.deref();
    if (known) return new Uint8Array(known, offset, length);
    const running = loading.get(name) ?? start(name, read);
    loading.set(name, running);
    return running;
  };
}
