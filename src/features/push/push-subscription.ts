import type { Database } from '../../database.types.ts';
import type { RestClient } from '../../rest-client/index.ts';

/** The part of the browser that push messages need. */
export interface PushBrowser {
  /** The registration of the service worker, once it is active: after the first page load. Pending while there is none. */
  readonly ready: Promise<Pick<ServiceWorkerRegistration, 'pushManager'>>;
  readonly permission: NotificationPermission;
  requestPermission(): Promise<NotificationPermission>;
}

/** `denied`: the user refused the permission. */
export type PushState = 'on' | 'off' | 'denied';

/** The browser cannot subscribe: it has no push service, or cannot reach it. */
export class PushServiceError extends Error {
  override readonly name = 'PushServiceError';
  constructor(cause: unknown) {
    super('The browser refused to subscribe to push messages', { cause });
  }
}

/** The push subscription of this device. */
export interface PushDevice {
  /** Waits for the service worker, which a first visit registers when the page is idle. */
  read(): Promise<PushState>;
  /**
   * Asks for the permission, subscribes, and sends the subscription to the server. Call it on a click: browsers refuse to ask otherwise.
   *
   * @throws {PushServiceError} if the browser cannot subscribe. @throws {RestError} if the server cannot be reached.
   */
  subscribe(): Promise<PushState>;
  /** Ends the subscription. @throws {RestError} if the server cannot be reached. */
  unsubscribe(): Promise<PushState>;
  /** Sends the subscription of this device again: browsers renew subscriptions without notice. */
  renew(): Promise<void>;
}

export interface PushDeviceOptions {
  readonly rest: RestClient<Database>;
  /** The claim `session_id`: the subscription ends with the session. */
  readonly sessionId: string;
  /** The public VAPID key, base64url. */
  readonly publicKey: string;
  readonly browser: PushBrowser;
}

/** The browser's own parts; null where it has no push messages. */
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

export function createPushDevice({ rest, sessionId, publicKey, browser }: PushDeviceOptions): PushDevice {
  const current = async () => (await browser.ready).pushManager.getSubscription();
  const saveSubscription = async (subscription: PushSubscription) => {
    const { endpoint, keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
    await rest.rpc('subscribe_to_push', { endpoint: endpoint ?? '', p256dh, auth }).execute();
  };
  return {
    async read() {
      await browser.ready;
      if (browser.permission === 'denied') return 'denied';
      return browser.permission === 'granted' && (await current()) ? 'on' : 'off';
    },
    async subscribe() {
      const permission = await browser.requestPermission();
      if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
      const { pushManager } = await browser.ready;
      const earlier = await pushManager.getSubscription();
      // A browser refuses a second key beside that of an earlier deployment.
      if (earlier && !hasKey(earlier, publicKey)) await earlier.unsubscribe();
      const subscription = await pushManager
        .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
        .catch((cause: unknown) => {
          throw new PushServiceError(cause);
        });
      try {
        await saveSubscription(subscription);
      } catch (problem) {
        await subscription.unsubscribe();
        throw problem;
      }
      return 'on';
    },
    async unsubscribe() {
      await (await current())?.unsubscribe();
      await rest.from('push_subscriptions').delete().eq('session_id', sessionId).execute();
      return 'off';
    },
    async renew() {
      const subscription = browser.permission === 'granted' ? await current() : null;
      if (subscription) await saveSubscription(subscription);
    },
  };
}

function hasKey({ options }: PushSubscription, publicKey: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === publicKey;
}
