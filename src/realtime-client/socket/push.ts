import type { Clock } from '../../platform/platform.ts';
import type { ChannelSnapshot } from './connection.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeSettings } from '../settings.ts';

/** The buffered pushes and those without a reply of one channel. */
export interface Pushes {
  push(event: string, payload: unknown): Promise<unknown>;
  /** Sends the buffered pushes. */
  flush(): void;
  /** Settles the push with this ref; `response` is the server's, also for an error. */
  reply(ref: string | null, response: unknown, error: ChannelSnapshot['error']): void;
  /** Rejects all pushes with `channel-failed`, because no reply arrives anymore. */
  fail(): void;
  /** Rejects those that are not sent yet with `user-changed`. */
  discard(): void;
  /** Rejects all pushes with `closed`. */
  close(): void;
}

interface PendingPush {
  readonly event: string;
  readonly payload: unknown;
  /** Undefined until it is sent. */
  ref?: string;
  /** `response` is the cause of the error, if there is one. */
  readonly settle: (response: unknown, error: ChannelSnapshot['error']) => void;
}

interface PushesOptions {
  readonly clock: Clock;
  readonly settings: RealtimeSettings;
  readonly isReady: () => boolean;
  /** Why the channel has failed; null unless it has. */
  readonly failure: () => ChannelSnapshot['error'];
  /** Sends immediately and returns the ref. */
  readonly send: (event: string, payload: unknown) => string;
}

/** Buffers pushes until the channel is joined, then waits for their replies. */
export function createPushes({ clock, settings, isReady, failure, send }: PushesOptions): Pushes {
  const pending = new Set<PendingPush>();
  const waiting = () => [...pending].filter(({ ref }) => ref === undefined);
  const dispatch = (push: PendingPush) => {
    try {
      push.ref = send(push.event, push.payload);
    } catch (problem) {
      push.settle(problem, { code: 'push-refused', message: 'The payload cannot be serialized' });
    }
  };
  const fail = () => {
    const error = failure();
    if (!error) return;
    const cause = new RealtimeError(error.code, error.message);
    settleAll(pending, 'channel-failed', `The channel has failed: ${error.message}`, cause);
  };
  return {
    push: (event, payload) =>
      new Promise((resolve, reject) => {
        const timer = clock.setTimer(
          () => push.settle(undefined, { code: 'push-timeout', message: `No reply to ${event} in time` }),
          settings.timeoutMs,
        );
        const push: PendingPush = {
          event,
          payload,
          settle(response, error) {
            timer.cancel();
            pending.delete(push);
            if (error) reject(new RealtimeError(error.code, error.message, { cause: response }));
            else resolve(response);
          },
        };
        pending.add(push);
        if (failure()) return fail();
        if (isReady()) return dispatch(push);
        const [oldest, ...later] = waiting();
        if (later.length >= settings.pushBuffer)
          oldest?.settle(undefined, {
            code: 'push-overflow',
            message: 'Too many pushes wait for the channel',
          });
      }),
    fail,
    flush: () => waiting().forEach(dispatch),
    reply: (ref, response, error) => [...pending].find((push) => push.ref === ref)?.settle(response, error),
    discard: () =>
      settleAll(
        waiting(),
        'user-changed',
        'Another user signed in before the push was sent, or the session ended',
      ),
    close: () => settleAll(pending, 'closed', 'The channel is closed'),
  };
}

function settleAll(
  pushes: Iterable<PendingPush>,
  code: RealtimeError['code'],
  message: string,
  cause?: unknown,
): void {
  for (const { settle } of pushes) settle(cause, { code, message });
}
