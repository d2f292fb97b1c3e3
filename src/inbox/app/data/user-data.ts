import { createArrivals, type Arrivals } from '../../features/notifications/arrivals/arrivals.ts';
import { createInbox, type Inbox } from '../../features/notifications/data/inbox.ts';
import { createMinuteClock, type MinuteClock } from '../../ui/list/minute-clock.ts';
import {
  createNotificationsApi,
  type NotificationsApi,
} from '../../features/notifications/data/notifications-api.ts';
import type { Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import { isDiscarded } from '../../shared/cached.ts';
import { setRegisteredKinds } from '../../shared/registered-kinds.ts';
import { createLoader, preloadDelayMs, retryFailedLoad } from '../../ui/state/loader.ts';
import { waitUntil } from '../../ui/state/wait-until.ts';
import { toasts } from '../../ui/state/toasts.ts';
import { RestError, type RestClient } from 'supabase-protocol-clients/rest-client';
import type { Clients } from '../../shared/clients/clients-context.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import type { Outbox } from '../../shared/outbox/outbox.ts';
import type { Database } from '../../database.types.ts';
import { openDataCache, type DataCache } from './data-cache.ts';
import { DeviceOutbox } from './device-outbox.ts';

export interface UserDataOptions extends Pick<Clients, 'loadRealtime' | 'platform'> {
  readonly configuration: Pick<Configuration, 'usesBroadcasts' | 'pushPublicKey'>;
  readonly rest: RestClient<Database>;
  readonly userId: string;
  /** The claim `session_id`: the persisted data belongs to it. */
  readonly sessionId: string;
  /** Checks at the server whether the session still exists; if not, the auth client signs out. */
  readonly checkSession: () => Promise<unknown>;
  /**
   * Saves the browser's language and time zone with an account that lacks them; called again when the network is back.
   */
  readonly completeAccount: () => Promise<void>;
}

/** The delay of work that the first list does not need. */
const laterMs = 1_500;

/** The data of one signed-in user, outside of React and independent of the page. */
export class UserData {
  readonly userId: string;
  readonly inbox: Inbox;
  readonly minuteClock: MinuteClock;
  readonly outbox: Outbox;
  /** Returns the same promise each time. */
  readonly openCache: () => Promise<DataCache>;
  readonly #options: UserDataOptions;
  readonly #arrivals: Arrivals;
  readonly #stopWatching: Unsubscribe;
  #isStarted = false;
  #isClosed = false;
  #laterTimers: readonly Timer[] = [];
  #stopListening: (() => void) | null = null;

  constructor(options: UserDataOptions) {
    const { userId, platform, checkSession } = options;
    this.#options = options;
    this.userId = userId;
    this.minuteClock = createMinuteClock(platform);
    this.outbox = new DeviceOutbox(userId, platform, checkSession);
    this.openCache = createLoader(() => openDataCache({ ...options, outbox: this.outbox }));
    this.#arrivals = createArrivals(platform, async () => (await this.openCache()).isQuiet());
    this.inbox = this.#createInbox();
    this.#stopWatching = platform.page.subscribe((signal) => {
      if (signal === 'online' && this.#isStarted) this.#completeAccount();
    });
  }

  /** Starts reading, listening and persisting. Idempotent. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.inbox.start();
    void this.outbox.start();
    this.#listen();
    this.#withCache((opened) => this.#restore(opened));
    const { clock, page, report } = this.#options.platform;
    this.#laterTimers = [
      clock.setTimer(() => void this.#renewPush().catch(report), page.isOnline() ? laterMs : 0),
      clock.setTimer(() => this.#completeAccount(), preloadDelayMs),
    ];
  }

  /** Stops everything and deletes the persisted data from this device, except the stored actions. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening?.();
    this.#stopWatching();
    for (const timer of this.#laterTimers) timer.cancel();
    toasts.clear();
    this.inbox.close();
    this.#arrivals.close();
    this.outbox.close();
    const opened = await this.openCache().catch((problem: unknown) => this.#reportOnce(problem));
    await opened?.wipe();
  }

  #createInbox(): Inbox {
    const { platform } = this.#options;
    return createInbox({
      platform,
      api: this.#createApi(),
      outbox: this.outbox,
      onArrival: this.#arrivals.add,
      onGap: () => this.#withCache((opened) => opened.preferences.invalidate()),
      onKinds: (kinds) => {
        setRegisteredKinds(kinds);
        this.#withCache((opened) => opened.persistKinds(kinds));
      },
      onChange: (state) =>
        this.#withCache((opened) => opened.persistNotifications(state, () => this.#readAtMs())),
    });
  }

  #createApi(): NotificationsApi {
    const { rest, userId, platform, checkSession } = this.#options;
    const api = createNotificationsApi(rest, userId, platform.report, () => platform.clock.now());
    return {
      ...api,
      // After the session has ended, reads return no rows, as in an empty inbox: only this function reports it.
      changes: (since) =>
        api.changes(since).catch(async (problem: unknown) => {
          if (problem instanceof RestError && problem.status === 401) await checkSession();
          throw problem;
        }),
    };
  }

  #reportOnce(problem: unknown): void {
    retryFailedLoad(problem);
    this.#options.platform.report(problem);
  }

  #withCache(act: (opened: DataCache) => unknown): void {
    void this.openCache()
      .then((opened) => (this.#isClosed ? undefined : act(opened)))
      .catch((problem: unknown) => this.#reportOnce(problem));
  }

  /** Until when the list is known to be current. */
  #readAtMs(): number | null {
    const { status, asOfMs } = this.inbox.getSnapshot();
    return status === 'current' ? this.#options.platform.clock.now() : asOfMs;
  }

  /** A list that is otherwise too old is shown if the service cannot be reached. */
  async #restore({ persisted }: DataCache): Promise<void> {
    const { clock, page } = this.#options.platform;
    if (!persisted) return;
    if (page.isOnline() && isDiscarded(persisted, clock.now())) await this.#untilRead();
    if (!this.#isClosed) this.inbox.restore(persisted);
  }

  #untilRead(): Promise<void> {
    return waitUntil(
      this.inbox,
      () => this.inbox.getSnapshot().isVerified || this.inbox.getSnapshot().problem !== null,
    );
  }

  /** Retries when the network is back, after the code of the live channel failed to load. */
  #listen(): void {
    this.#openChannel().catch((problem: unknown) => {
      this.#reportOnce(problem);
      if (this.#isClosed) return;
      this.inbox.setLost(true);
      const stop = this.#options.platform.page.subscribe((signal) => {
        if (signal !== 'online') return;
        stop();
        this.#listen();
      });
      this.#stopListening = stop;
    });
  }

  /**
   * Waits for the first list, because loading the code would delay it on a slow network. A joined channel requests earlier
   * changes.
   */
  async #openChannel(): Promise<void> {
    const { configuration, userId, platform, loadRealtime, checkSession } = this.#options;
    await this.#untilRead();
    const [realtime, { openLiveChannel }] = await Promise.all([loadRealtime(), import('../live/live.ts')]);
    if (this.#isClosed) return;
    this.#stopListening = openLiveChannel({
      realtime,
      usesBroadcasts: configuration.usesBroadcasts,
      userId,
      platform,
      inbox: this.inbox,
      onPreferences: (changes) => this.#withCache((opened) => opened.preferences.receive(changes)),
      onSessionsEnded: () => void checkSession().catch(platform.report),
    });
  }

  /** Browsers renew push subscriptions without notice, so each visit sends the current one. */
  async #renewPush(): Promise<void> {
    const { configuration, rest, sessionId, platform } = this.#options;
    const { pushPublicKey: publicKey } = configuration;
    if (publicKey === null || globalThis.Notification?.permission !== 'granted') return;
    const { PushDevice, findPushBrowser } = await import('../../features/push/push-subscription.ts');
    const browser = findPushBrowser();
    if (browser) await new PushDevice({ browser, rest, sessionId, publicKey, clock: platform.clock }).renew();
  }

  #completeAccount(): void {
    const { completeAccount, platform } = this.#options;
    void completeAccount().catch(platform.report);
  }
}
