import type { Clock } from '../../platform/platform.ts';
import type { ChannelSnapshot } from './connection.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeSettings } from '../settings.ts';

/** The buffered and unanswered pushes of one channel. */
export interface Pushes {
  push(event: string, payload: unknown): Promise<unknown>;
  /** Sends the buffered pushes. */
  flush(): void;
  /** Settles the push with this ref; `response` is the server's, also for an error. */
  reply(ref: string | null, response: unknown, error: ChannelSnapshot['error']): void;
  /** Rejects all pushes with `closed`. */
  close(): void;
}

interface PendingPush {
  readonly send: () => string;
  readonly settle: (response: unknown, error?: RealtimeError) => void;
}

/** Buffers pushes until the channel is joined, then waits for their replies. */
export function createPushes({
  clock,
  settings,
  isReady,
  send,
}: {
  readonly clock: Clock;
  readonly settings: RealtimeSettings;
  readonly isReady: () => boolean;
  /** Sends immediately and returns the ref. */
  readonly send: (event: string, payload: unknown) => string;
}): Pushes {
  const waiting = new Set<PendingPush>();
  const sent = new Map<string, PendingPush>();
  const dispatch = (pending: PendingPush) => {
    waiting.delete(pending);
    try {
      sent.set(pending.send(), pending);
    } catch (problem) {
      pending.settle(
        null,
        new RealtimeError('push-refused', 'The payload cannot be serialized', { cause: problem }),
      );
    }
  };
  return {
    push: (event, payload) =>
      new Promise((resolve, reject) => {
        const timer = clock.setTimer(
          () => pending.settle(null, new RealtimeError('push-timeout', `No reply to ${event} in time`)),
          settings.timeoutMs,
        );
        let ref: string | undefined;
        const pending: PendingPush = {
          send() {
            ref = send(event, payload);
            return ref;
          },
          settle(response, error) {
            timer.cancel();
            waiting.delete(pending);
            if (ref !== undefined) sent.delete(ref);
            if (error) reject(error);
            else resolve(response);
          },
        };
        if (isReady()) return dispatch(pending);
        waiting.add(pending);
        const [oldest] = waiting;
        if (waiting.size > settings.pushBuffer)
          oldest?.settle(null, new RealtimeError('push-overflow', 'Too many pushes wait for the channel'));
      }),
    flush: () => waiting.forEach(dispatch),
    reply: (ref, response, error) =>
      sent
        .get(ref ?? '')
        ?.settle(
          response,
          error ? new RealtimeError(error.code, error.message, { cause: response }) : undefined,
        ),
    close() {
      for (const pending of [...waiting, ...sent.values()])
        pending.settle(null, new RealtimeError('closed', 'The channel is closed'));
    },
  };
}
