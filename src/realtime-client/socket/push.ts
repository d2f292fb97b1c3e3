import type { Clock } from '../../platform/platform.ts';
import type { ChannelSnapshot } from './connection.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeSettings } from '../settings.ts';

export interface Pushes {
  push(event: string, payload: unknown): Promise<unknown>;
  /** Sends what waits. */
  flush(): void;
  /** Settles the push with this ref; `response` is the server's, also of an error. */
  reply(ref: string | null, response: unknown, error: ChannelSnapshot['error']): void;
  /** Rejects all. */
  close(): void;
}

interface PendingPush {
  readonly send: () => string;
  readonly settle: (response: unknown, error?: RealtimeError) => void;
}

/** The pushes of one channel: those that wait until it is joined, and those that wait for a reply. */
export function createPushes({
  clock,
  settings,
  isReady,
  send,
}: {
  readonly clock: Clock;
  readonly settings: RealtimeSettings;
  readonly isReady: () => boolean;
  /** Sends now and returns the ref. */
  readonly send: (event: string, payload: unknown) => string;
}): Pushes {
  const waiting = new Set<PendingPush>();
  const sent = new Map<string, PendingPush>();
  const dispatch = (pending: PendingPush) => {
    waiting.delete(pending);
    try {
      sent.set(pending.send(), pending);
    } catch (problem) {
      pending.settle(null, new RealtimeError('push_refused', 'The payload cannot be sent', problem));
    }
  };
  return {
    push: (event, payload) =>
      new Promise((resolve, reject) => {
        const timer = clock.setTimer(
          () => pending.settle(null, new RealtimeError('push_timeout', `No reply to ${event} in time`)),
          settings.timeoutMs,
        );
        let ref: string | undefined;
        const pending: PendingPush = {
          send: () => (ref = send(event, payload)),
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
          oldest?.settle(null, new RealtimeError('push_overflow', 'Too many pushes wait for the channel'));
      }),
    flush: () => waiting.forEach(dispatch),
    reply: (ref, response, error) =>
      sent
        .get(ref ?? '')
        ?.settle(response, error ? new RealtimeError(error.code, error.message, response) : undefined),
    close() {
      for (const pending of [...waiting, ...sent.values()])
        pending.settle(null, new RealtimeError('closed', 'The channel is closed'));
    },
  };
}
