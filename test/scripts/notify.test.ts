import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { findAccount, NotifyError, sendNotifications } from '../../scripts/notify/send-notifications.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0 });
const project = () => ({ apiUrl: supabase().url, serviceRoleKey: supabase().serviceRoleKey });

beforeEach(() => supabase().database.exec('delete from notifications'));

it('finds an account by its address in any case, and names an address without one', async () => {
  expect(await findAccount(project(), 'ADA@Example.com')).toEqual({ id: ada.id, name: 'Ada Lovelace' });
  await expect(findAccount(project(), 'nobody@example.com')).rejects.toThrow(NotifyError);
});

it('sends more notifications than a request has in the name of the sender, and those of the system without one', async () => {
  const sender = { id: grace.id, name: 'Grace Hopper' };
  const comments = Array.from({ length: 101 }, () => ({ type: 'comment' as const }));
  await sendNotifications(project(), { recipientId: ada.id, sender }, [...comments, { type: 'system' }]);
  expect(
    await supabase().database.query(
      `select kind, sender_id, content::jsonb #>> '{metadata,actor_name}' as name, count(*)::int as number
       from notifications where recipient_id = $1 group by 1, 2, 3 order by 1`,
      [ada.id],
    ),
  ).toEqual([
    { kind: 'comment', sender_id: grace.id, name: 'Grace Hopper', number: 101 },
    { kind: 'system', sender_id: null, name: null, number: 1 },
  ]);
});

it.each([
  [['--burst', '0'], '--burst must be a whole number, 1 or more'],
  [['--kind', 'other'], '--kind must be one of'],
])('the command notify %j fails with the reason', async (options, problem) => {
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/notify.ts', ...options]);
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(problem) });
});
