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

/** Default interval between reads, in milliseconds. */
const defaultIntervalMs = 25_000;
/** How long a change may be in transit before it counts as lost. In milliseconds. */
export const settleMs = 2_000;
/** Fraction of the server's rate limit above which it may have dropped changes. */
const suspiciousRate = 0.8;

/** Triggers reads when a list may lack changes of its channel, and at intervals, because changes may be lost silently. */
export class ReadTriggers {
  readonly #options: ReadTriggersOptions;
  readonly #intervalMs: number;
  readonly #stops: readonly (Unsubscribe | undefined)[];
  #intervalTimer: Timer | undefined;
  #rateTimer: Timer | undefined;
  #wasLive = false;
  #isDue = false;
  #secondStartMs = 0;
  #countInSecond = 0;

  constructor(options: ReadTriggersOptions) {
    const { channel, source = channel, platform, intervalMs = defaultIntervalMs } = options;
    this.#options = options;
    this.#intervalMs = intervalMs;
    this.#stops = [
      channel.subscribe(() => this.#follow()),
      source.onContinuity(() => this.#read('gap')),
      platform.page?.subscribe(() => {
        if (this.#isDue && this.#canRead()) this.#read('interval');
      }),
    ];
    this.#follow();
  }

  noteChanges(count: number): void {
    const { platform, maxEventsPerSecond = 100 } = this.#options;
    const nowMs = platform.clock.monotonicMs();
    if (nowMs - this.#secondStartMs >= 1_000) {
      this.#secondStartMs = nowMs;
      this.#countInSecond = 0;
    }
    this.#countInSecond += count;
    const isNearLimit = this.#countInSecond >= maxEventsPerSecond * suspiciousRate;
    if (this.#intervalMs > 0 && this.#isLive() && isNearLimit) this.#readAfterBurst();
  }

  /** A read for this cause found lost changes: a server that limits the rate averages over a minute, and may lose more. */
  noteLosses(cause: ReadCause): void {
    if (cause === 'rate') this.#readAfterBurst();
  }

  /** The list is read for another reason: the interval begins again, and a read for the rate is no longer due. */
  restart(): void {
    this.#rateTimer?.cancel();
    this.#rateTimer = undefined;
    this.#restartInterval();
  }

  stop(): void {
    this.#intervalTimer?.cancel();
    this.#rateTimer?.cancel();
    this.#stops.forEach((stop) => stop?.());
  }

  #isLive(): boolean {
    return this.#options.channel.getSnapshot().status === 'live';
  }

  #isClosed(): boolean {
    return this.#options.channel.getSnapshot().status === 'closed';
  }

  /** A live channel can deliver changes, also where the browser reports the page as offline. */
  #canRead(): boolean {
    const { page } = this.#options.platform;
    return !page || (page.isVisible() && (page.isOnline() || this.#isLive()));
  }

  #follow(): void {
    const isNew = this.#isLive() && !this.#wasLive;
    this.#wasLive = this.#isLive();
    if (isNew) this.#read('live');
    else if (this.#isClosed() || !this.#intervalTimer) this.#restartInterval();
  }

  #read(cause: ReadCause): void {
    this.#restartInterval();
    this.#options.onRead(cause);
  }

  #restartInterval(): void {
    this.#isDue = false;
    this.#intervalTimer?.cancel();
    const isUsed = !this.#isClosed() && this.#intervalMs > 0;
    this.#intervalTimer = isUsed
      ? this.#options.platform.clock.setTimer(() => this.#tick(), this.#intervalMs)
      : undefined;
  }

  #tick(): void {
    if (this.#options.channel.getSnapshot().error?.code === 'signed-out') this.#restartInterval();
    else if (this.#canRead()) this.#read('interval');
    else this.#isDue = true;
  }

  #readAfterBurst(): void {
    this.#rateTimer ??= this.#options.platform.clock.setTimer(() => {
      this.#rateTimer = undefined;
      if (this.#isLive()) this.#read('rate');
    }, settleMs);
  }
}
