import type { Clock } from '../../platform/platform.ts';
import { defaultJoinConfig, type JoinConfig } from '../protocol/join-config.ts';
import type { ChannelSnapshot, TabPresence, TopicSink } from '../socket/connection.ts';
import {
  bindingKey,
  type Binding,
  type Change,
  type ContinuityLoss,
  type RowRecord,
} from '../protocol/change.ts';

/** A channel of one tab whose socket another tab may own. */
export class SharedTopic {
  readonly #sink: TopicSink;
  readonly #clock: Clock;
  /** Null while this tab has not joined the channel. */
  bindings: readonly Binding[] | null = null;
  config = defaultJoinConfig;
  snapshot: ChannelSnapshot = { status: 'closed', error: null };
  entry: TabPresence | null = null;
  #wasLive = false;
  #lostAtMs: number | null = null;

  constructor(sink: TopicSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  want(bindings: readonly Binding[] | null, config: JoinConfig): void {
    this.bindings = bindings;
    this.config = config;
    const { status } = this.snapshot;
    if (bindings) {
      if (status === 'closed' || status === 'failed') this.#show({ status: 'connecting', error: null });
      return;
    }
    // Listeners of a left channel receive the gap after the next join.
    this.#markInterrupted(this.#clock.now());
    this.#wasLive = false;
    this.#show({ status: 'closed', error: null });
  }

  /** The leader is gone: its last messages may be lost. */
  detach(lastMessageMs: number): void {
    if (!this.bindings) return;
    this.#markInterrupted(lastMessageMs);
    this.#show({ status: this.#wasLive ? 'recovering' : 'connecting', error: null });
  }

  signOut(): void {
    if (!this.bindings) return;
    this.#markInterrupted(this.#clock.now());
    this.#show({ status: 'failed', error: { code: 'signed-out', message: 'The user is signed out' } });
  }

  onStatus(keys: readonly string[], snapshot: ChannelSnapshot): void {
    // Ignore a status of a join that lacks this tab's bindings, and a leave on behalf of other tabs.
    const isComplete = this.bindings?.every((binding) => keys.includes(bindingKey(binding)));
    if (!isComplete || snapshot.status === 'closed') return;
    if (snapshot.status !== 'live') {
      this.#markInterrupted(this.#clock.now());
      const isRecovering = this.#wasLive && snapshot.status !== 'failed';
      return this.#show(isRecovering ? { status: 'recovering', error: null } : snapshot);
    }
    this.#wasLive = true;
    const sinceMs = this.#lostAtMs;
    this.#lostAtMs = null;
    if (sinceMs !== null) this.#sink.onGap({ continuity: 'lost', sinceMs, reason: 'rejoined' });
    this.#show(snapshot);
  }

  onDiscard(): void {
    this.entry = null;
    this.#sink.onDiscard();
  }

  onMessage(event: string, payload: unknown): void {
    if (this.bindings) this.#sink.onMessage(event, payload);
  }

  onChange(keys: readonly string[], change: Change<RowRecord>): void {
    if (this.bindings) this.#sink.onChange(keys, change);
  }

  onGap(loss: ContinuityLoss): void {
    // Before the first live state there is no gap; during an interruption the gap is announced with its end.
    if (this.#lostAtMs !== null) this.#lostAtMs = Math.min(this.#lostAtMs, loss.sinceMs);
    else if (this.#wasLive) this.#sink.onGap(loss);
  }

  #markInterrupted(atMs: number): void {
    if (this.#wasLive) this.#lostAtMs ??= atMs;
  }

  #show(snapshot: ChannelSnapshot): void {
    const { status, error } = this.snapshot;
    if (snapshot.status === status && snapshot.error?.code === error?.code) return;
    this.snapshot = snapshot;
    this.#sink.onStatus(snapshot);
  }
}
