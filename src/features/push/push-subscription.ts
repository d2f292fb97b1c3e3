import type { Database } from '../../database.types.ts';
import type { RestClient } from '../../rest-client/index.ts';

/** The part of the browser that push messages need. */
export interface PushBrowser {
  /** The registration of the service worker; undefined: there is none. */
  getRegistration(): Promise<Pick<ServiceWorkerRegistration, 'pushManager'> | undefined>;
  readonly permission: NotificationPermission;
  requestPermission(): Promise<NotificationPermission>;
}

/** `denied`: the user refused the permission. */
export type PushState = 'on' | 'off' | 'denied';

/** The push subscription of this device. */
export interface PushDevice {
  /** null: no service worker is registered, as in development. */
  read(): Promise<PushState | null>;
  /**
   * Asks for the permission, subscribes, and sends the subscription to the server. Call it on a click: browsers refuse to ask otherwise.
   *
   * @throws {Error} if there is no service worker, or the push service or the server cannot be reached.
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
    getRegistration: () => navigator.serviceWorker.getRegistration(),
    get permission() {
      return Notification.permission;
    },
    requestPermission: () => Notification.requestPermission(),
  };
}

export function createPushDevice({ rest, sessionId, publicKey, browser }: PushDeviceOptions): PushDevice {
  const current = async () =>
    (await (await browser.getRegistration())?.pushManager.getSubscription()) ?? null;
  const saveSubscription = async (subscription: PushSubscription) => {
    const { endpoint, keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
    await rest.rpc('subscribe_to_push', { endpoint: endpoint ?? '', p256dh, auth }).execute();
  };
  return {
    async read() {
      if (!(await browser.getRegistration())) return null;
      if (browser.permission === 'denied') return 'denied';
      return browser.permission === 'granted' && (await current()) ? 'on' : 'off';
    },
    async subscribe() {
      const permission = await browser.requestPermission();
      if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
      const registration = await browser.getRegistration();
      if (!registration) throw new Error('No service worker is registered');
      const earlier = await registration.pushManager.getSubscription();
      // A browser refuses a second key beside that of an earlier deployment.
      if (earlier && !hasKey(earlier, publicKey)) await earlier.unsubscribe();
      const subscription = await registration.pushManager.subscribe({
        userVisibleOnly: true,
        applicationServerKey: publicKey,
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
