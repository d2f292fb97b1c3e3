import type { Page, Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';

/**
 * Why a list has to be read. `live`: the channel became live; `gap`: changes may have been missed; `interval`: the last read
 * was long ago; `rate`: changes arrived near the server's rate limit, beyond which it drops them; `version`: the server's
 * version of the list differs.
 */
export type ReadCause = 'live' | 'gap' | 'interval' | 'rate' | 'version';

/** The part of a channel that shows when a list has to be read. */
export type FollowedChannel = Pick<Channel, 'getSnapshot' | 'subscribe' | 'onContinuity'>;

export interface ReadTriggersOptions {
  readonly channel: FollowedChannel;
  readonly source?: Pick<Channel, 'onContinuity'> | undefined;
  readonly platform: Pick<Platform, 'clock'> & { readonly page?: Page };
  /**
   * Milliseconds between reads while the page is visible, also while the channel is interrupted or has failed, unless the page is
   * offline then; not after a sign-out. 0: none. Default 25,000.
   */
  readonly intervalMs?: number | undefined;
  /** The server's limit of changes per second, near which it may drop some. Default 100, the free plan's. */
  readonly maxEventsPerSecond?: number | undefined;
  readonly onRead: (cause: ReadCause) => void;
}

export interface ReadTriggers {
  noteChanges(count: number): void;
  /** A read for this cause found lost changes: a server that limits the rate averages over a minute, and may lose more. */
  noteLosses(cause: ReadCause): void;
  /** The list is read for another reason: the interval begins again, and a read for the rate is no longer due. */
  restart(): void;
  stop: Unsubscribe;
}

/** Default interval between reads, in milliseconds. */
const defaultIntervalMs = 25_000;
/** How long a change may be in transit before it counts as lost. In milliseconds. */
export const settleMs = 2_000;
/** Fraction of the server's rate limit from which on it may have dropped changes. */
const suspiciousRate = 0.8;

/** Triggers reads when a list may lack changes of its channel, and at intervals, because changes may be lost silently. */
export function watchReads(options: ReadTriggersOptions): ReadTriggers {
  const { channel, source = channel, platform, intervalMs = defaultIntervalMs, onRead } = options;
  const { clock, page } = platform;
  const { maxEventsPerSecond = 100 } = options;
  let intervalTimer: Timer | undefined;
  let rateTimer: Timer | undefined;
  let wasLive = false;
  let isDue = false;
  let secondStartMs = 0;
  let countInSecond = 0;

  const isLive = () => channel.getSnapshot().status === 'live';
  const restart = () => {
    isDue = false;
    intervalTimer?.cancel();
    const isUsed = channel.getSnapshot().status !== 'closed';
    intervalTimer = isUsed && intervalMs > 0 ? clock.setTimer(tick, intervalMs) : undefined;
  };
  const read = (cause: ReadCause) => {
    restart();
    onRead(cause);
  };
  // A live channel can deliver changes, also where the browser reports the page as offline.
  const canRead = () => !page || (page.isVisible() && (page.isOnline() || isLive()));
  const tick = () => {
    if (channel.getSnapshot().error?.code === 'signed-out') restart();
    else if (canRead()) read('interval');
    else isDue = true;
  };
  const readAfterBurst = () => {
    rateTimer ??= clock.setTimer(() => {
      rateTimer = undefined;
      if (isLive()) read('rate');
    }, settleMs);
  };
  const follow = () => {
    const isNew = isLive() && !wasLive;
    wasLive = isLive();
    const isClosed = channel.getSnapshot().status === 'closed';
    if (isNew) read('live');
    else if (isClosed || !intervalTimer) restart();
  };
  const stops = [
    channel.subscribe(follow),
    source.onContinuity(() => read('gap')),
    page?.subscribe(() => {
      if (isDue && canRead()) read('interval');
    }),
  ];
  follow();
  return {
    restart() {
      rateTimer?.cancel();
      rateTimer = undefined;
      restart();
    },
    noteChanges(count) {
      const nowMs = clock.monotonicMs();
      if (nowMs - secondStartMs >= 1_000) {
        secondStartMs = nowMs;
        countInSecond = 0;
      }
      countInSecond += count;
      if (intervalMs > 0 && isLive() && countInSecond >= maxEventsPerSecond * suspiciousRate)
        readAfterBurst();
    },
    noteLosses(cause) {
      if (cause === 'rate') readAfterBurst();
    },
    stop() {
      [intervalTimer, rateTimer].forEach((timer) => timer?.cancel());
      stops.forEach((end) => end?.());
    },
  };
}
