import { WebSocket } from 'ws';
import { parseFrame, type Frame } from '../../../test/support/wire/frames.ts';

export interface RawClientOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly version?: '1.0.0' | '2.0.0';
}

export interface JoinOptions {
  readonly changes?: readonly Record<string, unknown>[];
  readonly token?: string;
  readonly joinRef?: string;
  /** Additional fields of the join's config. */
  readonly config?: Record<string, unknown>;
}

/** A WebSocket client that sends raw frames, and queues received ones until they are taken. */
export interface RawClient {
  readonly socket: WebSocket;
  /** Every received text frame, unparsed. */
  readonly texts: readonly string[];
  readonly binaries: readonly Buffer[];
  send(
    ...frame: readonly [joinRef: unknown, ref: unknown, topic: string, event: string, payload: unknown]
  ): void;
  /** Sends a join. Version 2.0.0 only. */
  join(topic: string, options?: JoinOptions): void;
  /** Joins, and takes all frames up to the message that the subscription is live. */
  joinLive(topic: string, options?: JoinOptions): Promise<void>;
  /** Takes the next frame from the queue. */
  next(): Promise<Frame>;
  /** Takes frames until one with `event` arrives, and returns that one. */
  nextOf(event: string): Promise<Frame>;
  /** Sends a heartbeat and returns all frames received before its reply. */
  flush(): Promise<Frame[]>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  terminate(): void;
}

/** Connects. Rejects for a refused handshake with its status, as `Unexpected server response: 401`. */
export async function connectRawClient(options: RawClientOptions): Promise<RawClient> {
  const { url, apiKey, version = '2.0.0' } = options;
  const query = new URLSearchParams({ apikey: apiKey, vsn: version });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?${query}`);
  const texts: string[] = [];
  const binaries: Buffer[] = [];
  const messages: Frame[] = [];
  const waiting: ((frame: Frame) => void)[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return void binaries.push(data);
    texts.push(data.toString());
    const frame = parseFrame(data.toString());
    const waiter = waiting.shift();
    if (waiter) waiter(frame);
    else messages.push(frame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  let refs = 0;

  const client: RawClient = {
    socket,
    texts,
    binaries,
    closed,
    send(joinRef, ref, topic, event, payload) {
      const frame =
        version === '2.0.0' ? [joinRef, ref, topic, event, payload] : { topic, event, payload, ref };
      socket.send(JSON.stringify(frame));
    },
    join(topic, { changes = [], token, joinRef = '1', config = {} } = {}) {
      const payload = {
        config: { postgres_changes: changes, ...config },
        ...(token ? { access_token: token } : {}),
      };
      client.send(joinRef, joinRef, topic, 'phx_join', payload);
    },
    async joinLive(topic, joinOptions) {
      client.join(topic, joinOptions);
      await client.nextOf('system');
    },
    next: () =>
      new Promise((resolve) => {
        const frame = messages.shift();
        if (frame) resolve(frame);
        else waiting.push(resolve);
      }),
    async nextOf(event) {
      let frame = await client.next();
      while (frame.event !== event) frame = await client.next();
      return frame;
    },
    async flush() {
      const ref = `flush-${(refs += 1)}`;
      client.send(null, ref, 'phoenix', 'heartbeat', {});
      const frames: Frame[] = [];
      for (let frame = await client.next(); frame.ref !== ref; frame = await client.next())
        frames.push(frame);
      return frames;
    },
    terminate: () => socket.terminate(),
  };
  return client;
}
