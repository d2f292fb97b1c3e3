import type { Clock } from '../../platform/platform.ts';
import type { ChannelSnapshot, ContinuityLoss, TopicSink } from '../socket/connection.ts';
import { bindingKey, type Binding, type Change, type RowRecord } from '../changes/postgres-changes.ts';

/** A topic as one tab sees it whose changes come from whichever tab leads. */
export interface SharedTopic {
  /** Null while the tab does not want it. */
  readonly bindings: readonly Binding[] | null;
  want(bindings: readonly Binding[] | null): void;
  /** The leader is gone: what it had to tell may be lost. */
  detach(lastHeardMs: number): void;
  /** Nobody is signed in any more. */
  signOut(): void;
  onStatus(keys: readonly string[], snapshot: ChannelSnapshot): void;
  onChange(keys: readonly string[], change: Change<RowRecord>): void;
  onGap(loss: ContinuityLoss): void;
}

export function createSharedTopic(sink: TopicSink, clock: Clock): SharedTopic {
  let bindings: readonly Binding[] | null = null;
  let shown: ChannelSnapshot = { status: 'closed', error: null };
  let wasLive = false;
  let lostAtMs: number | null = null;

  const lose = (atMs: number) => {
    if (wasLive) lostAtMs ??= atMs;
  };
  const show = (snapshot: ChannelSnapshot) => {
    if (snapshot.status === shown.status && snapshot.error?.code === shown.error?.code) return;
    shown = snapshot;
    sink.onStatus(snapshot);
  };
  return {
    get bindings() {
      return bindings;
    },
    want(next) {
      bindings = next;
      if (next) {
        if (shown.status === 'closed' || shown.status === 'failed')
          show({ status: 'connecting', error: null });
        return;
      }
      // Whoever still listens misses what comes until the next join.
      lose(clock.now());
      wasLive = false;
      show({ status: 'closed', error: null });
    },
    detach(lastHeardMs) {
      if (!bindings) return;
      lose(lastHeardMs);
      show({ status: wasLive ? 'recovering' : 'connecting', error: null });
    },
    signOut() {
      if (!bindings) return;
      lose(clock.now());
      show({ status: 'failed', error: { code: 'signed_out', message: 'There is no access token any more' } });
    },
    onStatus(keys, snapshot) {
      // What the leader says of a channel that lacks a binding of this tab, or that it left for others, is not for it.
      if (!bindings?.every((binding) => keys.includes(bindingKey(binding))) || snapshot.status === 'closed')
        return;
      if (snapshot.status !== 'live') {
        lose(clock.now());
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
    onChange(keys, change) {
      if (bindings) sink.onChange(keys, change);
    },
    onGap(loss) {
      // Before this tab's channel is live there is nothing to lose; while it is not, the loss is told with its return.
      if (lostAtMs !== null) lostAtMs = Math.min(lostAtMs, loss.sinceMs);
      else if (wasLive) sink.onGap(loss);
    },
  };
}
