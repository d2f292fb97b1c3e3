import type { Platform, Timer } from 'supabase-protocol-clients/platform';
import type { RegisteredKind } from '../../../shared/registered-kinds.ts';
import type { InboxStore } from './inbox-store.ts';
import type { NotificationsApi, NotificationsUpdate } from './notifications-api.ts';

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
export class InboxSync {
  readonly #options: InboxSyncOptions;
  #asOf: string | null = null;
  #timer: Timer | null = null;
  /** Whether changes may be missing that no response has contained yet. */
  #isGapOpen = true;
  #respondedAtMs = -Infinity;
  #resetAtMs = -Infinity;
  /** Whether a change that the last response counted may have been counted again. */
  #isDoubted = false;
  #isClosed = false;
  /** Whether a request is in flight, or is retried after a failure: it returns the totals anyway. */
  #isRequesting = false;

  constructor(options: InboxSyncOptions) {
    this.#options = options;
  }

  /** @returns whether the response lacks changes, so that the lists have to be read again. */
  async request(signal: AbortSignal): Promise<boolean> {
    const { api, store, platform } = this.#options;
    this.#isDoubted = false;
    this.#isRequesting = true;
    this.#stopTimer();
    const isTotalsOnly = !this.#isGapOpen && this.#nowMs() - this.#resetAtMs < totalsOnlyMs;
    this.#isGapOpen = false;
    const { sequence: since, gapAt } = store.getState();
    // At the start the lists are read in parallel with the first response; after a gap they may lack changes that it does
    // not include.
    const isFirst = this.#asOf === null && gapAt === 0;
    try {
      const update = await api.changes(isTotalsOnly ? null : this.#asOf);
      if (signal.aborted) return false;
      this.#respondedAtMs = this.#nowMs();
      const isReset = update.isReset && !isFirst && !isTotalsOnly;
      if (isTotalsOnly) this.#apply({ ...update, changes: [] }, since, false);
      else {
        this.#asOf = update.asOf;
        this.#apply(update, since, isReset);
      }
      this.#isRequesting = false;
      this.#requestSoon();
      return isReset;
    } catch (error) {
      if (!isTotalsOnly) this.#isGapOpen = true;
      if (!signal.aborted) platform.report(error);
      throw error;
    }
  }

  /** Changes may have been missed: the next request covers them, too. */
  openGap(): void {
    this.#isGapOpen = true;
  }

  /** Requests stale totals soon. Call it after changes. */
  check(changed: boolean): void {
    // A change that the response counted already may arrive after it, and would count twice.
    if (changed && this.#nowMs() - this.#respondedAtMs < changeLagMs) this.#isDoubted = true;
    this.#requestSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  /** @param since the state's sequence when the request was sent. */
  #apply(update: NotificationsUpdate, since: number, isReset: boolean): void {
    const { store, onKinds } = this.#options;
    const { changes, totals, asOf, kinds } = update;
    if (kinds) onKinds?.(kinds);
    if (isReset) this.#resetAtMs = this.#respondedAtMs;
    store.dispatch({ type: 'synced', changes, totals, asOf, since, isReset });
  }

  #nowMs(): number {
    return this.#options.platform.clock.monotonicMs();
  }

  #stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #requestSoon(): void {
    const { store, platform, onStale } = this.#options;
    if (this.#isClosed || this.#timer || this.#isRequesting) return;
    if (!store.getState().areTotalsStale && !this.#isDoubted) return;
    this.#timer = platform.clock.setTimer(onStale, this.#isDoubted ? changeLagMs : delayMs);
  }
}
