import { beforeEach, expect, test, vi } from 'vitest';
import { showDesktopNotifications } from '../../../../src/inbox/features/notifications/arrivals/desktop-notifications.ts';
import { createNotification } from './notification-fixtures.ts';

class FakeNotification extends EventTarget {
  static shown: FakeNotification[] = [];
  readonly title: string;
  readonly close = vi.fn<() => void>();
  constructor(title: string) {
    super();
    this.title = title;
    FakeNotification.shown.push(this);
  }
}

beforeEach(() => {
  FakeNotification.shown = [];
  vi.stubGlobal('Notification', FakeNotification);
  history.replaceState(null, '', '/account');
  return () => vi.unstubAllGlobals();
});

/** Shows the alerts, clicks, and returns where the click led. */
async function click(arrivals: Parameters<typeof showDesktopNotifications>[0]): Promise<string> {
  const focus = vi.spyOn(globalThis, 'focus').mockImplementation(() => undefined);
  await showDesktopNotifications(arrivals);
  const [shown] = FakeNotification.shown;
  shown?.dispatchEvent(new Event('click'));
  expect(focus).toHaveBeenCalledOnce();
  expect(shown?.close).toHaveBeenCalledOnce();
  focus.mockRestore();
  return location.pathname + location.search;
}

test('a click on one alert focuses the page and opens the notification', async () => {
  expect(await click([createNotification(1, { id: 'n-1' })])).toBe('/home?open=n-1');
});

test('a click on an alert about several notifications opens the list', async () => {
  expect(await click([createNotification(2, { id: 'n-2' }), createNotification(1, { id: 'n-1' })])).toBe(
    '/home',
  );
  expect(FakeNotification.shown.map(({ title }) => title)).toEqual(['2 new notifications']);
});

test('an alert is shown by the service worker, whose click opens the path, where one is active', async () => {
  const showNotification = vi.fn<(title: string, options: NotificationOptions) => Promise<void>>();
  const getRegistration = async () => ({ active: {}, showNotification });
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration } });
  // As Chromium on Android does.
  vi.stubGlobal('Notification', () => {
    throw new TypeError('Illegal constructor');
  });
  await showDesktopNotifications([createNotification(1, { id: 'n-1' })]);
  expect(showNotification).toHaveBeenCalledExactlyOnceWith(
    expect.any(String),
    expect.objectContaining({ tag: 'n-1', data: '/home?open=n-1' }),
  );
});

test('an alert is shown by the page while the service worker is being installed', async () => {
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => ({ active: null }) } });
  await showDesktopNotifications([createNotification(1, { id: 'n-1' })]);
  expect(FakeNotification.shown).toHaveLength(1);
});
