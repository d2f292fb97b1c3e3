import { RestError } from 'supabase-protocol-clients/rest-client';
import { screen, waitFor } from '@testing-library/react';
import webPush from 'web-push';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { arePageAlertsOn, pageAlerts } from '../../../../src/inbox/shared/page-alerts.ts';
import { createFakeClock } from '../../../../src/testing/index.ts';
import { ada, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase();
const { publicKey } = webPush.generateVAPIDKeys();
const subscribe = vi.fn<() => Promise<PushSubscription>>();
const getSubscription = vi.fn<() => Promise<PushSubscription | null>>();

beforeEach(() => {
  pageAlerts.set(false);
  getSubscription.mockResolvedValue(null);
  const registration = { pushManager: { getSubscription, subscribe } };
  vi.stubGlobal('PushManager', {});
  vi.stubGlobal('Notification', {
    permission: 'granted',
    requestPermission: () => Promise.resolve('granted'),
  });
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { ready: Promise.resolve(registration) },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'serviceWorker');
  subscribe.mockReset();
});

async function open(pushPublicKey: string | null = publicKey) {
  const clock = createFakeClock(Date.now());
  const report = vi.fn<(problem: unknown) => void>();
  const { actor } = await renderApp('/preferences', {
    supabase: supabase(),
    user: { email: ada.email, password: seedPassword },
    platform: { clock, report },
    configuration: { pushPublicKey },
  });
  const alerts = await screen.findByRole<HTMLInputElement>('switch', { name: /Notify me on this device/ });
  return { actor, clock, report, alerts };
}

test('a browser that does not respond shows progress, and after 15 s the open page shows the alerts', async () => {
  subscribe.mockReturnValue(new Promise(() => undefined));
  const { actor, clock, report, alerts } = await open();
  await actor.click(alerts);
  expect(await screen.findByText('Asking the browser…')).toBeTruthy();
  expect(alerts.disabled).toBe(true);
  await clock.advance(15_000);
  expect(await screen.findByText(/couldn’t connect to its push service/)).toBeTruthy();
  expect(screen.queryByText('Asking the browser…')).toBeNull();
  expect(alerts.disabled).toBe(false);
  expect(alerts.checked).toBe(true);
  expect(arePageAlertsOn()).toBe(true);
  // A read of the page that is in flight meets its deadline on this clock, too.
  const faults = report.mock.calls.filter(([problem]) => !(problem instanceof RestError));
  expect(faults).toEqual([]);
});

test('a browser that refuses push messages shows alerts of the open page, and reports no error', async () => {
  subscribe.mockRejectedValue(new DOMException('Registration failed', 'AbortError'));
  const { actor, report, alerts } = await open();
  await actor.click(alerts);
  expect(await screen.findByText(/couldn’t connect to its push service/)).toBeTruthy();
  expect(arePageAlertsOn()).toBe(true);
  expect(report).not.toHaveBeenCalled();
});

test('a project without push messages has the alerts of the open page', async () => {
  const { actor, alerts } = await open(null);
  expect(screen.getByText(/^While Tidings is open in another tab/)).toBeTruthy();
  await actor.click(alerts);
  await waitFor(() => expect(alerts.checked).toBe(true));
  expect([arePageAlertsOn(), subscribe.mock.calls.length]).toEqual([true, 0]);
  await actor.click(alerts);
  await waitFor(() => expect(alerts.checked).toBe(false));
  expect(arePageAlertsOn()).toBe(false);
});

test('push messages replace the alerts of the open page', async () => {
  pageAlerts.set(true);
  const subscription = {
    options: { applicationServerKey: Buffer.from(publicKey, 'base64url') },
    toJSON: () => ({ endpoint: 'https://push.example.com/1', keys: { p256dh: 'a', auth: 'b' } }),
    unsubscribe: () => Promise.resolve(true),
  };
  getSubscription.mockResolvedValue(subscription as never);
  const { alerts } = await open();
  await waitFor(() => expect(arePageAlertsOn()).toBe(false));
  expect(alerts.checked).toBe(true);
});
