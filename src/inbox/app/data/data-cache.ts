import { createPreferencesApi } from '../../features/preferences/data/preferences-api.ts';
import { PreferencesStore } from '../../features/preferences/data/preferences-store.ts';
import { isTemporary, type Preferences } from '../../features/preferences/preferences.ts';
import { isQuiet } from '../../features/preferences/quiet/quiet-hours.ts';
import type { Platform } from 'supabase-protocol-clients/platform';
import { selectPersistedNotifications } from '../../features/notifications/data/persisted-notifications.ts';
import type {
  PersistedNotifications,
  NotificationsState,
} from '../../features/notifications/model/state-types.ts';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import { waitUntil } from '../../ui/state/wait-until.ts';
import { isDiscarded, type Cached } from '../../shared/cached.ts';
import { registeredKinds, setRegisteredKinds, type RegisteredKind } from '../../shared/registered-kinds.ts';
import type { Outbox } from '../../shared/outbox/outbox.ts';
import type { Database } from '../../database.types.ts';
import { openPersistedCache } from './persisted-cache.ts';

/** One user's data as persisted on this device. Its code is loaded in parallel with the first read. */
export interface DataCache {
  readonly preferences: PreferencesStore;
  /** The notifications of an earlier visit, of any age; null if they are missing. */
  readonly persisted: Cached<PersistedNotifications> | null;
  /** @param readAtMs until when the list is known to be current, in epoch milliseconds; null if it never was. */
  persistNotifications(state: NotificationsState, readAtMs: () => number | null): void;
  /** Whether the quiet hours are in force now; reads the preferences unless they are known. */
  isQuiet(): Promise<boolean>;
  persistKinds(kinds: readonly RegisteredKind[]): void;
  /** Deletes the data of all users from memory and from this device. */
  wipe(): Promise<void>;
}

export interface DataCacheOptions {
  readonly userId: string;
  readonly sessionId: string;
  readonly rest: RestClient<Database>;
  readonly platform: Platform;
  readonly outbox: Outbox;
}

const keys = { notifications: 'notifications', preferences: 'preferences', kinds: 'kinds' } as const;

/** Opens the cache with the persisted data. Never rejects: without storage it starts empty. */
export async function openDataCache({
  userId,
  sessionId,
  rest,
  platform,
  outbox,
}: DataCacheOptions): Promise<DataCache> {
  const { clock, page, report } = platform;
  /** A discarded copy is better than none while the device is offline. */
  const isUsable = (cached: Cached<unknown>) => !page.isOnline() || !isDiscarded(cached, clock.now());
  const store = await openPersistedCache({ userId, sessionId, clock, page, report });
  const saved = store.get(keys.preferences);
  const preferences = new PreferencesStore({
    api: createPreferencesApi(rest, userId),
    platform,
    outbox,
    // The cast holds, because `format` in persisted-cache.ts changes with the type.
    restored: (saved && isUsable(saved) ? saved : undefined) as Cached<Preferences | null> | undefined,
    onRead(cached) {
      if (!isTemporary(cached.value)) store.set(keys.preferences, () => cached);
    },
  });
  // The cast holds for the same reason. A response of the server may have been faster.
  const kinds = store.get(keys.kinds) as Cached<readonly RegisteredKind[]> | undefined;
  if (kinds && registeredKinds.getSnapshot().size === 0) setRegisteredKinds(kinds.value);
  const notifications = store.get(keys.notifications) as Cached<PersistedNotifications> | undefined;
  return {
    preferences,
    persisted: notifications ?? null,
    persistNotifications: (state, readAtMs) =>
      store.set(keys.notifications, () => {
        const atMs = readAtMs();
        return atMs === null ? null : { value: selectPersistedNotifications(state), readAtMs: atMs };
      }),
    async isQuiet() {
      preferences.ensure();
      await waitUntil(preferences, () => !preferences.getSnapshot().isReading);
      return isQuiet(preferences.getSnapshot().preferences, clock.now());
    },
    persistKinds(value) {
      const readAtMs = clock.now();
      store.set(keys.kinds, () => ({ value, readAtMs }));
    },
    wipe() {
      preferences.close();
      setRegisteredKinds([]);
      return store.wipe();
    },
  };
}
