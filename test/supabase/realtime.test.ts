import { afterEach, expect, it } from 'vitest';
import { connectRawClient } from 'local-supabase/testing';
import type { RawClient } from 'local-supabase/testing';
import { ada, grace, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { Frame } from '../support/wire/frames.ts';

const supabase = useLocalSupabase({ port: 0 });
const clients: RawClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.terminate()));

interface Told {
  readonly type: string;
  readonly table: string;
  readonly record?: Record<string, unknown>;
  readonly old_record?: Record<string, unknown>;
}

/** Joins with the bindings of conformance/protocol/product.md#calls-of-the-application or others. */
async function listen(changes: readonly Record<string, unknown>[], token?: string): Promise<RawClient> {
  const { url, anonKey } = supabase();
  const client = await connectRawClient({ url, apiKey: anonKey });
  clients.push(client);
  await client.joinLive('realtime:inbox', { changes, ...(token === undefined ? {} : { token }) });
  return client;
}

const binding = (event: string, filter?: string, table = 'notifications') => ({
  event,
  schema: 'public',
  table,
  ...(filter === undefined ? {} : { filter }),
});

/** The events that a client receives up to the notification that ends the test. */
async function told(client: RawClient): Promise<Told[]> {
  const end = crypto.randomUUID();
  await insert(grace.id, end);
  const seen: Told[] = [];
  for (;;) {
    const frame: Frame = await client.nextOf('postgres_changes');
    const change = frame.payload['data'] as Told;
    if (change.record?.['id'] === end) return seen;
    seen.push(change);
  }
}
const insert = (recipient: string, id = crypto.randomUUID()) =>
  supabase()
    .database.query('insert into notifications (id, recipient_id, content) values ($1, $2, $3)', [
      id,
      recipient,
      '{"type":"mention","data":{"text":"a secret"}}',
    ])
    .then(() => id);
const untilEnd = binding('INSERT', `recipient_id=eq.${grace.id}`);

it('the live channel of a user delivers inserts, updates and deletes of the user’s own notifications and preferences', async () => {
  const token = await signIn(supabase(), grace.email);
  const mine = `recipient_id=eq.${grace.id}`;
  const client = await listen(
    [
      binding('INSERT', mine),
      binding('UPDATE', mine),
      binding('DELETE', mine),
      binding('*', `user_id=eq.${grace.id}`, 'notification_preferences'),
    ],
    token,
  );
  const { database } = supabase();
  const id = crypto.randomUUID();
  const seen: Told[] = [];
  // Await each change, because no policy can see a row that is deleted before its change is delivered.
  for (const change of [
    () => insert(grace.id, id),
    () => database.query(`update notifications set status = 'read' where id = $1`, [id]),
    () => database.query('delete from notifications where id = $1', [id]),
    () =>
      database.query('insert into notification_preferences (user_id) values ($1), ($2)', [ada.id, grace.id]),
    () => database.exec('update notification_preferences set email_edits = true'),
    () => database.exec('delete from notification_preferences'),
  ]) {
    await insert(ada.id);
    await change();
    seen.push((await client.nextOf('postgres_changes')).payload['data'] as Told);
  }
  expect(seen.map(({ type, table }) => `${type} ${table}`)).toEqual([
    'INSERT notifications',
    'UPDATE notifications',
    'DELETE notifications',
    'INSERT notification_preferences',
    'UPDATE notification_preferences',
    'DELETE notification_preferences',
  ]);
  expect(seen[0]?.record).toMatchObject({ kind: 'mention', sender_id: null, recipient_id: grace.id });
  expect(seen[1]?.record).toMatchObject({ status: 'read', content: expect.stringContaining('a secret') });
  expect(seen[2]?.old_record).toEqual({ id });
});

it('the live channel of a user delivers nothing at aal1 to an account with a second factor', async () => {
  const { database } = supabase();
  const password = await signIn(supabase(), ada.email);
  await database.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [ada.id],
  );
  const client = await listen([binding('INSERT', `recipient_id=eq.${ada.id}`)], password);
  await insert(ada.id);
  await new Promise((resolve) => setImmediate(resolve));
  await database.exec('delete from auth.mfa_factors');
  const seen = await insert(ada.id);
  const frame = await client.nextOf('postgres_changes');
  expect((frame.payload['data'] as Told).record?.['id']).toBe(seen);
});

it.each([
  ['content=like.%secret%'],
  ['status=eq.unread'],
  ['kind=eq.mention'],
  ['content=neq.x'],
  ['updated_at=gt.2000-01-01'],
])(
  'a caller with only the public key learns nothing of deleted notifications by the filter %s',
  async (filter) => {
    const token = await signIn(supabase(), grace.email);
    const stranger = await listen([binding('DELETE', filter), untilEnd], token);
    const id = await insert(ada.id);
    await supabase().database.query('delete from notifications where id = $1', [id]);
    expect(await told(stranger)).toEqual([]);
  },
);

it('a caller with only the public key receives nothing about deleted preferences by a filter on a setting', async () => {
  const { database } = supabase();
  const token = await signIn(supabase(), grace.email);
  const stranger = await listen(
    [binding('DELETE', 'email_edits=eq.false', 'notification_preferences'), untilEnd],
    token,
  );
  await database.query('insert into notification_preferences (user_id) values ($1)', [ada.id]);
  await database.exec('delete from notification_preferences');
  expect(await told(stranger)).toEqual([]);
});

it('a caller with only the public key receives only the key of a deleted notification, by every filter', async () => {
  const token = await signIn(supabase(), grace.email);
  const stranger = await listen([binding('DELETE', `recipient_id=eq.${ada.id}`), untilEnd], token);
  const id = await insert(ada.id);
  await supabase().database.query('delete from notifications where id = $1', [id]);
  expect((await told(stranger)).map(({ old_record: old }) => old)).toEqual([{ id }]);
});
