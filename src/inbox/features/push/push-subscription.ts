import type { Database } from '../../database.types.ts';
import type { Clock } from 'supabase-protocol-clients/platform';
import type { RestClient } from 'supabase-protocol-clients/rest-client';

/** The part of the browser that push messages need. */
export interface PushBrowser {
  /** The registration of the service worker, once it is active: after the first page load. Pending until then. */
  readonly ready: Promise<Pick<ServiceWorkerRegistration, 'pushManager'>>;
  readonly permission: NotificationPermission;
  requestPermission(): Promise<NotificationPermission>;
}

/** `denied`: the user refused the permission. */
export type PushState = 'on' | 'off' | 'denied';

/** `refused`: the browser has no push service, or cannot reach it. `no-response`: the browser did not settle within 15 s. */
type PushServiceErrorCode = 'refused' | 'no-response';

/** The browser cannot subscribe. Its user can only try later or elsewhere. */
export class PushServiceError extends Error {
  override readonly name = 'PushServiceError';
  readonly code: PushServiceErrorCode;
  constructor(code: PushServiceErrorCode, options?: ErrorOptions) {
    super(`The browser did not subscribe to push messages (${code})`, options);
    this.code = code;
  }
}

/** Limits the wait, because Chromium retries an unreachable push service forever. */
const responseLimitMs = 15_000;

export interface PushDeviceOptions {
  readonly rest: RestClient<Database>;
  /** The claim `session_id`: the subscription ends with the session. */
  readonly sessionId: string;
  /** The public VAPID key, base64url. */
  readonly publicKey: string;
  readonly browser: PushBrowser;
  readonly clock: Clock;
}

/** The browser's interfaces for push messages; null if it does not support them. */
export function findPushBrowser(): PushBrowser | null {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return null;
  return {
    get ready() {
      return navigator.serviceWorker.ready;
    },
    get permission() {
      return Notification.permission;
    },
    requestPermission: () => Notification.requestPermission(),
  };
}

/** The push messages of this device. */
export class PushDevice {
  readonly #options: PushDeviceOptions;
  /** The subscription that `subscribe()` waits for; a later call supersedes it. */
  #awaited: Promise<PushSubscription> | null = null;

  constructor(options: PushDeviceOptions) {
    this.#options = options;
  }

  /** Waits for the service worker, which a first visit registers when the page is idle. */
  async read(): Promise<PushState> {
    const { browser, publicKey } = this.#options;
    await browser.ready;
    if (browser.permission === 'denied') return 'denied';
    const subscription = await this.#findPermitted();
    return subscription && hasKey(subscription, publicKey) ? 'on' : 'off';
  }

  /**
   * Asks for the permission, subscribes, and sends the subscription to the server. Call it on a click: browsers refuse to ask otherwise.
   *
   * @throws {PushServiceError} if the browser cannot subscribe, or does not respond within 15 s. @throws {RestError} if the
   *   server cannot be reached.
   */
  async subscribe(): Promise<PushState> {
    const permission = await this.#options.browser.requestPermission();
    if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
    const subscription = await this.#subscribeWithKey();
    try {
      await this.#save(subscription);
    } catch (problem) {
      await subscription.unsubscribe();
      throw problem;
    }
    return 'on';
  }

  /** Ends the subscription. @throws {RestError} if the server cannot be reached. */
  async unsubscribe(): Promise<PushState> {
    const { rest, sessionId } = this.#options;
    await (await this.#find())?.unsubscribe();
    await rest.from('push_subscriptions').delete().eq('session_id', sessionId).execute();
    return 'off';
  }

  /**
   * Sends the subscription of this device again: browsers renew subscriptions without notice. One with the key of an earlier
   * deployment, which delivers nothing, is replaced; where the browser refuses that without a click, the state is `off`.
   */
  async renew(): Promise<void> {
    const subscription = await this.#findPermitted();
    if (!subscription) return;
    const isUsable = hasKey(subscription, this.#options.publicKey);
    await this.#save(isUsable ? subscription : await this.#subscribeWithKey());
  }

  async #find(): Promise<PushSubscription | null> {
    return (await this.#options.browser.ready).pushManager.getSubscription();
  }

  async #findPermitted(): Promise<PushSubscription | null> {
    return this.#options.browser.permission === 'granted' ? this.#find() : null;
  }

  async #save(subscription: PushSubscription): Promise<void> {
    const { endpoint, keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
    await this.#options.rest.rpc('subscribe_to_push', { endpoint: endpoint ?? '', p256dh, auth }).execute();
  }

  async #subscribeWithKey(): Promise<PushSubscription> {
    const { browser, publicKey } = this.#options;
    const { pushManager } = await browser.ready;
    const earlier = await pushManager.getSubscription();
    // A browser refuses a key that differs from that of an earlier deployment.
    if (earlier && !hasKey(earlier, publicKey)) await earlier.unsubscribe();
    return this.#subscribeInTime(pushManager);
  }

  #subscribeInTime(pushManager: PushManager): Promise<PushSubscription> {
    const { clock, publicKey: applicationServerKey } = this.#options;
    return new Promise((resolve, reject) => {
      const subscribing = pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
      this.#awaited = subscribing;
      const timer = clock.setTimer(() => {
        reject(new PushServiceError('no-response'));
        // The switch shows "off" already: a late subscription would stay unknown to the server.
        subscribing.then(
          (late) => this.#awaited === subscribing && late.unsubscribe(),
          () => undefined,
        );
      }, responseLimitMs);
      subscribing
        .then(resolve, (cause: unknown) => reject(new PushServiceError('refused', { cause })))
        .finally(() => timer.cancel());
    });
  }
}

function hasKey({ options }: PushSubscription, publicKey: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === publicKey;
}
