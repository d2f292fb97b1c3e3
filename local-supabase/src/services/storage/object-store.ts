/** Stores the bytes of objects, by the version ids of their rows. */
export interface ObjectStore {
  get(version: string): Promise<Blob | undefined>;
  put(version: string, content: Blob): Promise<void>;
  remove(version: string): Promise<void>;
  /**
   * Reads the body of a request into a place outside of memory, if the store has one.
   *
   * @throws {TooManyBytes} as soon as there are more.
   */
  receive(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<ReceivedBody>;
}

export interface ReceivedBody {
  readonly content: Blob;
  /** Removes the content, unless it was stored. */
  end(): Promise<void>;
}

export class TooManyBytes extends Error {}

/** Passes on the chunks of a body. @throws {TooManyBytes} */
export async function* readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  let sizeBytes = 0;
  try {
    for (;;) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) return;
      sizeBytes += value.length;
      if (sizeBytes > maxBytes) throw new TooManyBytes(`More than ${maxBytes} bytes`);
      yield value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    await reader?.cancel();
  }
}

export const receiveInMemory: ObjectStore['receive'] = async (body, maxBytes) => {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of readAtMost(body, maxBytes)) chunks.push(chunk);
  return { content: new Blob(chunks), end: () => Promise.resolve() };
};

export function createMemoryStore(): ObjectStore {
  const objects = new Map<string, Blob>();
  return {
    get: (version) => Promise.resolve(objects.get(version)),
    async put(version, content) {
      objects.set(version, content);
    },
    async remove(version) {
      objects.delete(version);
    },
    receive: receiveInMemory,
  };
}
