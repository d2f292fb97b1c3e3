import type { Clock, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Change, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { discardAfterMs } from '../../../shared/cache-policy.ts';
import { isStale, type Cached } from '../../../shared/cached.ts';
import { isTemporary, parsePreferences } from '../preferences.ts';
import type { PreferenceChange, Preferences } from '../preferences.ts';
import { isNoRow, loadPreferences } from './load-preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';
import { emptyPreferencesState, selectPreferences, step } from './preferences-state.ts';
import type { KnownPreferences, PreferencesEvent } from './preferences-state.ts';
import { createWaitingPreferences } from './waiting-preferences.ts';
import type { PreferencesTopic } from './waiting-preferences.ts';

export interface PreferencesSnapshot {
  /** Including pending changes. undefined: not read yet; null: deleted on another device. */
  readonly preferences: KnownPreferences | undefined;
  readonly isReading: boolean;
  /** Whether the last read failed: an earlier copy is shown. */
  readonly isOutdated: boolean;
  /** Whether a change is being sent. Those in the outbox are not: the note about being offline counts them. */
  readonly isSaving: boolean;
}

/** One user's preferences, outside of React. */
export interface PreferencesStore {
  subscribe(listener: () => void): Unsubscribe;
  getSnapshot(): PreferencesSnapshot;
  /** Reads the row unless a fresh copy is known or being read. */
  ensure(): void;
  /** Reads the row, and inserts the defaults if there is none. A call during a read leads to one more read after it. */
  reload(): void;
  /**
   * Applies the change optimistically and saves it after those before it; rolls back if saving fails.
   *
   * @param onFailure called when the change could not be saved; `retry` saves it again.
   */
  change(change: PreferenceChange, onFailure: (retry: () => void) => void): void;
  /** Changes of the row from the live channel, oldest first. */
  receive(changes: readonly Change<RowRecord>[]): void;
  /** Changes may have been missed: the row is read again, at once if it is shown. */
  invalidate(): void;
  /** Shows the changes that wait in the outbox, and those that are sent from it. */
  follow(topic: PreferencesTopic): void;
  close(): void;
}

export interface PreferencesStoreOptions {
  readonly api: PreferencesApi;
  readonly clock: Clock;
  /** Logs a failure. */
  readonly report: (problem: unknown) => void;
  /** Whether the device is online. */
  readonly isOnline: () => boolean;
  /** Opens the outbox, in which changes wait while the device is offline. */
  readonly openOutbox: () => Promise<PreferencesTopic>;
  readonly createId: () => string;
  /** The persisted copy of an earlier visit. */
  readonly restored?: Cached<KnownPreferences> | undefined;
  /** Receives each copy of the row, without pending changes. */
  readonly onRead?: (cached: Cached<KnownPreferences>) => void;
}

export function createPreferencesStore(options: PreferencesStoreOptions): PreferencesStore {
  const { api, clock, report, isOnline, openOutbox, createId, restored = null, onRead } = options;
  const listeners = new Set<() => void>();
  let state = emptyPreferencesState(restored);
  let snapshot: PreferencesSnapshot | null = null;
  let saved: Promise<void> = Promise.resolve();
  let discarding: Timer | null = null;
  let isWanted = false;
  let isClosed = false;
  let outbox: PreferencesTopic | null = null;
  let stopFollowing: Unsubscribe | null = null;
  /** The pending changes that wait in the outbox, by id. */
  const waiting = new Map<string, PreferenceChange>();
  /** The ids that the outbox has stored. */
  let stored: ReadonlySet<string> = new Set();

  const dispatch = (event: PreferencesEvent) => {
    const previous = state;
    state = step(state, event);
    if (isClosed) return;
    if (state.known && state.known !== previous.known) onRead?.(state.known);
    notify();
  };
  const notify = () => {
    snapshot = null;
    for (const listener of listeners) listener();
  };

  const readWhileWanted = async (): Promise<void> => {
    if (!isWanted || isClosed) return;
    isWanted = false;
    dispatch({ type: 'read-started' });
    const preferences = await loadPreferences(api, report);
    dispatch({ type: 'read', preferences, nowMs: clock.now() });
    showWaiting();
    return readWhileWanted();
  };
  const reload = () => {
    isWanted = true;
    if (!state.isReading) void readWhileWanted();
  };

  /** Shows what an earlier visit or another tab left in the outbox, once the row itself is known. */
  const showWaiting = () => {
    const known = selectPreferences(state);
    const changes = outbox?.getSnapshot() ?? [];
    const before = stored;
    stored = new Set(changes.map(({ id }) => id));
    for (const [id, change] of waiting) {
      if (!before.has(id) || stored.has(id)) continue;
      waiting.delete(id);
      dispatch({ type: 'settled', change, nowMs: clock.now() });
    }
    if (!known || isTemporary(known)) return;
    for (const { id, payload } of changes) {
      if (waiting.has(id)) continue;
      waiting.set(id, payload.change);
      dispatch({ type: 'changed', change: payload.change });
    }
  };
  const wait = async (change: PreferenceChange, shown: Preferences) => {
    const id = createId();
    waiting.set(id, change);
    notify();
    try {
      const topic = await openOutbox();
      await topic.add(id, createWaitingPreferences(change, shown));
    } catch (problem) {
      waiting.delete(id);
      throw problem;
    }
  };

  const save = async (change: PreferenceChange, onFailure: (retry: () => void) => void) => {
    try {
      const preferences = await api.update(change);
      dispatch({ type: 'settled', change, preferences, nowMs: clock.now() });
    } catch (problem) {
      report(problem);
      const isDeleted = isNoRow(problem);
      dispatch({ type: 'settled', change, ...(isDeleted && { preferences: null }), nowMs: clock.now() });
      if (!isDeleted && !isClosed) onFailure(() => store.change(change, onFailure));
    }
  };

  const store: PreferencesStore = {
    subscribe(listener) {
      listeners.add(listener);
      discarding?.cancel();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || isClosed) return;
        discarding = clock.setTimer(() => dispatch({ type: 'discarded' }), discardAfterMs);
      };
    },
    getSnapshot: () =>
      (snapshot ??= {
        preferences: selectPreferences(state),
        isReading: state.isReading,
        isOutdated: state.hasReadFailed,
        isSaving: state.pending.length > waiting.size,
      }),
    ensure() {
      const { known, isInvalidated } = state;
      const isFresh = known && !isInvalidated && !isTemporary(known.value) && !isStale(known, clock.now());
      if (!isFresh && !state.isReading) reload();
    },
    reload,
    change(change, onFailure) {
      // A new object, because each pending change is known by its identity.
      const pending = { ...change };
      const shown = selectPreferences(state);
      dispatch({ type: 'changed', change: pending });
      if (!shown || !state.pending.includes(pending)) return;
      if (isOnline() && !outbox?.isBusy()) {
        saved = saved.then(() => save(pending, onFailure));
        return;
      }
      wait(pending, shown).catch((problem: unknown) => {
        report(problem);
        dispatch({ type: 'settled', change: pending, nowMs: clock.now() });
        if (!isClosed) onFailure(() => store.change(change, onFailure));
      });
    },
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
      if (listeners.size > 0) reload();
    },
    follow(topic) {
      stopFollowing?.();
      outbox = topic;
      const endings = [
        topic.subscribe(showWaiting),
        topic.onSettled(({ id, payload }, outcome) => {
          const change = waiting.get(id);
          waiting.delete(id);
          const { known } = state;
          const isApplied = outcome === 'sent' && known?.value;
          if (change)
            dispatch({
              type: 'settled',
              change,
              ...(isApplied && { preferences: { ...known.value, ...payload.change } }),
              nowMs: clock.now(),
            });
          // Read the row again: it has a new version, or another device's values.
          if (state.known) reload();
        }),
      ];
      stopFollowing = () => {
        for (const end of endings) end();
      };
      showWaiting();
    },
    close() {
      isClosed = true;
      stopFollowing?.();
      discarding?.cancel();
    },
  };
  return store;
}
