import { WebSocket } from 'ws';

import { UnmetExpectationError } from '../../target/assertion.ts';
import { startDeadline } from '../../target/deadlines.ts';
import { NotRunError, type ConformanceTarget } from '../../target/target.ts';
import { at, parseJson } from '../../target/wire.ts';
import { parseFrame, type Frame } from '../../target/frames.ts';

/** A WebSocket that stores all received frames. */
export interface FrameSocket {
  readonly received: readonly Frame[];
  send(joinRef: string | null, ref: string, topic: string, event: string, payload: unknown): void;
  /** Sends a binary frame. */
  sendBytes(bytes: Uint8Array): void;
  /**
   * Resolves with the first received frame that `matches`, past or future. Rejects after ten seconds (later on a slow
   * target), and at once when a frame `refuses` it.
   */
  expect(
    what: string,
    matches: (frame: Frame) => boolean,
    refuses?: (frame: Frame) => boolean,
  ): Promise<Frame>;
  close(): void;
}

const waitMs = 10_000;

/** @throws NotRunError if the target has no realtime service. */
export function realtimeUrlOf({ realtimeUrl }: Pick<ConformanceTarget, 'realtimeUrl'>): string {
  if (realtimeUrl === null) throw new NotRunError('the target has no realtime service');
  return realtimeUrl;
}

/** Opens a WebSocket to the target's realtime service. @throws NotRunError if the target has none. */
export async function openFrameSocket({
  target,
}: {
  readonly target: Pick<ConformanceTarget, 'realtimeUrl' | 'anonKey' | 'onFrame'>;
}): Promise<FrameSocket> {
  const socket = new WebSocket(
    `${realtimeUrlOf(target)}?apikey=${encodeURIComponent(target.anonKey)}&vsn=2.0.0`,
  );
  const received: Frame[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data, isBinary) => {
    if (!isBinary) target.onFrame?.('received', (data as Buffer).toString());
    received.push(isBinary ? parseBroadcast(data as Buffer) : parseFrame((data as Buffer).toString()));
    for (const settleNow of waiting) settleNow();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return {
    received,
    send(...frame) {
      const text = JSON.stringify(frame);
      target.onFrame?.('sent', text);
      socket.send(text);
    },
    sendBytes: (bytes) => socket.send(bytes),
    expect: (what, matches, refuses = () => false) =>
      new Promise((resolve, reject) => {
        const settleNow = () => {
          const frame = received.find(matches);
          const refusal = received.find(refuses);
          if (!frame && !refusal) return;
          waiting.delete(settleNow);
          cancel();
          if (frame) resolve(frame);
          else reject(new UnmetExpectationError(`${what} arrives`, describeFrames(received)));
        };
        const cancel = startDeadline(waitMs, (passedMs) => {
          waiting.delete(settleNow);
          reject(
            new UnmetExpectationError(`${what} arrives within ${passedMs} ms`, describeFrames(received)),
          );
        });
        waiting.add(settleNow);
        settleNow();
      }),
    close: () => socket.close(),
  };
}

/**
 * Parses a broadcast in binary form. Kind 4: three lengths and an encoding, then the texts and the payload. Kind 2: two
 * lengths, then the texts and the payload.
 */
function parseBroadcast(bytes: Buffer): Frame {
  if (bytes[0] === 2) return parseBytes(bytes);
  const [, topicSize = 0, eventSize = 0, metaSize = 0, encoding] = bytes;
  let offset = 5;
  const take = (size: number) => bytes.toString('utf8', offset, (offset += size));
  const topic = take(topicSize);
  const event = take(eventSize);
  const meta = parseJson(take(metaSize) || '{}');
  const rest = bytes.subarray(offset);
  const payload = encoding === 1 ? parseJson(rest.toString()) : rest;
  return { joinRef: null, ref: null, topic, event: 'broadcast', payload: { event, meta, payload } };
}

function parseBytes(bytes: Buffer): Frame {
  const [, topicSize = 0, eventSize = 0] = bytes;
  const [event, payload] = [3 + topicSize, 3 + topicSize + eventSize];
  return {
    joinRef: null,
    ref: null,
    topic: bytes.toString('utf8', 3, event),
    event: bytes.toString('utf8', event, payload),
    payload: { bytes: bytes.subarray(payload) },
  };
}

/** The payload of a phx_join with bindings for table changes. */
export const joinPayload = (accessToken: string, changes: readonly object[]) => ({
  config: {
    broadcast: { ack: false, self: false },
    presence: { key: '', enabled: false },
    private: false,
    postgres_changes: changes,
  },
  access_token: accessToken,
});

export const isEvent = (event: string) => (frame: Frame) => frame.event === event;

export const isBroadcast = isEvent('broadcast');

export const isReply = (ref: string) => (frame: Frame) => frame.event === 'phx_reply' && frame.ref === ref;

export const isSystem = (status: 'ok' | 'error') => (frame: Frame) =>
  frame.event === 'system' && at(frame.payload, 'status') === status;

export const isChange = (type: 'INSERT' | 'UPDATE' | 'DELETE') => (frame: Frame) =>
  frame.event === 'postgres_changes' && at(frame.payload, 'data', 'type') === type;

/** A column's value in the row of a change. */
export const columnOf = ({ payload }: Frame, name: string): unknown => at(payload, 'data', 'record', name);

/** The position of the first frame that arrived and matches; -1 without one. */
export const indexOf = ({ received }: FrameSocket, matches: (frame: Frame) => boolean): number =>
  received.findIndex(matches);

function describeFrames(frames: readonly Frame[]): string {
  const seen = frames.map(({ event, payload }) => `${event}:${statusOf(payload)}`).join(' ');
  return `received ${seen || 'nothing'}`;
}

function statusOf(payload: unknown): string {
  const status = at(payload, 'status');
  return typeof status === 'string' ? status : '';
}
