import type { QueryClient } from '@tanstack/react-query';
import { newerPreferences } from './preferences.ts';
import type { Preferences } from './preferences.ts';

/** null: the row was deleted on another device. */
export type CachedPreferences = Preferences | null;

export function preferencesKey(userId: string): readonly string[] {
  return ['preferences', userId];
}

/** Stores the row unless the cache has a newer version; null clears it. */
export function storePreferences(queryClient: QueryClient, userId: string, next: CachedPreferences): void {
  queryClient.setQueryData<CachedPreferences>(preferencesKey(userId), (known) =>
    next ? newerPreferences(known, next) : null,
  );
}
