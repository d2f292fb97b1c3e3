import type { Clock } from '../../platform/platform.ts';
import type { ChannelSnapshot } from './connection.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeSettings } from '../settings.ts';

interface PendingPush {
  readonly event: string;
  readonly payload: unknown;
  /** Undefined until it is sent. */
  ref?: string;
  /** `response` is the cause of the error, if there is one. */
  readonly settle: (response: unknown, error: ChannelSnapshot['error']) => void;
}

/** The channel whose pushes are buffered. */
interface PushesOptions {
  readonly clock: Clock;
  readonly settings: RealtimeSettings;
  readonly isReady: () => boolean;
  /** Why the channel has failed; null unless it has. */
  readonly failure: () => ChannelSnapshot['error'];
  /** Sends immediately and returns the ref. */
  readonly send: (event: string, payload: unknown) => string;
}

/** The pushes of one channel: buffered until it is joined, and then waiting for their replies. */
export class Pushes {
  readonly #channel: PushesOptions;
  readonly #pending = new Set<PendingPush>();

  constructor(channel: PushesOptions) {
    this.#channel = channel;
  }

  push(event: string, payload: unknown): Promise<unknown> {
    const { clock, settings, failure, isReady } = this.#channel;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(
        () => push.settle(undefined, { code: 'push-timeout', message: `No reply to ${event} in time` }),
        settings.timeoutMs,
      );
      const push: PendingPush = {
        event,
        payload,
        settle: (response, error) => {
          timer.cancel();
          this.#pending.delete(push);
          if (error) reject(new RealtimeError(error.code, error.message, { cause: response }));
          else resolve(response);
        },
      };
      this.#pending.add(push);
      if (failure()) return this.fail();
      if (isReady()) return this.#dispatch(push);
      const [oldest, ...later] = this.#waiting();
      if (later.length >= settings.pushBuffer)
        oldest?.settle(undefined, {
          code: 'push-overflow',
          message: 'Too many pushes wait for the channel',
        });
    });
  }

  /** Sends the buffered pushes. */
  flush(): void {
    this.#waiting().forEach((push) => this.#dispatch(push));
  }

  /** Settles the push with this ref; `response` is the server's, also for an error. */
  reply(ref: string | null, response: unknown, error: ChannelSnapshot['error']): void {
    [...this.#pending].find((push) => push.ref === ref)?.settle(response, error);
  }

  /** Rejects all pushes with `channel-failed`, because no reply arrives anymore. */
  fail(): void {
    const error = this.#channel.failure();
    if (!error) return;
    const cause = new RealtimeError(error.code, error.message);
    rejectAll(this.#pending, 'channel-failed', `The channel has failed: ${error.message}`, cause);
  }

  /** Rejects those that are not sent yet with `user-changed`. */
  discard(): void {
    rejectAll(
      this.#waiting(),
      'user-changed',
      'Another user signed in before the push was sent, or the session ended',
    );
  }

  /** Rejects all pushes with `closed`. */
  close(): void {
    rejectAll(this.#pending, 'closed', 'The channel is closed');
  }

  #waiting(): readonly PendingPush[] {
    return [...this.#pending].filter(({ ref }) => ref === undefined);
  }

  #dispatch(push: PendingPush): void {
    try {
      push.ref = this.#channel.send(push.event, push.payload);
    } catch (problem) {
      push.settle(problem, { code: 'push-refused', message: 'The payload cannot be serialized' });
    }
  }
}

function rejectAll(
  pushes: Iterable<PendingPush>,
  code: RealtimeError['code'],
  message: string,
  cause?: unknown,
): void {
  for (const { settle } of pushes) settle(cause, { code, message });
}
