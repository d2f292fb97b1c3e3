import 'fake-indexeddb/auto';
import { beforeEach, expect, test, vi } from 'vitest';
import { openInboxDevice } from '../../support/inbox-device.ts';
import { ada, useLocalSupabase } from '../../support/local-supabase.ts';

/**
 * This many changes arrive for more than half a second, and would take minutes if each were compared with all others. The
 * page's first request starts 0.2 s after the first change.
 */
const stored = 15_000;
const local = useLocalSupabase({ port: 0 });
const waiting = { timeout: 90_000, interval: 50 };

beforeEach(async () => {
  const { database } = local();
  await database.exec(
    'truncate public.notifications, public.notification_bulk_changes; alter table public.notifications disable trigger user',
  );
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
async function openDevice(source: string) {
  const requests: string[] = [];
  let frames = 0;
  let startedMs = 0;
  const { rest, inbox, start } = await openInboxDevice({
    supabase: local(),
    user: ada,
    env: { VITE_LIVE_SOURCE: source },
    onFrame: () => (frames += 1),
    platform: {
      fetch: (url, init) => {
        const [, path] =
          /\/rest\/v1\/(.*?)(\?|$)/.exec(url instanceof Request ? url.url : url.toString()) ?? [];
        if (path?.includes('notification')) requests.push(`${init?.method} ${path}`);
        return local().fetch(url, init);
      },
    },
  });
  let snapshots = 0;
  inbox.subscribe(() => (snapshots += 1));
  start();
  await vi.waitFor(() => {
    expect(inbox.getSnapshot()).toMatchObject({ isVerified: true, isReading: false, status: 'current' });
    // The last request of the start requests the changes once the channel is live.
    expect(requests).toHaveLength(3);
  }, waiting);
  const { counts } = inbox.getSnapshot();
  expect(counts.unread).toBe(stored);
  return {
    rest,
    inbox,
    /** Resets the counts. */
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

/** Resolves when this many messages have arrived, and the requests that they caused have ended. */
async function settled({ frames, inbox, requests }: Device, messages: number): Promise<void> {
  await vi.waitFor(() => expect(frames()).toBeGreaterThanOrEqual(messages), waiting);
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

test.each([
  ['broadcast', 1],
  ['postgres-changes', stored],
])(
  'shows a change of the whole list by another device with few reads, before its last message: %s',
  { timeout: 240_000 },
  async (source, messages) => {
    const device = await openDevice(source);
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
      // Each delivery before the burst is recognized makes one snapshot, and so does each response.
      expect(snapshots()).toBeLessThan(100);
    };

    device.reset();
    await rest.rpc('mark_all_notifications_read', {}).execute();
    const marked = await shown(device, () => inbox.getSnapshot().counts.unread === 0);
    await settled(device, messages);
    const { counts, view } = inbox.getSnapshot();
    expect(counts.unread).toBe(0);
    expect(view.notifications).toHaveLength(30);
    expect(view.notifications.every(({ status }) => status === 'read')).toBe(true);
    expectFewReads(marked);

    device.reset();
    await rest.rpc('delete_notifications', { tab: 'all' }).execute();
    const deleted = await shown(device, () => inbox.getSnapshot().counts.all === 0);
    // Deletions are broadcast by both sources.
    await settled(device, 1);
    expect(inbox.getSnapshot().counts).toMatchObject({ all: 0, unread: 0 });
    expect(inbox.getSnapshot().view).toMatchObject({ notifications: [], hasMore: false });
    expectFewReads(deleted);
  },
);
