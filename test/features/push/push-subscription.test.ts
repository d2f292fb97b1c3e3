import { beforeEach, describe, expect, test } from 'vitest';
import { decodeJwt } from 'jose';
import webPush from 'web-push';
import type { Database } from '../../../src/database.types.ts';
import { createPushDevice } from '../../../src/features/push/push-subscription.ts';
import { createBrowserPlatform } from '../../../src/platform/browser-platform.ts';
import { createRestClient } from '../../../src/rest-client/index.ts';
import { ada, signIn, useLocalSupabase } from '../../support/local-supabase.ts';
import { createPushDevice as createDeviceKeys } from '../../support/push-service.ts';

const supabase = useLocalSupabase();
const { publicKey } = webPush.generateVAPIDKeys();

beforeEach(() => supabase().database.exec('delete from push_subscriptions'));

/** A browser whose push service hands out one subscription after the other. */
async function openDevice({
  answer = 'granted',
  hasPushService = true,
}: { readonly answer?: NotificationPermission; readonly hasPushService?: boolean } = {}) {
  const token = await signIn(supabase(), ada.email);
  let isBroken = false;
  let current: PushSubscription | null = null;
  let count = 0;
  const browser = {
    permission: 'default' as NotificationPermission,
    requestPermission: () => Promise.resolve((browser.permission = answer)),
    ready: Promise.resolve({
      pushManager: {
        getSubscription: () => Promise.resolve(current),
        subscribe: (options: PushSubscriptionOptionsInit) => {
          if (!hasPushService) return Promise.reject(new DOMException('Registration failed', 'AbortError'));
          if (current) return Promise.resolve(current);
          count += 1;
          const json = { endpoint: `https://push.example.com/${count}`, keys: createDeviceKeys().keys };
          current = {
            options: {
              applicationServerKey: new Uint8Array(
                Buffer.from(options.applicationServerKey as string, 'base64url'),
              ).buffer,
            },
            toJSON: () => json,
            unsubscribe: () => {
              current = null;
              return Promise.resolve(true);
            },
          } as unknown as PushSubscription;
          return Promise.resolve(current);
        },
      } as unknown as PushManager,
    }),
  };
  const device = createPushDevice({
    rest: createRestClient<Database>({
      url: supabase().url,
      apiKey: supabase().anonKey,
      platform: createBrowserPlatform({
        fetch: (input, init) =>
          isBroken ? Promise.reject(new TypeError('Failed to fetch')) : supabase().fetch(input, init),
      }),
      getAccessToken: () => Promise.resolve(token),
      retry: { limit: 0 },
    }),
    sessionId: String(decodeJwt(token)['session_id']),
    publicKey,
    browser,
  });
  return { device, browser, hasSubscription: () => current !== null, break: () => (isBroken = true) };
}
const endpoints = async () =>
  (await supabase().database.query<{ endpoint: string }>('select endpoint from push_subscriptions')).map(
    ({ endpoint }) => endpoint,
  );

describe('the push messages of a device', () => {
  test('are turned on with the permission, and off again', async () => {
    const { device, hasSubscription } = await openDevice();
    expect(await device.read()).toBe('off');
    expect(await device.subscribe()).toBe('on');
    expect(await device.read()).toBe('on');
    expect(await endpoints()).toEqual(['https://push.example.com/1']);
    expect(await device.unsubscribe()).toBe('off');
    expect(hasSubscription()).toBe(false);
    expect(await endpoints()).toEqual([]);
  });

  test('stay off where the permission is refused', async () => {
    const { device } = await openDevice({ answer: 'denied' });
    expect(await device.subscribe()).toBe('denied');
    expect(await device.read()).toBe('denied');
    expect(await endpoints()).toEqual([]);
  });

  test('stay off in a browser without a push service', async () => {
    const { device } = await openDevice({ hasPushService: false });
    await expect(device.subscribe()).rejects.toMatchObject({
      name: 'PushServiceError',
      cause: { name: 'AbortError' },
    });
    expect(await device.read()).toBe('off');
    expect(await endpoints()).toEqual([]);
  });

  test('stay off when the server cannot be reached', async () => {
    const opened = await openDevice();
    opened.break();
    await expect(opened.device.subscribe()).rejects.toMatchObject({ code: 'network' });
    expect(opened.hasSubscription()).toBe(false);
  });

  test('are renewed when the browser has a new subscription', async () => {
    const { device, browser } = await openDevice();
    await device.renew();
    expect(await endpoints()).toEqual([]);
    await device.subscribe();
    expect(await device.subscribe()).toBe('on');
    await supabase().database.exec('delete from push_subscriptions');
    await device.renew();
    expect(await endpoints()).toEqual(['https://push.example.com/1']);
    expect(browser.permission).toBe('granted');
  });
});
