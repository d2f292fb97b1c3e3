import 'fake-indexeddb/auto';
import { onTestFinished, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createClients } from '../../../src/inbox/app/data/clients.ts';
import { createUserData } from '../../../src/inbox/app/data/user-data.ts';
import { createMemoryStore } from '../../../src/auth-client/index.ts';
import { createBrowserPlatform } from '../../../src/platform/browser-platform.ts';
import { adaptWebSocket } from '../../../src/platform/web-socket.ts';
import type { Clients } from '../../../src/inbox/shared/clients/clients-context.ts';
import type { Configuration } from '../../../src/inbox/shared/clients/env.ts';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';

/**
 * This many changes arrive for more than half a second, and would take minutes if each were compared with all others. The
 * page's first request starts 0.2 s after the first change.
 */
const stored = 15_000;
const local = useLocalSupabase({ port: 0 });
const waiting = { timeout: 90_000, interval: 50 };

beforeEach(async () => {
  const { database } = local();
  await database.exec('truncate public.notifications; alter table public.notifications disable trigger user');
  await database.query(
    `insert into public.notifications (recipient_id, status, content, created_at, updated_at)
     select $1, 'unread', json_build_object('type', 'mention', 'data', json_build_object('entity_name', n))::text, at, at
     from generate_series(1, $2::int) n, lateral (select now() - n * interval '1 minute' - interval '1 hour' as at)`,
    [ada.id, stored],
  );
  await database.exec('alter table public.notifications enable trigger user');
  await database.query('select private.repair_counters($1)', [ada.id]);
});

/** A device of Ada with an idle inbox on a live channel. */
async function openDevice() {
  const requests: string[] = [];
  let frames = 0;
  let startedMs = 0;
  const platform = createBrowserPlatform({
    fetch: (url, init) => {
      const [, path] =
        /\/rest\/v1\/(.*?)(\?|$)/.exec(url instanceof Request ? url.url : url.toString()) ?? [];
      if (path?.includes('notification')) requests.push(`${init?.method} ${path}`);
      return local().fetch(url, init);
    },
    openSocket: (url) => {
      const socket = new WebSocket(url);
      socket.on('message', () => (frames += 1));
      return adaptWebSocket(socket);
    },
  });
  const configuration: Configuration = {
    supabaseUrl: local().url,
    supabaseAnonKey: local().anonKey,
    siteUrl: null,
    entityUrl: null,
    captcha: null,
    pushPublicKey: null,
    usesBroadcasts: false,
  };
  const clients: Clients = createClients({ configuration, platform, store: createMemoryStore() });
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  const rest = await clients.loadRest();
  const userData = createUserData({
    ...clients,
    configuration,
    rest,
    userId: ada.id,
    sessionId: 'device',
    checkSession: () => Promise.resolve(),
  });
  onTestFinished(async () => {
    await userData.close();
    clients.close();
  });
  const { inbox } = userData;
  let snapshots = 0;
  inbox.subscribe(() => (snapshots += 1));
  userData.start();
  await vi.waitFor(() => {
    expect(inbox.getSnapshot()).toMatchObject({ isVerified: true, isReading: false, connection: 'live' });
    // The last request of an opening asks for the changes once the channel is live.
    expect(requests).toHaveLength(3);
  }, waiting);
  const { counts } = inbox.getSnapshot();
  expect(counts.unread).toBe(stored);
  return {
    rest,
    inbox,
    /** Begins to count. */
    reset() {
      requests.length = 0;
      frames = 0;
      snapshots = 0;
      startedMs = performance.now();
    },
    requests: requests as readonly string[],
    elapsedMs: () => performance.now() - startedMs,
    frames: () => frames,
    snapshots: () => snapshots,
  };
}

type Device = Awaited<ReturnType<typeof openDevice>>;

/**
 * Resolves with the number of changes that had arrived when the inbox first showed the state: it does not wait for all of
 * them.
 */
function shown({ inbox, frames }: Device, isShown: () => boolean): Promise<number> {
  return new Promise((resolve) => {
    const stop = inbox.subscribe(() => {
      if (!isShown()) return;
      stop();
      resolve(frames());
    });
  });
}

/** Resolves when the changes of all rows have arrived, and the requests that they caused have ended. */
async function settled({ frames, inbox, requests }: Device): Promise<void> {
  await vi.waitFor(() => expect(frames()).toBeGreaterThanOrEqual(stored), waiting);
  let seen = -1;
  await vi.waitFor(
    () => {
      const total = frames() + requests.length;
      const isQuiet = total === seen && !inbox.getSnapshot().isReading;
      seen = total;
      expect(isQuiet).toBe(true);
    },
    { timeout: 90_000, interval: 2_500 },
  );
}

const count = (requests: readonly string[], name: string) => requests.filter((one) => one === name).length;

test(
  'a change of the whole list by another device is shown before all of its changes have arrived, by few reads',
  { timeout: 240_000 },
  async () => {
    const device = await openDevice();
    const { rest, inbox, requests, snapshots } = device;
    const expectFewReads = (arrived: number) => {
      expect(arrived).toBeLessThan(stored);
      const reads = count(requests, 'GET notifications');
      expect(reads).toBeGreaterThanOrEqual(1);
      // One request when the burst begins, one every ten seconds and one at its end; one more where the first 200 changes
      // take longer than 300 ms.
      const most = 3 + Math.floor(device.elapsedMs() / 10_000);
      expect(reads).toBeLessThanOrEqual(most);
      expect(count(requests, 'POST rpc/notification_changes')).toBeLessThanOrEqual(most + 2);
      // Each delivery before the burst is recognized makes one snapshot, and so does each answer of a request.
      expect(snapshots()).toBeLessThan(100);
    };

    device.reset();
    await rest.rpc('mark_all_notifications_read', {}).execute();
    const marked = await shown(device, () => inbox.getSnapshot().counts.unread === 0);
    await settled(device);
    const { counts, view } = inbox.getSnapshot();
    expect(counts.unread).toBe(0);
    expect(view.notifications).toHaveLength(30);
    expect(view.notifications.every(({ status }) => status === 'read')).toBe(true);
    expectFewReads(marked);

    device.reset();
    await rest.rpc('delete_notifications', { tab: 'all' }).execute();
    const deleted = await shown(device, () => inbox.getSnapshot().counts.all === 0);
    await settled(device);
    expect(inbox.getSnapshot().counts).toMatchObject({ all: 0, unread: 0 });
    expect(inbox.getSnapshot().view).toMatchObject({ notifications: [], hasMore: false });
    expectFewReads(deleted);
  },
);
