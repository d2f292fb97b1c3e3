import type { QueryClient } from '@tanstack/react-query';
import type { Change, RowRecord } from '../../realtime-client/index.ts';
import { newerPreferences, parsePreferences } from './preferences.ts';
import type { Preferences } from './preferences.ts';

/** null: the row was deleted elsewhere. */
export type CachedPreferences = Preferences | null;

export function preferencesKey(userId: string): readonly string[] {
  return ['preferences', userId];
}

/** Applies live changes of the row to the cache; a deletion clears it. */
export function applyPreferencesChanges(
  queryClient: QueryClient,
  userId: string,
  changes: readonly Change<RowRecord>[],
): void {
  for (const change of changes) {
    const next = change.type === 'DELETE' ? null : parsePreferences(change.record);
    storePreferences(queryClient, userId, next);
  }
}

export function storePreferences(queryClient: QueryClient, userId: string, next: CachedPreferences): void {
  queryClient.setQueryData<CachedPreferences>(preferencesKey(userId), (known) =>
    next ? newerPreferences(known, next) : null,
  );
}
