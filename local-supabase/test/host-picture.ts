/** Global state of the host program, which an embedded Supabase must not change. */
export interface HostPicture {
  readonly exitCode: unknown;
  readonly listeners: Readonly<Record<string, number>>;
  readonly globals: readonly string[];
  readonly functions: readonly unknown[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly title: string;
  readonly umask: number;
  readonly streams: readonly unknown[];
}

const replaceable = ['fetch', 'setTimeout', 'setInterval', 'queueMicrotask', 'crypto', 'WebSocket'] as const;

export function takeHostPicture(): HostPicture {
  const streams = [process.stdin, process.stdout, process.stderr];
  return {
    exitCode: process.exitCode,
    listeners: countListeners(process),
    globals: Object.getOwnPropertyNames(globalThis).toSorted(),
    functions: [
      ...replaceable.map((name) => (globalThis as Readonly<Record<string, unknown>>)[name]),
      Date.now,
      Math.random,
      Promise.prototype.then,
      console.log,
      console.error,
    ],
    environment: { ...process.env },
    folder: process.cwd(),
    title: process.title,
    umask: process.umask(),
    streams: streams.flatMap((stream) => ['write' in stream && stream.write, countListeners(stream)]),
  };
}

const countListeners = (emitter: NodeJS.EventEmitter): Readonly<Record<string, number>> =>
  Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]));
