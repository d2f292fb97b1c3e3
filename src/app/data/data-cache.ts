import type { QueryClient } from '@tanstack/react-query';
import { preferencesKey, storePreferences } from '../../features/preferences/cached-preferences.ts';
import { isTemporary, parsePreferences } from '../../features/preferences/preferences.ts';
import type { Preferences } from '../../features/preferences/preferences.ts';
import type { KeptNotifications } from '../../features/notifications/model/notifications-state.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Change, RowRecord } from '../../realtime-client/index.ts';
import { createQueryClient } from './query-client.ts';
import { createQueryPersistence } from './query-persistence.ts';

/** One user's data as this device keeps it. Its code is loaded beside the first read, never before it. */
export interface DataCache {
  readonly queryClient: QueryClient;
  /** What was kept from an earlier visit; null if nothing was, or it is too old. */
  readonly kept: KeptNotifications | null;
  keepNotifications(kept: KeptNotifications): void;
  applyPreferences(changes: readonly Change<RowRecord>[]): void;
  /** Changes may have been missed: what is shown is read again. */
  invalidate(): void;
  /** Removes everything, of every user, from memory and from the device. */
  wipe(): Promise<void>;
}

/** Opens the cache with what was kept. Never rejects: without storage it begins empty. */
export async function openDataCache(userId: string, { clock, page, report }: Platform): Promise<DataCache> {
  const queryClient = createQueryClient();
  const notificationsKey = ['notifications', userId];
  const settingsKey = preferencesKey(userId);
  const persistence = createQueryPersistence({
    queryClient,
    userId,
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
