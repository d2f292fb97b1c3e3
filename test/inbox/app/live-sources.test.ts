import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectRawClient, type RawClient } from 'local-supabase/testing';
import { createPlatform } from '../../../src/platform/browser-platform.ts';
import { openInboxDevice } from '../../support/inbox-device.ts';
import { ada, grace, signIn, useLocalSupabase } from '../../support/local-supabase.ts';

// The service reports the attacker's filter.
const supabase = useLocalSupabase({ port: 0, report: () => {} });
const attackers: RawClient[] = [];
beforeEach(() => supabase().database.exec('delete from public.notifications'));
afterEach(() => attackers.splice(0).forEach((client) => client.terminate()));

/** Longest interval after which a list whose source may be silent is compared. */
const intervalMs = 25_000;

/** A clock whose timers of the comparison run only on command of the test. */
function createComparisonClock() {
  const { clock } = createPlatform();
  const due = new Set<() => void>();
  return {
    clock: {
      ...clock,
      setTimer(run: () => void, delayMs: number) {
        if (delayMs !== intervalMs) return clock.setTimer(run, delayMs);
        due.add(run);
        return { cancel: () => void due.delete(run) };
      },
    },
    endInterval() {
      const runs = [...due];
      due.clear();
      runs.forEach((run) => run());
    },
  };
}

/** Ada's device, with an idle list on a live channel. */
async function openList(env: Readonly<Record<string, string>>) {
  const { clock, endInterval } = createComparisonClock();
  const sent: string[] = [];
  const { inbox, start } = await openInboxDevice({
    supabase: supabase(),
    user: ada,
    env,
    platform: { clock },
    onSent: (frame) => sent.push(frame),
  });
  start();
  await expect
    .poll(() => inbox.getSnapshot())
    .toMatchObject({ isVerified: true, isReading: false, status: 'current' });
  return { endInterval, sent, ids: () => inbox.getSnapshot().view.notifications.map(({ id }) => id) };
}

const insert = async () => {
  const [row] = await supabase().database.query<{ id: string }>(
    `insert into public.notifications (recipient_id, content) values ($1, '{"type":"mention"}') returning id`,
    [ada.id],
  );
  return row?.id ?? '';
};

/** Subscribes with a filter that raises for every row: the service then delivers no `postgres_changes` to any client. */
async function silenceChanges() {
  const { url, anonKey } = supabase();
  const attacker = await connectRawClient({ url, apiKey: anonKey });
  attackers.push(attacker);
  const changes = [{ event: '*', schema: 'public', table: 'notifications', filter: 'content=like.\\' }];
  await attacker.joinLive('realtime:silence', { changes, token: await signIn(supabase(), grace.email) });
}

interface Join {
  readonly config: { readonly private: boolean; readonly postgres_changes: readonly object[] };
}

/** The topics that a device joined, and whether they are private, with their subscriptions. */
function joinsOf(sent: readonly string[]) {
  const frames = sent.map((frame) => JSON.parse(frame) as [string, string, string, string, Join]);
  return frames
    .filter(([, , , event]) => event === 'phx_join')
    .map(([, , topic, , { config }]) => ({
      topic,
      isPrivate: config.private,
      changes: config.postgres_changes,
    }));
}

test('the rows arrive by one channel of the user, without a subscription by default', async () => {
  const { sent } = await openList({});
  expect(joinsOf(sent)).toEqual([{ topic: `realtime:user:${ada.id}`, isPrivate: true, changes: [] }]);
});

test('with postgres-changes the channel has the subscriptions of the specification, and no others', async () => {
  const { sent } = await openList({ VITE_LIVE_SOURCE: 'postgres-changes' });
  const mine = { schema: 'public', table: 'notifications', filter: `recipient_id=eq.${ada.id}` };
  const preferences = { schema: 'public', table: 'notification_preferences', filter: `user_id=eq.${ada.id}` };
  expect(joinsOf(sent)).toEqual([
    {
      topic: `realtime:user:${ada.id}`,
      isPrivate: true,
      changes: [
        { event: 'INSERT', ...mine },
        { event: 'UPDATE', ...mine },
        { event: 'DELETE', ...mine },
        { event: '*', ...preferences },
      ],
    },
  ]);
});

test('a subscription with a failing filter stops the changes of no list', async () => {
  const { ids } = await openList({});
  await silenceChanges();
  const first = await insert();
  await expect.poll(ids).toEqual([first]);
  await supabase().database.query('delete from public.notifications where id = $1', [first]);
  await expect.poll(ids).toEqual([]);
});

test('a list over postgres_changes whose changes a failing filter stops is current again within the interval', async () => {
  const { ids, endInterval } = await openList({ VITE_LIVE_SOURCE: 'postgres-changes' });
  const before = await insert();
  await expect.poll(ids).toEqual([before]);
  await silenceChanges();
  const missed = await insert();
  // Deletions arrive by the private channel: once this one has arrived, the earlier insert would have, too.
  await supabase().database.query('delete from public.notifications where id = $1', [before]);
  await expect.poll(ids).toEqual([]);
  endInterval();
  await expect.poll(ids).toEqual([missed]);
});
