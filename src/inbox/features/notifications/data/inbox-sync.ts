import type { Platform, Timer } from 'supabase-protocol-clients/platform';
import type { RegisteredKind } from '../../../shared/registered-kinds.ts';
import { needed } from '../model/notification-filter.ts';
import type { Notification } from '../model/notification.ts';
import type { InboxStore } from './inbox-store.ts';
import type { NotificationsApi } from './notifications-api.ts';

const delayMs = 300;
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
  /** Called when the totals have to be asked for again. */
  readonly onStale: () => void;
  /** Receives the kinds that the team registered: with the first answer, and when they have changed. */
  readonly onKinds?: ((kinds: readonly RegisteredKind[]) => void) | undefined;
}

/**
 * Asks the server what changed since its last answer, with the totals of the same moment. The first answer brings the totals
 * alone, since the lists are read beside it.
 */
export function createInboxSync({ api, store, platform, onStale, onKinds }: InboxSyncOptions) {
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
  /** Whether a request is in flight, or is repeated after a failure: it brings the totals anyway. */
  let isAsking = false;

  /** The part of the list that is older than its first row; newer ones are in the first page. */
  const showNeeded = (rows: readonly Notification[], since: number) => {
    const after = rows[0] ?? null;
    store.dispatch({ type: 'page', filter: needed, after, rows, isLast: false, since });
  };

  const stopTimer = () => {
    timer?.cancel();
    timer = null;
  };
  const askSoon = () => {
    if (isClosed || timer || isAsking || (!store.getState().areTotalsStale && !isDoubted)) return;
    timer = clock.setTimer(onStale, isDoubted ? changeLagMs : delayMs);
  };

  return {
    /** @returns whether the answer lacks changes, so that the lists have to be read again. */
    async ask(signal: AbortSignal): Promise<boolean> {
      isDoubted = false;
      isAsking = true;
      stopTimer();
      const isTotalsOnly = !isGapOpen && clock.monotonicMs() - resetAtMs < totalsOnlyMs;
      isGapOpen = false;
      const since = store.getState().sequence;
      // At the start the lists are read beside the first answer; after a gap they may lack changes that it does not include.
      const isFirst = asOf === null && store.getState().gapAt === 0;
      try {
        const answer = await api.changes(isTotalsOnly ? null : asOf);
        if (signal.aborted) return false;
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
        if (isReset) resetAtMs = answeredAtMs;
        isAsking = false;
        askSoon();
        return isReset;
      } catch (error) {
        if (!isTotalsOnly) isGapOpen = true;
        if (!signal.aborted) report(error);
        throw error;
      }
    },
    /** Changes may have been missed: the next request asks for them, too. */
    openGap() {
      isGapOpen = true;
    },
    /** Asks soon if the totals are stale. Call it after changes. */
    check(changed: boolean) {
      // A change that the answer counted already may arrive after it, and would count twice.
      if (changed && clock.monotonicMs() - answeredAtMs < changeLagMs) isDoubted = true;
      askSoon();
    },
    /** Ends the timer. */
    close() {
      isClosed = true;
      stopTimer();
    },
  };
}
