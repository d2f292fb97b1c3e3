import type { QueryClient } from '@tanstack/react-query';
import { newerPreferences } from './preferences.ts';
import type { Preferences } from './preferences.ts';

/** null: the row was deleted elsewhere. */
export type CachedPreferences = Preferences | null;

export function preferencesKey(userId: string): readonly string[] {
  return ['preferences', userId];
}

/** Puts the row into the cache unless a newer version of it is there; null clears it. */
export function storePreferences(queryClient: QueryClient, userId: string, next: CachedPreferences): void {
  queryClient.setQueryData<CachedPreferences>(preferencesKey(userId), (known) =>
    next ? newerPreferences(known, next) : null,
  );
}
