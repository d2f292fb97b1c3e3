import type { Cached } from '../../../shared/cached.ts';
import { isTemporary, newerPreferences, type PreferenceChange, type Preferences } from '../preferences.ts';

/** null: the row was deleted on another device. */
export type KnownPreferences = Preferences | null;

export interface PreferencesState {
  /** The row that was last read, saved or received; null before the first. */
  readonly known: Cached<KnownPreferences> | null;
  /** Whether changes of the row may have been missed since. */
  readonly isInvalidated: boolean;
  /** Whether the last read failed: `known` is an earlier copy. */
  readonly hasReadFailed: boolean;
  /** The pending changes of the outbox, oldest first. */
  readonly pending: readonly { readonly id: string; readonly change: PreferenceChange }[];
}

export type PreferencesEvent =
  | { readonly type: 'read-started' | 'read-failed' | 'invalidated' | 'discarded' }
  /** The result of a read; temporary defaults where the row can neither be read nor inserted. */
  | { readonly type: 'read'; readonly preferences: Preferences; readonly nowMs: number }
  /** The row from the live channel; null: deleted. */
  | { readonly type: 'received'; readonly preferences: KnownPreferences; readonly nowMs: number }
  /** A change of temporary defaults, which live in memory only: there is no row to save it to. */
  | { readonly type: 'changed'; readonly change: PreferenceChange }
  | { readonly type: 'pending'; readonly id: string; readonly change: PreferenceChange }
  /** No longer pending; with the current row, null if it no longer exists. */
  | {
      readonly type: 'settled';
      readonly id: string;
      readonly preferences?: KnownPreferences | undefined;
      readonly nowMs: number;
    };

export function emptyPreferencesState(restored: Cached<KnownPreferences> | null): PreferencesState {
  return { known: restored, isInvalidated: false, hasReadFailed: false, pending: [] };
}

export function step(state: PreferencesState, event: PreferencesEvent): PreferencesState {
  switch (event.type) {
    case 'read-started':
      return { ...state, isInvalidated: false };
    case 'read-failed':
      return { ...state, hasReadFailed: true };
    case 'read': {
      // Temporary defaults replace neither a known row nor earlier ones, which the user may have changed.
      if (isTemporary(event.preferences) && state.known?.value) return step(state, { type: 'read-failed' });
      return { ...store(state, event.preferences, event.nowMs), hasReadFailed: false };
    }
    case 'received':
      return { ...store(state, event.preferences, event.nowMs), hasReadFailed: false };
    case 'invalidated':
      return { ...state, isInvalidated: true };
    case 'discarded':
      return { ...state, known: null };
    case 'changed':
      return state.known?.value
        ? { ...state, known: { ...state.known, value: { ...state.known.value, ...event.change } } }
        : state;
    case 'pending':
      return { ...state, pending: [...state.pending, { id: event.id, change: event.change }] };
    case 'settled': {
      const pending = state.pending.filter(({ id }) => id !== event.id);
      const settled = { ...state, pending };
      return event.preferences === undefined ? settled : store(settled, event.preferences, event.nowMs);
    }
  }
}

/** The known row with the pending changes applied. */
export function selectPreferences({ known, pending }: PreferencesState): KnownPreferences | undefined {
  if (!known?.value) return known?.value;
  return Object.assign({}, known.value, ...pending.map(({ change }) => change)) as Preferences;
}

/** Keeps the newer of two versions of the row. */
function store(state: PreferencesState, preferences: KnownPreferences, nowMs: number): PreferencesState {
  const value = preferences && newerPreferences(state.known?.value, preferences);
  return { ...state, known: { value, readAtMs: nowMs } };
}
