import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { ada, grace, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { useConsumer } from './support/consumer.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('node-script', ['ws', '@types/ws', '@types/node']);

it('signs in from a Node script, reads, receives a change, and exits', async () => {
  const { url, anonKey, database } = supabase();
  const { folder, compile } = consumer();
  await compile();
  const script = spawn(process.execPath, ['main.js', url, anonKey, ada.email, seedPassword], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => script.once('exit', resolve));
  const reported: unknown[] = [];
  for await (const line of createInterface(script.stdout)) {
    const message = JSON.parse(line) as Record<string, unknown>;
    reported.push(message);
    if ('live' in message)
      await database.query(
        `insert into public.notifications (recipient_id, content) values ($1, 'of another'), ($2, 'for ada')`,
        [grace.id, ada.id],
      );
  }
  const [counted] = await database.query(
    `select count(*)::int as unread from public.notifications where recipient_id = $1 and status = 'unread'`,
    [ada.id],
  );
  expect(reported).toEqual([
    { email: ada.email, unread: Number(counted?.['unread']) - 1 },
    { live: true },
    { arrived: 'for ada' },
  ]);
  expect(await ended).toBe(0);
});
