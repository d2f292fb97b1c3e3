import { RestError } from 'supabase-protocol-clients/rest-client';
import { screen } from '@testing-library/react';
import webPush from 'web-push';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../../src/testing/index.ts';
import { ada, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase();
const { publicKey } = webPush.generateVAPIDKeys();
const subscribe = vi.fn<() => Promise<PushSubscription>>();

beforeEach(() => {
  const registration = { pushManager: { getSubscription: () => Promise.resolve(null), subscribe } };
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

async function open() {
  const clock = createFakeClock(Date.now());
  const report = vi.fn<(problem: unknown) => void>();
  const { actor } = await renderApp('/preferences', {
    supabase: supabase(),
    user: { email: ada.email, password: seedPassword },
    platform: { clock, report },
    configuration: { pushPublicKey: publicKey },
  });
  const alerts = await screen.findByRole<HTMLInputElement>('switch', { name: /Alerts while no tab is open/ });
  return { actor, clock, report, alerts };
}

test('a browser that does not respond shows progress, and an error after 15 s', async () => {
  subscribe.mockReturnValue(new Promise(() => undefined));
  const { actor, clock, report, alerts } = await open();
  await actor.click(alerts);
  expect(await screen.findByText('Asking the browser…')).toBeTruthy();
  expect(alerts.disabled).toBe(true);
  await clock.advance(15_000);
  expect(await screen.findByText(/couldn’t connect to its push service/)).toBeTruthy();
  expect(screen.queryByText('Asking the browser…')).toBeNull();
  expect(alerts.disabled).toBe(false);
  expect(alerts.checked).toBe(false);
  // A read of the page that is in flight meets its deadline on this clock, too.
  const faults = report.mock.calls.filter(([problem]) => !(problem instanceof RestError));
  expect(faults).toEqual([]);
});

test('a refusal of the browser is explained and not reported as a fault', async () => {
  subscribe.mockRejectedValue(new DOMException('Registration failed', 'AbortError'));
  const { actor, report, alerts } = await open();
  await actor.click(alerts);
  expect(await screen.findByText(/couldn’t connect to its push service/)).toBeTruthy();
  expect(alerts.checked).toBe(false);
  expect(report).not.toHaveBeenCalled();
});
