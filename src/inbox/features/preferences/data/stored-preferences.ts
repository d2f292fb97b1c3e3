import type { OutboxOutcome } from '../../../shared/outbox/outbox-state.ts';
import type { PreferenceChange, Preferences } from '../preferences.ts';
import { isNoRow } from './load-preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';

export const preferencesTopic = 'preferences';

export interface StoredPreferences {
  readonly format: 1;
  readonly change: PreferenceChange;
  /** The earlier values. Different values when the change is sent are a conflict. */
  readonly before: PreferenceChange;
}

/** The response: the current row; null: it was deleted. */
export type PreferencesOutcome = OutboxOutcome<Preferences | null>;

/** @param shown the preferences with all earlier changes. */
export function createStoredPreferences(change: PreferenceChange, shown: Preferences): StoredPreferences {
  const before = Object.fromEntries(
    Object.keys(change).map((name) => [name, shown[name as keyof PreferenceChange]]),
  );
  return { format: 1, change, before };
}

/** null: stored by another version of the application. */
export function parseStoredPreferences(payload: unknown): StoredPreferences | null {
  const stored = payload as Partial<StoredPreferences> | null;
  return stored?.format === 1 ? (stored as StoredPreferences) : null;
}

/** Sends a change of preferences, unless another device has changed the same settings since. */
export async function sendPreferences(
  api: Pick<PreferencesApi, 'read' | 'update'>,
  { change, before }: StoredPreferences,
): Promise<PreferencesOutcome> {
  try {
    return { type: 'sent', response: await api.update(change, before) };
  } catch (problem) {
    if (!isNoRow(problem)) throw problem;
  }
  try {
    const row = await api.read();
    // An earlier attempt may have been applied although its response was lost.
    return { type: hasValues(row, change) ? 'sent' : 'changed', response: row };
  } catch (problem) {
    if (!isNoRow(problem)) throw problem;
    return { type: 'deleted', response: null };
  }
}

/** Arrays are compared by their items, objects by their entries. */
function hasValues(row: Preferences, values: PreferenceChange): boolean {
  return Object.entries(values).every(
    ([name, value]) => canonical(row[name as keyof Preferences]) === canonical(value),
  );
}

/** The value as JSON with sorted keys, because the database orders them differently. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}
