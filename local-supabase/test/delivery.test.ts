import { beforeEach, expect, it } from 'vitest';
import { ada, grace, useLocalSupabase } from '../../test/support/local-supabase.ts';
import { startDelivery } from '../src/database/upkeep.ts';

const supabase = useLocalSupabase();
const timed = useLocalSupabase({ realisticTiming: true });

const queueIn = ({ database }: Pick<ReturnType<typeof supabase>, 'database'>, texts: readonly string[]) =>
  database.query(
    `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at)
     select $1, $2, text, now() + interval '1 millisecond' * number
     from unnest($3::text[]) with ordinality sent (text, number) order by number`,
    [ada.id, grace.id, texts],
  );
const queue = (...texts: readonly string[]) => queueIn(supabase(), texts);
const received = async () => {
  const rows = await supabase().database.query<{ content: string }>(
    'select content from notifications order by created_at, id',
  );
  return rows.map(({ content }) => content);
};
const queued = () => supabase().database.query('select id, reason from private.outgoing_notifications');

beforeEach(() => supabase().database.exec('delete from notifications'));

it('queued notifications are delivered after the commit, in the order of sending', async () => {
  await queue('first', 'second', 'third');
  await expect.poll(received).toEqual(['first', 'second', 'third']);
  expect(await queued()).toEqual([]);
});

it('a notification that cannot be stored is kept with the reason, and the others are delivered', async () => {
  await queue('before', 'x'.repeat(70_000), 'after');
  await expect.poll(received).toEqual(['before', 'after']);
  expect(await queued()).toMatchObject([{ reason: expect.stringContaining('content') }]);
  await supabase().database.exec('delete from private.outgoing_notifications');
});

it('notifications that a stopped server left in the queue are delivered at the next start', async () => {
  const { database } = supabase();
  await database.exec('alter table private.outgoing_notifications disable trigger announce_outgoing');
  await queue('left behind');
  expect(await received()).toEqual([]);
  const problems: unknown[] = [];
  const stop = await startDelivery(database, (problem) => problems.push(problem));
  await stop();
  expect(await received()).toEqual(['left behind']);
  expect(problems).toEqual([]);
});

it('a scheduled message is delivered when it is due', async () => {
  const { database } = supabase();
  await database.query(
    `select send_notifications(jsonb_build_array(jsonb_build_object(
       'recipients', jsonb_build_array($1::text), 'text', 'due', 'send_at', to_jsonb(now() + interval '2 seconds'))))`,
    [grace.id],
  );
  expect(await received()).toEqual([]);
  await expect.poll(received).toMatchObject([expect.stringContaining('due')]);
});

it('with realistic timing, a queued notification is delivered by a timer, not after the commit', async () => {
  const { database } = timed();
  const texts = () => database.query(`select content from notifications where content = 'timed'`);
  // Wait for the first run of the timer.
  await queueIn(timed(), ['first']);
  await expect.poll(() => database.query('select from private.outgoing_notifications')).toEqual([]);
  await queueIn(timed(), ['timed']);
  expect(await texts()).toEqual([]);
  await expect.poll(texts).toEqual([{ content: 'timed' }]);
});
