import { afterEach, expect, test } from 'vitest';
import { watchConnection } from '../../../src/inbox/app/connection/watch-connection.ts';
import type { Configuration } from '../../../src/inbox/shared/clients/env.ts';
import { serverReachable } from '../../../src/inbox/ui/state/online.ts';
import { createFakeWorld } from '../../support/fake-platform.ts';

const configuration: Configuration = {
  supabaseUrl: 'https://project.example',
  supabaseAnonKey: 'anon',
  siteUrl: null,
  entityUrl: null,
  captcha: null,
  pushPublicKey: null,
  usesBroadcasts: false,
  errorReportsUrl: null,
};

afterEach(() => serverReachable.set(true));

type Network = 'responds' | 'hangs' | 'slow-rows';

/** A tab whose requests hang, or all but the probe. */
function openTab() {
  const world = createFakeWorld();
  const probes: number[] = [];
  let network: Network = 'responds';
  const tab = world.openTab({
    fetch: (url, init) => {
      const isProbe = url === 'https://project.example/auth/v1/health';
      if (isProbe) probes.push(world.clock.now());
      return new Promise((resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
        if (network === 'responds' || (isProbe && network === 'slow-rows')) resolve(new Response('{}'));
      });
    },
  });
  const platform = watchConnection(tab, configuration);
  const signals: string[] = [];
  platform.page.subscribe((signal) => signals.push(signal));
  const send = () => {
    const request = { state: 'pending', wasOnline: true };
    void platform.fetch('https://project.example/rest/v1/notifications').then(
      () => (request.state = 'completed'),
      () => {
        request.state = 'failed';
        request.wasOnline = platform.page.isOnline();
      },
    );
    return request;
  };
  return {
    ...world,
    tab,
    platform,
    signals,
    probes,
    send,
    setNetwork: (next: Network) => (network = next),
  };
}

test('counts as offline while requests hang, and as online again with the first response', async () => {
  const { clock, platform, signals, send, setNetwork } = openTab();
  setNetwork('hangs');
  const request = send();
  await clock.advance(3_000);
  expect(platform.page.isOnline()).toBe(true);
  await clock.advance(3_000);
  expect(request).toEqual({ state: 'failed', wasOnline: false });
  expect(serverReachable.getSnapshot()).toBe(false);
  expect(signals).toEqual(['offline']);
  setNetwork('responds');
  await clock.advance(10_000);
  expect(signals).toEqual(['offline', 'online']);
  expect(platform.page.isOnline()).toBe(true);
  const later = send();
  await clock.advance(1);
  expect(later.state).toBe('completed');
});

test('keeps a slow request while the server responds to others', async () => {
  const { clock, platform, signals, probes, send, setNetwork } = openTab();
  setNetwork('slow-rows');
  const request = send();
  await clock.advance(3_000);
  await clock.advance(60_000);
  expect(request.state).toBe('pending');
  expect(platform.page.isOnline()).toBe(true);
  expect(signals).toEqual([]);
  expect(probes).toHaveLength(1);
});

test('probes with growing pauses while the server stays silent, and at once when the page is shown', async () => {
  const { clock, tab, probes, send, setNetwork } = openTab();
  setNetwork('hangs');
  send();
  await clock.advance(3_000);
  await clock.advance(120_000);
  const pauses = probes.slice(1).map((at, index) => at - (probes[index] ?? 0));
  expect(pauses).toEqual([5_000, 7_000, 11_000, 19_000, 33_000, 33_000]);
  await clock.advance(5_000);
  const before = probes.length;
  tab.signal('visible');
  await clock.advance(1);
  expect(probes).toHaveLength(before + 1);
});

test('ends when the browser itself reports that there is no network', async () => {
  const { clock, tab, platform, signals, probes, send, setNetwork } = openTab();
  setNetwork('hangs');
  send();
  await clock.advance(3_000);
  await clock.advance(3_000);
  tab.setOnline(false);
  const before = probes.length;
  await clock.advance(60_000);
  expect(probes).toHaveLength(before);
  expect(platform.page.isOnline()).toBe(false);
  tab.setOnline(true);
  expect(platform.page.isOnline()).toBe(true);
  expect(signals).toEqual(['offline', 'offline', 'online']);
});

test('forwards the abort of the caller', async () => {
  const { platform, setNetwork } = openTab();
  setNetwork('hangs');
  const ending = new AbortController();
  const request = platform.fetch('https://project.example/rest/v1/', { signal: ending.signal });
  ending.abort(new Error('superseded'));
  await expect(request).rejects.toThrow('superseded');
});

test('forwards the abort of a request, also before it was sent', async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  const tab = createFakeWorld().openTab({
    fetch: (_url, init) => {
      signals.push(init?.signal);
      return Promise.resolve(new Response('{}'));
    },
  });
  const signal = AbortSignal.abort(new Error('left the page'));
  await watchConnection(tab, configuration).fetch('https://project.example/rest/v1/notifications', {
    signal,
  });
  expect(signals).toMatchObject([{ aborted: true, reason: signal.reason as unknown }]);
});
