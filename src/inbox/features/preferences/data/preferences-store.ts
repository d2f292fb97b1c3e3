import { createListeners } from 'supabase-protocol-clients/platform';
import type { Platform, Readable, Timer } from 'supabase-protocol-clients/platform';
import type { Change, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { createLiveReads } from 'supabase-protocol-clients/realtime-client/live-query';
import type { Outbox } from '../../../shared/outbox/outbox.ts';
import { discardAfterMs, isStale, type Cached } from '../../../shared/cached.ts';
import { isTemporary, parsePreferences, type PreferenceChange } from '../preferences.ts';
import { loadPreferences } from './load-preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';
import { emptyPreferencesState, selectPreferences, step } from './preferences-state.ts';
import type { KnownPreferences, PreferencesEvent } from './preferences-state.ts';
import {
  createStoredPreferences,
  parseStoredPreferences,
  preferencesTopic,
  sendPreferences,
} from './stored-preferences.ts';
import type { PreferencesOutcome } from './stored-preferences.ts';

export interface PreferencesSnapshot {
  /** Including pending changes. undefined: not read yet; null: deleted on another device. */
  readonly preferences: KnownPreferences | undefined;
  readonly isReading: boolean;
  /** Whether the last read failed: an earlier copy is shown. */
  readonly isOutdated: boolean;
  /** Whether a change is being sent. False while offline, when the note about pending changes counts them. */
  readonly isSaving: boolean;
}

/** One user's preferences, outside of React. */
export interface PreferencesStore extends Readable<PreferencesSnapshot> {
  /** Reads the row unless a fresh copy is known or being read. */
  ensure(): void;
  /** Reads the row, and inserts the defaults if it is missing. A call during a read leads to one more read after it. */
  reload(): void;
  /** Shows the change at once, and saves it by the outbox. */
  change(change: PreferenceChange): void;
  /** Changes of the row from the live channel, oldest first. */
  receive(changes: readonly Change<RowRecord>[]): void;
  /** Changes may have been missed: the row is read again, at once if it is shown. */
  invalidate(): void;
  close(): void;
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

export function createPreferencesStore(options: PreferencesStoreOptions): PreferencesStore {
  const { api, platform, outbox, restored = null, onRead } = options;
  const { clock, page, report } = platform;
  const listeners = createListeners<void>(report);
  let state = emptyPreferencesState(restored);
  let snapshot: PreferencesSnapshot | null = null;
  let discarding: Timer | null = null;
  let isClosed = false;
  const dispatch = (event: PreferencesEvent) => {
    const previous = state;
    state = step(state, event);
    if (isClosed) return;
    if (state.known && state.known !== previous.known) onRead?.(state.known);
    notify();
  };
  const notify = () => {
    snapshot = null;
    listeners.call();
  };

  const reads = createLiveReads({
    platform,
    async read() {
      dispatch({ type: 'read-started' });
      dispatch({ type: 'read', preferences: await loadPreferences(api, report), nowMs: clock.now() });
    },
  });
  reads.subscribe(notify);
  const isReading = () => reads.getSnapshot().isPending;
  const reload = () => void reads.refresh();

  const change = (wanted: PreferenceChange) => {
    const shown = selectPreferences(state);
    if (isTemporary(shown)) dispatch({ type: 'changed', change: wanted });
    else if (shown) add(createStoredPreferences(wanted, shown));
  };
  const add = outbox.addTopic(preferencesTopic, {
    parse: parseStoredPreferences,
    keysOf: (stored) => Object.keys(stored.change),
    send: (stored) => sendPreferences(api, stored),
    show: (id, stored) => dispatch({ type: 'pending', id, change: stored.change }),
    settle(id, stored, { type, answer }: PreferencesOutcome) {
      const { value } = state.known ?? {};
      const isSentElsewhere = type === 'sent' && answer === undefined && value;
      const preferences = isSentElsewhere ? { ...value, ...stored.change } : answer;
      dispatch({ type: 'settled', id, preferences, nowMs: clock.now() });
      // The row has a new version, or another device's values.
      if (answer === undefined && type !== 'undone' && value) reload();
    },
    repeat: (stored) => change(stored.change),
  });

  return {
    subscribe(listener) {
      const remove = listeners.add(listener);
      discarding?.cancel();
      return () => {
        remove();
        if (listeners.size() > 0 || isClosed) return;
        discarding = clock.setTimer(() => dispatch({ type: 'discarded' }), discardAfterMs);
      };
    },
    getSnapshot: () =>
      (snapshot ??= {
        preferences: selectPreferences(state),
        isReading: isReading(),
        isOutdated: state.hasReadFailed,
        isSaving: page.isOnline() && state.pending.length > 0,
      }),
    ensure() {
      const { known, isInvalidated } = state;
      const isFresh = known && !isInvalidated && !isTemporary(known.value) && !isStale(known, clock.now());
      if (!isFresh && !isReading()) reload();
    },
    reload,
    change,
    receive(changes) {
      for (const change of changes) {
        try {
          const preferences = change.type === 'DELETE' ? null : parsePreferences(change.record);
          dispatch({ type: 'received', preferences, nowMs: clock.now() });
        } catch (problem) {
          report(problem);
        }
      }
    },
    invalidate() {
      dispatch({ type: 'invalidated' });
      if (listeners.size() > 0) reload();
    },
    close() {
      isClosed = true;
      reads.stop();
      discarding?.cancel();
    },
  };
}
