import type { Cached } from '../../../shared/cached.ts';
import { isTemporary, newerPreferences } from '../preferences.ts';
import type { PreferenceChange, Preferences } from '../preferences.ts';

/** null: the row was deleted on another device. */
export type KnownPreferences = Preferences | null;

export interface PreferencesState {
  /** The server's row as it was last read, saved or received; null before the first of them. */
  readonly known: Cached<KnownPreferences> | null;
  /** Whether changes of the row may have been missed since. */
  readonly isInvalidated: boolean;
  readonly isReading: boolean;
  /** Whether the last read failed: `known` is an earlier copy. */
  readonly hasReadFailed: boolean;
  /** Changes that the server has not confirmed, oldest first. */
  readonly pending: readonly PreferenceChange[];
}

export type PreferencesEvent =
  | { readonly type: 'read-started' | 'read-failed' | 'invalidated' | 'discarded' }
  /** The answer of a read; temporary defaults where the row can neither be read nor inserted. */
  | { readonly type: 'read'; readonly preferences: Preferences; readonly nowMs: number }
  /** The row from the live channel; null: deleted. */
  | { readonly type: 'received'; readonly preferences: KnownPreferences; readonly nowMs: number }
  | { readonly type: 'changed'; readonly change: PreferenceChange }
  /** Saved: the row as it is now; null: it no longer exists. Failed: no row. */
  | {
      readonly type: 'settled';
      readonly change: PreferenceChange;
      readonly preferences?: KnownPreferences;
      readonly nowMs: number;
    };

export function emptyPreferencesState(restored: Cached<KnownPreferences> | null): PreferencesState {
  return { known: restored, isInvalidated: false, isReading: false, hasReadFailed: false, pending: [] };
}

export function step(state: PreferencesState, event: PreferencesEvent): PreferencesState {
  switch (event.type) {
    case 'read-started':
      return { ...state, isReading: true, isInvalidated: false };
    case 'read-failed':
      return { ...state, isReading: false, hasReadFailed: true };
    case 'read': {
      // Temporary defaults replace neither a known row nor earlier ones, which the user may have changed.
      if (isTemporary(event.preferences) && state.known?.value) return step(state, { type: 'read-failed' });
      return { ...store(state, event.preferences, event.nowMs), isReading: false, hasReadFailed: false };
    }
    case 'received':
      return { ...store(state, event.preferences, event.nowMs), hasReadFailed: false };
    case 'invalidated':
      return { ...state, isInvalidated: true };
    case 'discarded':
      return { ...state, known: null };
    case 'changed':
      return change(state, event.change);
    case 'settled': {
      const pending = state.pending.filter((each) => each !== event.change);
      const settled = { ...state, pending };
      return event.preferences === undefined ? settled : store(settled, event.preferences, event.nowMs);
    }
  }
}

/** The known row with the pending changes applied. */
export function selectPreferences({ known, pending }: PreferencesState): KnownPreferences | undefined {
  if (!known?.value) return known?.value;
  return Object.assign({}, known.value, ...pending) as Preferences;
}

function change(state: PreferencesState, wanted: PreferenceChange): PreferencesState {
  const { known } = state;
  if (!known?.value) return state;
  // Temporary defaults live in memory only: there is no row to save the change to.
  if (isTemporary(known.value))
    return { ...state, known: { ...known, value: { ...known.value, ...wanted } } };
  return { ...state, pending: [...state.pending, wanted] };
}

/** Keeps the newer of two versions of the row. */
function store(state: PreferencesState, preferences: KnownPreferences, nowMs: number): PreferencesState {
  const value = preferences && newerPreferences(state.known?.value, preferences);
  return { ...state, known: { value, readAtMs: nowMs } };
}
