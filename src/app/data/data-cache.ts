import type { QueryClient } from '@tanstack/react-query';
import { preferencesKey, storePreferences } from '../../features/preferences/cached-preferences.ts';
import { isTemporary, parsePreferences } from '../../features/preferences/preferences.ts';
import type { Preferences } from '../../features/preferences/preferences.ts';
import type { KeptNotifications } from '../../features/notifications/model/notifications-state.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Change, RowRecord } from '../../realtime-client/index.ts';
import { createQueryClient } from './query-client.ts';
import { createQueryPersistence } from './query-persistence.ts';

/** One user's data as persisted on this device. Its code is loaded in parallel with the first read. */
export interface DataCache {
  readonly queryClient: QueryClient;
  /** The notifications of an earlier visit; null if there are none or they are stale. */
  readonly kept: KeptNotifications | null;
  keepNotifications(kept: KeptNotifications): void;
  applyPreferences(changes: readonly Change<RowRecord>[]): void;
  /** Marks all results stale, since changes may have been missed. */
  invalidate(): void;
  /** Deletes the data of all users from memory and from this device. */
  wipe(): Promise<void>;
}

/** Whose data a cache holds, and the session that may read it. */
export interface CacheOwner {
  readonly userId: string;
  readonly sessionId: string;
}

/** Opens the cache with the persisted data. Never rejects: without storage it starts empty. */
export async function openDataCache(
  { userId, sessionId }: CacheOwner,
  { clock, page, report }: Platform,
): Promise<DataCache> {
  const queryClient = createQueryClient();
  const notificationsKey = ['notifications', userId];
  const settingsKey = preferencesKey(userId);
  const persistence = createQueryPersistence({
    queryClient,
    userId,
    sessionId,
    clock,
    page,
    report,
    shouldKeep: ({ queryKey, state }) =>
      queryKey[0] === notificationsKey[0] ||
      (queryKey[0] === settingsKey[0] && !isTemporary(state.data as Preferences | null)),
  });
  await persistence.start();
  return {
    queryClient,
    kept: queryClient.getQueryData<KeptNotifications>(notificationsKey) ?? null,
    keepNotifications: (kept) => void queryClient.setQueryData(notificationsKey, kept),
    applyPreferences(changes) {
      for (const change of changes)
        try {
          const next = change.type === 'DELETE' ? null : parsePreferences(change.record);
          storePreferences(queryClient, userId, next);
        } catch (problem) {
          report(problem);
        }
    },
    invalidate: () => void queryClient.invalidateQueries({ queryKey: settingsKey }),
    wipe() {
      queryClient.clear();
      return persistence.wipe();
    },
  };
}
