import type { Platform, Timer } from 'supabase-protocol-clients/platform';
import { createLiveReads } from 'supabase-protocol-clients/realtime-client/live-query';
import type { RegisteredKind } from '../../../shared/registered-kinds.ts';
import { needed } from '../model/notification-filter.ts';
import type { Notification } from '../model/notification.ts';
import type { InboxStatus, InboxStore } from './inbox-store.ts';
import type { NotificationsApi } from './notifications-api.ts';

const delayMs = 300;
const retryMs = 10_000;
/**
 * The server repeats the last 30 s of changes, so an answer shortly after a reset would ask for another reset. In this
 * time only the totals are requested, unless changes may have been missed again.
 */
const totalsOnlyMs = 31_000;
/** How long a live change may lag behind an answer that includes it. */
const changeLagMs = 2_000;

export interface InboxSyncOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly platform: Pick<Platform, 'clock' | 'report'>;
  /** The answer lacks changes: the lists have to be read again. */
  readonly onReset: () => void;
  /** Receives the kinds that the team registered: with the first answer, and when they have changed. */
  readonly onKinds?: ((kinds: readonly RegisteredKind[]) => void) | undefined;
}

/**
 * Asks the server what changed since its last answer, with the totals of the same moment. The first answer brings the totals
 * alone, since the lists are read beside it.
 */
export function createInboxSync({ api, store, platform, onReset, onKinds }: InboxSyncOptions) {
  const { clock, report } = platform;
  let asOf: string | null = null;
  let timer: Timer | null = null;
  /** Whether changes may be missing that no answer has brought yet. */
  let isGapOpen = true;
  let answeredAtMs = -Infinity;
  let resetAtMs = -Infinity;
  /** Whether a change that the last answer counted may have been counted again. */
  let isDoubted = false;
  let isClosed = false;
  let problem: InboxStatus['problem'] = null;

  /** The part of the list that is older than its first row; newer ones are in the first page. */
  const showNeeded = (rows: readonly Notification[], since: number) => {
    const after = rows[0] ?? null;
    store.dispatch({ type: 'page', filter: needed, after, rows, isLast: false, since });
  };

  const ask = async (signal: AbortSignal) => {
    isDoubted = false;
    stopTimer();
    const isTotalsOnly = !isGapOpen && clock.monotonicMs() - resetAtMs < totalsOnlyMs;
    isGapOpen = false;
    const since = store.getState().sequence;
    // At the start the lists are read beside the first answer; after a gap they may lack changes that it does not include.
    const isFirst = asOf === null && store.getState().gapAt === 0;
    try {
      const answer = await api.changes(isTotalsOnly ? null : asOf);
      if (signal.aborted) return;
      answeredAtMs = clock.monotonicMs();
      if (!isTotalsOnly) asOf = answer.asOf;
      if (answer.kinds) onKinds?.(answer.kinds);
      const isReset = answer.isReset && !isFirst && !isTotalsOnly;
      const isUnchanged = store.getState().sequence === since;
      if (isReset) store.dispatch({ type: 'reset' });
      store.dispatch({
        type: 'synced',
        changes: isTotalsOnly ? [] : answer.changes,
        totals: answer.totals,
        asOf: answer.asOf,
        since: isReset && isUnchanged ? store.getState().sequence : since,
      });
      if (answer.needed?.length) showNeeded(answer.needed, since);
      if (problem && store.getSnapshot().problem === problem) store.patch({ problem: null });
      problem = null;
      if (!isReset) return;
      resetAtMs = answeredAtMs;
      onReset();
    } catch (error) {
      if (signal.aborted) return;
      if (!isTotalsOnly) isGapOpen = true;
      problem = { error };
      store.patch({ problem });
      report(error);
      throw error;
    }
  };
  const reads = createLiveReads({ platform, read: ask, retryDelaysMs: [retryMs] });
  const stopTimer = () => {
    timer?.cancel();
    timer = null;
  };
  /** A read that is pending, or is retried after a failure, brings the totals anyway. */
  const askSoon = () => {
    if (isClosed || timer || reads.getSnapshot().isPending) return;
    if (!store.getState().areTotalsStale && !isDoubted) return;
    timer = clock.setTimer(() => void reads.refresh(), isDoubted ? changeLagMs : delayMs);
  };
  reads.subscribe(askSoon);

  return {
    /** Asks for the changes now. A call while a request is in flight leads to one more after it. Never rejects. */
    run() {
      isGapOpen = true;
      return reads.refresh();
    },
    /** Asks soon if the totals are stale. Call it after changes. */
    check(changed: boolean) {
      // A change that the answer counted already may arrive after it, and would count twice.
      if (changed && clock.monotonicMs() - answeredAtMs < changeLagMs) isDoubted = true;
      askSoon();
    },
    /** Ends timers; an answer in flight is ignored. */
    close() {
      isClosed = true;
      stopTimer();
      reads.stop();
    },
  };
}
