import type { Platform, Timer } from 'supabase-protocol-clients/platform';
import type { RegisteredKind } from '../../../shared/registered-kinds.ts';
import type { InboxStore } from './inbox-store.ts';
import type { NotificationsApi } from './notifications-api.ts';

const delayMs = 300;
/**
 * The server repeats the last 30 s of changes, so a response shortly after a reset would request another reset. In this
 * time only the totals are requested, unless changes may have been missed again.
 */
const totalsOnlyMs = 31_000;
/** How long a live change may lag behind a response that includes it. */
const changeLagMs = 2_000;

export interface InboxSyncOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly platform: Pick<Platform, 'clock' | 'report'>;
  /** Called when the totals have to be requested again. */
  readonly onStale: () => void;
  /** Receives the kinds that the team registered: with the first response, and when they have changed. */
  readonly onKinds?: ((kinds: readonly RegisteredKind[]) => void) | undefined;
}

/**
 * Requests the changes since the last response, with the totals of the same moment. The first response has only the totals,
 * because the lists are read in parallel.
 */
export function createInboxSync({ api, store, platform, onStale, onKinds }: InboxSyncOptions) {
  const { clock, report } = platform;
  let asOf: string | null = null;
  let timer: Timer | null = null;
  /** Whether changes may be missing that no response has contained yet. */
  let isGapOpen = true;
  let answeredAtMs = -Infinity;
  let resetAtMs = -Infinity;
  /** Whether a change that the last response counted may have been counted again. */
  let isDoubted = false;
  let isClosed = false;
  /** Whether a request is in flight, or is retried after a failure: it returns the totals anyway. */
  let isAsking = false;

  const stopTimer = () => {
    timer?.cancel();
    timer = null;
  };
  const askSoon = () => {
    if (isClosed || timer || isAsking || (!store.getState().areTotalsStale && !isDoubted)) return;
    timer = clock.setTimer(onStale, isDoubted ? changeLagMs : delayMs);
  };

  return {
    /** @returns whether the response lacks changes, so that the lists have to be read again. */
    async ask(signal: AbortSignal): Promise<boolean> {
      isDoubted = false;
      isAsking = true;
      stopTimer();
      const isTotalsOnly = !isGapOpen && clock.monotonicMs() - resetAtMs < totalsOnlyMs;
      isGapOpen = false;
      const since = store.getState().sequence;
      // At the start the lists are read in parallel with the first response; after a gap they may lack changes that it does
      // not include.
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
    /** Changes may have been missed: the next request covers them, too. */
    openGap() {
      isGapOpen = true;
    },
    /** Requests stale totals soon. Call it after changes. */
    check(changed: boolean) {
      // A change that the response counted already may arrive after it, and would count twice.
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
