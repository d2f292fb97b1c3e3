import { ListenerSet } from 'supabase-protocol-clients/platform';
import type { Platform, Readable, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Change, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { createLiveReads, type LiveReads } from 'supabase-protocol-clients/realtime-client/live-query';
import type { Outbox } from '../../../shared/outbox/outbox.ts';
import { discardAfterMs, isStale, type Cached } from '../../../shared/cached.ts';
import { isTemporary, parsePreferences, type PreferenceChange } from '../preferences.ts';
import { loadPreferences } from './load-preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';
import { emptyPreferencesState, selectPreferences, step } from './preferences-state.ts';
import type { KnownPreferences, PreferencesEvent, PreferencesState } from './preferences-state.ts';
import {
  createStoredPreferences,
  parseStoredPreferences,
  preferencesTopic,
  sendPreferences,
} from './stored-preferences.ts';
import type { PreferencesOutcome, StoredPreferences } from './stored-preferences.ts';

export interface PreferencesSnapshot {
  /** Including pending changes. undefined: not read yet; null: deleted on another device. */
  readonly preferences: KnownPreferences | undefined;
  readonly isReading: boolean;
  /** Whether the last read failed: an earlier copy is shown. */
  readonly isOutdated: boolean;
  /** Whether a change is being sent. False while offline, when the note about pending changes counts them. */
  readonly isSaving: boolean;
}

export interface PreferencesStoreOptions {
  readonly api: PreferencesApi;
  readonly platform: Pick<Platform, 'clock' | 'page' | 'report'>;
  readonly outbox: Pick<Outbox, 'addTopic'>;
  /** The persisted copy of an earlier visit. */
  readonly restored?: Cached<KnownPreferences> | undefined;
  /** Receives each copy of the row, without pending changes. */
  readonly onRead?: (cached: Cached<KnownPreferences>) => void;
}

/** One user's preferences, outside of React. */
export class PreferencesStore implements Readable<PreferencesSnapshot> {
  readonly #options: PreferencesStoreOptions;
  readonly #listeners: ListenerSet<void>;
  readonly #reads: LiveReads;
  /** Adds a change to the outbox, which saves it. */
  readonly #add: (stored: StoredPreferences) => unknown;
  #state: PreferencesState;
  #snapshot: PreferencesSnapshot | null = null;
  #discarding: Timer | null = null;
  #isClosed = false;

  constructor(options: PreferencesStoreOptions) {
    const { api, platform, outbox, restored = null } = options;
    this.#options = options;
    this.#listeners = new ListenerSet(platform.report);
    this.#state = emptyPreferencesState(restored);
    this.#reads = createLiveReads({
      platform,
      read: async () => {
        this.#dispatch({ type: 'read-started' });
        const preferences = await loadPreferences(api, platform.report);
        this.#dispatch({ type: 'read', preferences, nowMs: platform.clock.now() });
      },
    });
    this.#reads.subscribe(() => this.#notify());
    this.#add = outbox.addTopic(preferencesTopic, {
      parse: parseStoredPreferences,
      keysOf: (stored) => Object.keys(stored.change),
      send: (stored) => sendPreferences(api, stored),
      show: (id, stored) => this.#dispatch({ type: 'pending', id, change: stored.change }),
      settle: (id, stored, outcome: PreferencesOutcome) => this.#settle(id, stored, outcome),
      repeat: (stored) => this.change(stored.change),
    });
  }

  readonly subscribe = (listener: () => void): Unsubscribe => {
    const remove = this.#listeners.add(listener);
    this.#discarding?.cancel();
    return () => {
      remove();
      if (this.#listeners.size > 0 || this.#isClosed) return;
      const { clock } = this.#options.platform;
      this.#discarding = clock.setTimer(() => this.#dispatch({ type: 'discarded' }), discardAfterMs);
    };
  };

  readonly getSnapshot = (): PreferencesSnapshot =>
    (this.#snapshot ??= {
      preferences: selectPreferences(this.#state),
      isReading: this.#isReading(),
      isOutdated: this.#state.hasReadFailed,
      isSaving: this.#options.platform.page.isOnline() && this.#state.pending.length > 0,
    });

  /** Reads the row unless a fresh copy is known or being read. */
  ensure(): void {
    const { known, isInvalidated } = this.#state;
    const nowMs = this.#options.platform.clock.now();
    const isFresh = known && !isInvalidated && !isTemporary(known.value) && !isStale(known, nowMs);
    if (!isFresh && !this.#isReading()) this.reload();
  }

  /** Reads the row, and inserts the defaults if it is missing. A call during a read leads to one more read after it. */
  readonly reload = (): void => void this.#reads.refresh();

  /** Shows the change at once, and saves it by the outbox. */
  readonly change = (change: PreferenceChange): void => {
    const shown = selectPreferences(this.#state);
    if (isTemporary(shown)) this.#dispatch({ type: 'changed', change });
    else if (shown) this.#add(createStoredPreferences(change, shown));
  };

  /** Changes of the row from the live channel, oldest first. */
  receive(changes: readonly Change<RowRecord>[]): void {
    const { clock, report } = this.#options.platform;
    for (const change of changes) {
      try {
        const preferences = change.type === 'DELETE' ? null : parsePreferences(change.record);
        this.#dispatch({ type: 'received', preferences, nowMs: clock.now() });
      } catch (problem) {
        report(problem);
      }
    }
  }

  /** Changes may have been missed: the row is read again, at once if it is shown. */
  invalidate(): void {
    this.#dispatch({ type: 'invalidated' });
    if (this.#listeners.size > 0) this.reload();
  }

  close(): void {
    this.#isClosed = true;
    this.#reads.stop();
    this.#discarding?.cancel();
  }

  #settle(id: string, stored: StoredPreferences, { type, response }: PreferencesOutcome): void {
    const { value } = this.#state.known ?? {};
    const isSentElsewhere = type === 'sent' && response === undefined && value;
    const preferences = isSentElsewhere ? { ...value, ...stored.change } : response;
    this.#dispatch({ type: 'settled', id, preferences, nowMs: this.#options.platform.clock.now() });
    // The row has a new version, or another device's values.
    if (response === undefined && type !== 'undone' && value) this.reload();
  }

  #isReading(): boolean {
    return this.#reads.getSnapshot().isPending;
  }

  #dispatch(event: PreferencesEvent): void {
    const previous = this.#state;
    this.#state = step(previous, event);
    if (this.#isClosed) return;
    const { known } = this.#state;
    if (known && known !== previous.known) this.#options.onRead?.(known);
    this.#notify();
  }

  #notify(): void {
    this.#snapshot = null;
    this.#listeners.call();
  }
}
