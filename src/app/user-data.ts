import type { QueryClient } from '@tanstack/react-query';
import { createArrivals } from '../features/notifications/arrivals.ts';
import { createInbox } from '../features/notifications/inbox.ts';
import type { Inbox } from '../features/notifications/inbox.ts';
import { keepNotifications } from '../features/notifications/kept-notifications.ts';
import { createMinuteClock } from '../features/notifications/minute-clock.ts';
import type { MinuteClock } from '../features/notifications/minute-clock.ts';
import { parseNotificationChanges } from '../features/notifications/notification-changes.ts';
import { createNotificationsApi } from '../features/notifications/notifications-api.ts';
import type { NotificationsApi } from '../features/notifications/notifications-api.ts';
import type { KeptNotifications, NotificationsState } from '../features/notifications/notifications-state.ts';
import type { Platform, Timer } from '../platform/platform.ts';
import type { Change, RowRecord } from '../realtime-client/index.ts';
import { toasts } from '../ui/toasts.ts';
import type { DataClients } from './clients-context.ts';
import { openLiveChannel } from './live-channel.ts';
import { createQueryClient } from './query-client.ts';
import { createQueryPersistence } from './query-persistence.ts';

/** What belongs to one user as long as they are signed in, outside of React and of any one page. */
export interface UserData {
  readonly userId: string;
  readonly queryClient: QueryClient;
  readonly inbox: Inbox;
  readonly minuteClock: MinuteClock;
  /** Begins to read, to listen and to keep; further calls do nothing. */
  start(): void;
  /** Ends all of it, and removes what was kept on this device. */
  close(): Promise<void>;
}

export interface UserDataOptions extends DataClients {
  readonly userId: string;
  readonly platform: Platform;
}

export function createUserData({ userId, rest, realtime, platform }: UserDataOptions): UserData {
  const { clock, page, report } = platform;
  const queryClient = createQueryClient();
  const arrivals = createArrivals(platform);
  const mirror = mirrorNotifications(queryClient, userId, platform);
  const inbox = createInbox({
    userId,
    platform,
    api: throughCache(createNotificationsApi(rest, userId, report), queryClient, userId),
    onArrival: arrivals.add,
    onChange: mirror.write,
  });
  const persistence = createQueryPersistence({
    queryClient,
    userId,
    clock,
    page,
    report,
    shouldKeep: ({ queryKey, state }) => lasting.has(queryKey[0]) && !isTemporary(state.data),
  });
  let leave: (() => void) | null = null;

  return {
    userId,
    queryClient,
    inbox,
    minuteClock: createMinuteClock(platform),
    start() {
      if (leave) return;
      void persistence.start().then(() => {
        const kept = mirror.read();
        if (kept) inbox.restore(kept);
      });
      inbox.start();
      leave = openLiveChannel({
        realtime,
        userId,
        onNotifications: (changes) => inbox.receive(parseNotificationChanges(changes, report)),
        onPreferences: (changes) => void applyPreferences(queryClient, userId, changes).catch(report),
        onGap(isFirst) {
          if (isFirst) void inbox.refresh();
          else inbox.catchUp();
          void queryClient.invalidateQueries({ queryKey: ['preferences', userId] });
        },
        onConnection: inbox.setConnection,
      });
    },
    close() {
      leave?.();
      leave = () => undefined;
      toasts.clear();
      inbox.close();
      arrivals.close();
      mirror.close();
      queryClient.clear();
      return persistence.wipe();
    },
  };
}

const lasting: ReadonlySet<unknown> = new Set(['notifications', 'preferences']);
const mirrorDelayMs = 500;

function isTemporary(data: unknown): boolean {
  return (data as { readonly id?: unknown } | null | undefined)?.id === 'temp-id';
}

/** The inbox keeps its own state; the cache holds the part of it that outlives the page. */
function mirrorNotifications(queryClient: QueryClient, userId: string, { clock }: Platform) {
  const queryKey = ['notifications', userId];
  let timer: Timer | null = null;
  let latest: NotificationsState | null = null;
  const write = () => {
    timer = null;
    if (latest) queryClient.setQueryData(queryKey, keepNotifications(latest));
  };
  return {
    read: () => queryClient.getQueryData<KeptNotifications>(queryKey),
    write(state: NotificationsState) {
      latest = state;
      timer ??= clock.setTimer(write, mirrorDelayMs);
    },
    close() {
      timer?.cancel();
      latest = null;
    },
  };
}

/** Pages are read through the data cache: it joins equal reads and repeats a failed one once. */
function throughCache(api: NotificationsApi, queryClient: QueryClient, userId: string): NotificationsApi {
  return {
    ...api,
    list: (filter, { after, limit }) =>
      queryClient.fetchQuery({
        queryKey: ['notification-page', userId, filter, after?.id ?? null, limit],
        queryFn: ({ signal }) => api.list(filter, { after, limit, signal }),
        staleTime: 0,
        gcTime: 0,
        retry: 1,
      }),
  };
}

/** The code for preferences is loaded when there is something to apply. */
async function applyPreferences(
  queryClient: QueryClient,
  userId: string,
  changes: readonly Change<RowRecord>[],
): Promise<void> {
  const { applyPreferencesChanges } = await import('../features/preferences/preferences-changes.ts');
  applyPreferencesChanges(queryClient, userId, changes);
}
