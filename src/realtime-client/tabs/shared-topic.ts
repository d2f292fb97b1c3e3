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

export interface SharedTopic {
  /** Null while this tab has not joined the channel. */
  readonly bindings: readonly Binding[] | null;
  readonly config: JoinConfig;
  readonly snapshot: ChannelSnapshot;
  entry: TabPresence | null;
  want(bindings: readonly Binding[] | null, config: JoinConfig): void;
  /** The leader is gone: its last messages may be lost. */
  detach(lastHeardMs: number): void;
  signOut(): void;
  onStatus(keys: readonly string[], snapshot: ChannelSnapshot): void;
  onChange(keys: readonly string[], change: Change<RowRecord>): void;
  onGap(loss: ContinuityLoss): void;
  onDiscard(): void;
  onMessage(event: string, payload: unknown): void;
}

export function createSharedTopic(sink: TopicSink, clock: Clock): SharedTopic {
  let bindings: readonly Binding[] | null = null;
  let config = defaultJoinConfig;
  let shown: ChannelSnapshot = { status: 'closed', error: null };
  let wasLive = false;
  let lostAtMs: number | null = null;

  const markInterrupted = (atMs: number) => {
    if (wasLive) lostAtMs ??= atMs;
  };
  const show = (snapshot: ChannelSnapshot) => {
    if (snapshot.status === shown.status && snapshot.error?.code === shown.error?.code) return;
    shown = snapshot;
    sink.onStatus(snapshot);
  };
  const topic: SharedTopic = {
    get bindings() {
      return bindings;
    },
    get config() {
      return config;
    },
    get snapshot() {
      return shown;
    },
    entry: null,
    want(next, nextConfig) {
      bindings = next;
      config = nextConfig;
      if (next) {
        if (shown.status === 'closed' || shown.status === 'failed')
          show({ status: 'connecting', error: null });
        return;
      }
      // Listeners of a left channel receive the gap after the next join.
      markInterrupted(clock.now());
      wasLive = false;
      show({ status: 'closed', error: null });
    },
    detach(lastHeardMs) {
      if (!bindings) return;
      markInterrupted(lastHeardMs);
      show({ status: wasLive ? 'recovering' : 'connecting', error: null });
    },
    signOut() {
      if (!bindings) return;
      markInterrupted(clock.now());
      show({ status: 'failed', error: { code: 'signed-out', message: 'The user is signed out' } });
    },
    onStatus(keys, snapshot) {
      // Ignore a status of a join that lacks this tab's bindings, and a leave on behalf of other tabs.
      if (!bindings?.every((binding) => keys.includes(bindingKey(binding))) || snapshot.status === 'closed')
        return;
      if (snapshot.status !== 'live') {
        markInterrupted(clock.now());
        return show(
          wasLive && snapshot.status !== 'failed' ? { status: 'recovering', error: null } : snapshot,
        );
      }
      wasLive = true;
      const sinceMs = lostAtMs;
      lostAtMs = null;
      if (sinceMs !== null) sink.onGap({ continuity: 'lost', sinceMs, reason: 'rejoined' });
      show(snapshot);
    },
    onDiscard() {
      topic.entry = null;
      sink.onDiscard();
    },
    onMessage(event, payload) {
      if (bindings) sink.onMessage(event, payload);
    },
    onChange(keys, change) {
      if (bindings) sink.onChange(keys, change);
    },
    onGap(loss) {
      // Before the first live state there is no gap; during an interruption the gap is announced with its end.
      if (lostAtMs !== null) lostAtMs = Math.min(lostAtMs, loss.sinceMs);
      else if (wasLive) sink.onGap(loss);
    },
  };
  return topic;
}
