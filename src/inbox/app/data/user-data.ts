import { createArrivals } from '../../features/notifications/arrivals/arrivals.ts';
import { createInbox, type Inbox } from '../../features/notifications/data/inbox.ts';
import { createMinuteClock, type MinuteClock } from '../../ui/list/minute-clock.ts';
import {
  createNotificationsApi,
  type NotificationsApi,
} from '../../features/notifications/data/notifications-api.ts';
import type { NotificationsState } from '../../features/notifications/model/state-types.ts';
import type { Timer } from 'supabase-protocol-clients/platform';
import { isDiscarded } from '../../shared/cached.ts';
import { setRegisteredKinds } from '../../shared/registered-kinds.ts';
import { createLoader, preloadDelayMs, retryFailedLoad } from '../../ui/state/loader.ts';
import { whenTrue } from '../../ui/state/when-true.ts';
import { toasts } from '../../ui/overlay/toasts.ts';
import { RestError, type RestClient } from 'supabase-protocol-clients/rest-client';
import type { Clients } from '../../shared/clients/clients-context.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import type { Outbox } from '../../shared/outbox/outbox.ts';
import type { Database } from '../../database.types.ts';
import { openDataCache, type DataCache } from './data-cache.ts';
import { DeviceOutbox } from './device-outbox.ts';

/** The data of one signed-in user, outside of React and independent of the page. */
export interface UserData {
  readonly userId: string;
  readonly inbox: Inbox;
  readonly minuteClock: MinuteClock;
  /** Returns the same promise each time. */
  readonly openCache: () => Promise<DataCache>;
  readonly outbox: Outbox;
  /** Starts reading, listening and persisting. Idempotent. */
  start(): void;
  /** Stops everything and deletes the persisted data from this device, except the stored actions. */
  close(): Promise<void>;
}

export interface UserDataOptions extends Pick<Clients, 'loadRealtime' | 'platform'> {
  readonly configuration: Pick<Configuration, 'usesBroadcasts' | 'pushPublicKey'>;
  readonly rest: RestClient<Database>;
  readonly userId: string;
  /** The claim `session_id`: the persisted data belongs to it. */
  readonly sessionId: string;
  /** Checks at the server whether the session still exists; if not, the auth client signs out. */
  readonly checkSession: () => Promise<unknown>;
  /** Saves what an account may lack of its user's browser; called again when the network is back. */
  readonly completeAccount: () => Promise<void>;
}

const persistDelayMs = 500;
/** Delay of what the first list does not need. */
const laterMs = 1_500;

export function createUserData({
  userId,
  sessionId,
  rest,
  loadRealtime,
  configuration,
  platform,
  checkSession,
  completeAccount,
}: UserDataOptions): UserData {
  const { clock, page, report } = platform;
  const notifications = createNotificationsApi(rest, userId, report, () => clock.now());
  const api: NotificationsApi = {
    ...notifications,
    // After the session has ended, reads return no rows, as in an empty inbox: only this function reports it.
    changes: (since) =>
      notifications.changes(since).catch(async (problem: unknown) => {
        if (problem instanceof RestError && problem.status === 401) await checkSession();
        throw problem;
      }),
  };
  const outbox = new DeviceOutbox(userId, platform, checkSession);
  let persistTimer: Timer | null = null;
  let laterTimers: readonly Timer[] = [];
  let stopListening: (() => void) | null = null;
  let isClosed = false;

  const openCache = createLoader(() => openDataCache({ userId, sessionId, rest, platform, outbox }));
  const arrivals = createArrivals(platform, async () => (await openCache()).isQuiet());
  const reportOnce = (problem: unknown) => {
    retryFailedLoad(problem);
    report(problem);
  };
  const withCache = (act: (opened: DataCache) => unknown) =>
    void openCache()
      .then((opened) => (isClosed ? undefined : act(opened)))
      .catch(reportOnce);
  let latest: NotificationsState | null = null;
  const persist = () => {
    persistTimer = null;
    const { status, asOfMs } = inbox.getSnapshot();
    const readAtMs = status === 'current' ? clock.now() : asOfMs;
    withCache((opened) => latest && readAtMs !== null && opened.persistNotifications(latest, readAtMs));
  };
  const inbox = createInbox({
    platform,
    api,
    outbox,
    onArrival: arrivals.add,
    onGap: () => withCache((opened) => opened.preferences.invalidate()),
    onKinds(kinds) {
      setRegisteredKinds(kinds);
      withCache((opened) => opened.persistKinds(kinds));
    },
    onChange(state) {
      latest = state;
      persistTimer ??= clock.setTimer(persist, persistDelayMs);
    },
  });
  /** Retries when the network is back, after the code of the live channel failed to load. */
  const retryListening = (problem: unknown) => {
    reportOnce(problem);
    if (isClosed) return;
    inbox.setLost(true);
    const stop = page.subscribe((signal) => {
      if (signal !== 'online') return;
      stop();
      listen().catch(retryListening);
    });
    stopListening = stop;
  };
  const isRead = () => inbox.getSnapshot().isVerified || inbox.getSnapshot().problem !== null;
  /**
   * Waits for the first list, because loading the code would delay it on a slow network. A joined channel requests earlier
   * changes.
   */
  const listen = async () => {
    await whenTrue(inbox, isRead);
    const [realtime, { openLiveChannel }] = await Promise.all([loadRealtime(), import('../live/live.ts')]);
    if (isClosed) return;
    stopListening = openLiveChannel({
      realtime,
      usesBroadcasts: configuration.usesBroadcasts,
      userId,
      platform,
      inbox,
      onPreferences: (changes) => withCache((opened) => opened.preferences.receive(changes)),
      onSessionsEnded: () => void checkSession().catch(report),
    });
  };
  /** A list that is too old for the time of a read is shown when the service cannot be asked. */
  const restore = async ({ persisted }: DataCache) => {
    if (!persisted) return;
    if (page.isOnline() && isDiscarded(persisted, clock.now())) await whenTrue(inbox, isRead);
    if (!isClosed) inbox.restore(persisted);
  };
  /** Browsers renew push subscriptions without notice, so each visit sends the current one. */
  const renewPush = async () => {
    const { pushPublicKey: publicKey } = configuration;
    if (publicKey === null || globalThis.Notification?.permission !== 'granted') return;
    const { createPushDevice, findPushBrowser } = await import('../../features/push/push-subscription.ts');
    const browser = findPushBrowser();
    if (browser) await createPushDevice({ browser, rest, sessionId, publicKey, clock }).renew();
  };
  const complete = () => void completeAccount().catch(report);
  const stopWatching = page.subscribe((signal) => {
    if (signal === 'online' && isStarted) complete();
  });
  let isStarted = false;

  return {
    userId,
    inbox,
    minuteClock: createMinuteClock(platform),
    openCache,
    outbox,
    start() {
      if (isStarted) return;
      isStarted = true;
      inbox.start();
      void outbox.start();
      listen().catch(retryListening);
      withCache(restore);
      laterTimers = [
        clock.setTimer(() => void renewPush().catch(report), page.isOnline() ? laterMs : 0),
        clock.setTimer(complete, preloadDelayMs),
      ];
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      stopListening?.();
      stopWatching();
      persistTimer?.cancel();
      for (const timer of laterTimers) timer.cancel();
      toasts.clear();
      inbox.close();
      arrivals.close();
      outbox.close();
      const opened = await openCache().catch(reportOnce);
      await opened?.wipe();
    },
  };
}
