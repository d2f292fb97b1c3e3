import { beforeEach, expect, test } from 'vitest';
import { decodeJwt } from 'jose';
import webPush from 'web-push';
import type { Database } from '../../../../src/inbox/database.types.ts';
import { PushDevice } from '../../../../src/inbox/features/push/push-subscription.ts';
import { createPlatform } from '../../../../src/platform/browser-platform.ts';
import { createRestClient } from '../../../../src/rest-client/index.ts';
import { createFakeClock } from '../../../../src/testing/index.ts';
import { ada, signIn, useLocalSupabase } from '../../../support/local-supabase.ts';
import { createPushDevice as createDeviceKeys } from '../../../support/push-service.ts';

const supabase = useLocalSupabase();
const { publicKey } = webPush.generateVAPIDKeys();

beforeEach(() => supabase().database.exec('delete from push_subscriptions'));

/** A browser whose push service hands out one subscription after the other. */
async function openDevice({
  decision = 'granted',
  pushService = 'works',
}: {
  readonly decision?: NotificationPermission;
  readonly pushService?: 'works' | 'missing' | 'silent';
} = {}) {
  const clock = createFakeClock();
  let respond = () => {};
  const responded = new Promise<void>((resolve) => (respond = resolve));
  const token = await signIn(supabase(), ada.email);
  let isBroken = false;
  let current: PushSubscription | null = null;
  let count = 0;
  const browser = {
    permission: 'default' as NotificationPermission,
    requestPermission: () => Promise.resolve((browser.permission = decision)),
    ready: Promise.resolve({
      pushManager: {
        getSubscription: () => Promise.resolve(current),
        subscribe: async (options: PushSubscriptionOptionsInit) => {
          if (pushService === 'missing') throw new DOMException('Registration failed', 'AbortError');
          if (pushService === 'silent') await responded;
          if (current) return current;
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
          return current;
        },
      } as unknown as PushManager,
    }),
  };
  const deploy = (key: string) =>
    new PushDevice({
      rest: createRestClient<Database>({
        url: supabase().url,
        apiKey: supabase().anonKey,
        platform: createPlatform({
          fetch: (input, init) =>
            isBroken ? Promise.reject(new TypeError('Failed to fetch')) : supabase().fetch(input, init),
        }),
        getAccessToken: () => Promise.resolve(token),
        retry: { limit: 0 },
      }),
      sessionId: String(decodeJwt(token)['session_id']),
      publicKey: key,
      browser,
      clock,
    });
  return {
    device: deploy(publicKey),
    /** The device as a page with another key sees it. */
    deploy,
    browser,
    clock,
    /** Lets the silent push service respond. */
    respond: respond,
    hasSubscription: () => current !== null,
    subscriptions: () => count,
    break: () => (isBroken = true),
  };
}
const endpoints = async () =>
  (await supabase().database.query<{ endpoint: string }>('select endpoint from push_subscriptions')).map(
    ({ endpoint }) => endpoint,
  );

test('the push messages of a device are turned on with the permission, and off again', async () => {
  const { device, hasSubscription } = await openDevice();
  expect(await device.read()).toBe('off');
  expect(await device.subscribe()).toBe('on');
  expect(await device.read()).toBe('on');
  expect(await endpoints()).toEqual(['https://push.example.com/1']);
  expect(await device.unsubscribe()).toBe('off');
  expect(hasSubscription()).toBe(false);
  expect(await endpoints()).toEqual([]);
});

test('the push messages of a device stay off where the permission is refused', async () => {
  const { device } = await openDevice({ decision: 'denied' });
  expect(await device.subscribe()).toBe('denied');
  expect(await device.read()).toBe('denied');
  expect(await endpoints()).toEqual([]);
});

test('the push messages of a device stay off in a browser without a push service', async () => {
  const { device } = await openDevice({ pushService: 'missing' });
  await expect(device.subscribe()).rejects.toMatchObject({
    name: 'PushServiceError',
    code: 'refused',
    cause: { name: 'AbortError' },
  });
  expect(await device.read()).toBe('off');
  expect(await endpoints()).toEqual([]);
});

test('the push messages of a device stay off when the push service does not respond within 15 s, even if it responds later', async () => {
  const opened = await openDevice({ pushService: 'silent' });
  const outcome = opened.device.subscribe().catch((problem: unknown) => problem);
  await opened.clock.advance(14_999);
  expect(opened.clock.pendingTimers).toBe(1);
  await opened.clock.advance(1);
  expect(await outcome).toMatchObject({ name: 'PushServiceError', code: 'no-response' });
  opened.respond();
  await opened.clock.advance(0);
  expect(opened.subscriptions()).toBe(1);
  expect(opened.hasSubscription()).toBe(false);
  expect(await opened.device.read()).toBe('off');
  expect(await endpoints()).toEqual([]);
});

test('the push messages of a device are turned on by a second attempt, to which the push service responds', async () => {
  const { device, clock, respond } = await openDevice({ pushService: 'silent' });
  const first = device.subscribe().catch((problem: unknown) => problem);
  await clock.advance(15_000);
  expect(await first).toMatchObject({ code: 'no-response' });
  const second = device.subscribe();
  await clock.advance(1_000);
  respond();
  expect(await second).toBe('on');
  expect(await device.read()).toBe('on');
  expect(await endpoints()).toHaveLength(1);
});

test('the push messages of a device stay off when the server cannot be reached', async () => {
  const opened = await openDevice();
  opened.break();
  await expect(opened.device.subscribe()).rejects.toMatchObject({ code: 'network' });
  expect(opened.hasSubscription()).toBe(false);
});

test('the push messages of a device are renewed when the browser has a new subscription', async () => {
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

test('the switch of a device is off after a change of the keys, and the next visit subscribes with the new one', async () => {
  const opened = await openDevice();
  await opened.device.subscribe();
  const later = opened.deploy(webPush.generateVAPIDKeys().publicKey);
  expect(await later.read()).toBe('off');
  await later.renew();
  expect(await later.read()).toBe('on');
  expect(await endpoints()).toEqual(['https://push.example.com/2']);
  expect(await opened.device.read()).toBe('off');
});

test('a device that cannot send its new subscription to the server keeps it for the next visit', async () => {
  const opened = await openDevice();
  await opened.device.subscribe();
  const later = opened.deploy(webPush.generateVAPIDKeys().publicKey);
  opened.break();
  await expect(later.renew()).rejects.toMatchObject({ code: 'network' });
  expect(opened.hasSubscription()).toBe(true);
});
