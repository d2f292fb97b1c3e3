import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectRawClient } from 'local-supabase/testing';
import type { RawClient } from 'local-supabase/testing';
import { ada, grace, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { Frame } from '../support/wire/frames.ts';

const supabase = useLocalSupabase({ port: 0 });
const clients: RawClient[] = [];
beforeEach(() => supabase().database.exec('delete from notifications'));
afterEach(() => clients.splice(0).forEach((client) => client.terminate()));

interface ChangedRow {
  readonly type: string;
  readonly table: string;
  readonly record?: Record<string, unknown>;
  readonly old_record?: Record<string, unknown>;
}

/** Subscribes to changes as an attacker's client may: with any token and any bindings. */
async function listen(changes: readonly Record<string, unknown>[], token?: string): Promise<RawClient> {
  const client = await connect();
  await client.joinLive('realtime:inbox', { changes, ...(token === undefined ? {} : { token }) });
  return client;
}

async function connect(): Promise<RawClient> {
  const { url, anonKey } = supabase();
  const client = await connectRawClient({ url, apiKey: anonKey });
  clients.push(client);
  return client;
}

const binding = (event: string, filter?: string, table = 'notifications') => ({
  event,
  schema: 'public',
  table,
  ...(filter && { filter }),
});

/** The events that a client receives up to the notification that ends the test. */
async function receiveChanges(client: RawClient): Promise<ChangedRow[]> {
  const end = crypto.randomUUID();
  await insert(grace.id, end);
  const seen: ChangedRow[] = [];
  for (;;) {
    const frame: Frame = await client.nextOf('postgres_changes');
    const change = frame.payload['data'] as ChangedRow;
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

/** What the database broadcasts of a statement (`private.send_changes`). */
interface Message {
  readonly operation: string;
  readonly table: string;
  readonly records?: readonly Record<string, unknown>[];
  readonly old_records?: readonly Record<string, unknown>[];
}

/** The private channel of a user. @returns reads its messages since the last call. */
async function joinOwn(user: { readonly id: string; readonly email: string }) {
  const client = await connect();
  await client.joinLive(`realtime:user:${user.id}`, {
    token: await signIn(supabase(), user.email),
    config: { private: true, broadcast: { replication_ready: true } },
  });
  let taken = 0;
  return async (): Promise<readonly Message[]> => {
    const end = crypto.randomUUID();
    await supabase().database.query('select private.send_to_user($1, $2)', [user.id, end]);
    let messages: readonly Broadcast[] = [];
    await expect
      .poll(() => {
        messages = client.binaries.slice(taken).map(parseBroadcast);
        return messages.at(-1)?.event;
      })
      .toBe(end);
    taken += messages.length;
    return messages.slice(0, -1).map(({ payload }) => payload);
  };
}

interface Broadcast {
  readonly event: string;
  readonly payload: Message;
}

/** A frame of kind 4: the lengths of topic, event and meta, the encoding, and then these and the payload. */
function parseBroadcast(frame: Buffer): Broadcast {
  const [, topic = 0, event = 0, meta = 0] = frame;
  const eventEnd = 5 + topic + event;
  return {
    event: frame.toString('utf8', 5 + topic, eventEnd),
    payload: JSON.parse(frame.toString('utf8', eventEnd + meta)) as Message,
  };
}

const namesOf = (messages: readonly Message[]) =>
  messages.map(({ operation, table }) => `${operation} ${table}`);
/** Inserts notifications in one statement. */
const insertMany = (number: number, recipient: string, content = '{"type":"mention"}') =>
  supabase().database.query(
    `insert into notifications (recipient_id, content) select $1, $2 from generate_series(1, $3::int)`,
    [recipient, content, number],
  );

it('the private channel of a user delivers inserts, updates and deletes of the user’s own rows', async () => {
  const { database } = supabase();
  const messages = await joinOwn(grace);
  await insert(ada.id);
  const id = await insert(grace.id);
  await database.exec(`update notifications set status = 'read'`);
  await database.exec('delete from notifications');
  await database.query('insert into notification_preferences (user_id) values ($1), ($2)', [
    ada.id,
    grace.id,
  ]);
  await database.exec('update notification_preferences set email_edits = true');
  await database.exec('delete from notification_preferences');
  const seen = await messages();
  expect(namesOf(seen)).toEqual([
    'INSERT notifications',
    'UPDATE notifications',
    'DELETE notifications',
    'INSERT notification_preferences',
    'UPDATE notification_preferences',
    'DELETE notification_preferences',
  ]);
  const [inserted, updated, deleted, , preferences] = seen;
  expect(inserted?.records).toMatchObject([{ id, kind: 'mention', sender_id: null, recipient_id: grace.id }]);
  expect(updated?.records).toMatchObject([{ status: 'read', content: expect.stringContaining('a secret') }]);
  expect(deleted?.old_records).toEqual([{ id }]);
  expect(preferences?.records).toMatchObject([{ user_id: grace.id, email_edits: true }]);
});

it('a statement that changes many rows is one message for each recipient', async () => {
  const { database } = supabase();
  const [toAda, toGrace] = [await joinOwn(ada), await joinOwn(grace)];
  await database.query(
    `insert into notifications (recipient_id) select unnest($1::uuid[]) from generate_series(1, 50)`,
    [[ada.id, grace.id]],
  );
  await database.exec(`update notifications set status = 'read'`);
  await database.exec('delete from notifications');
  for (const seen of [await toAda(), await toGrace()])
    expect(seen.map((one) => [one.operation, (one.records ?? one.old_records)?.length])).toEqual([
      ['INSERT', 50],
      ['UPDATE', 50],
      ['DELETE', 50],
    ]);
});

it.each([
  ['more than 100 rows', 101, '{"type":"mention"}'],
  ['more than 128 kB', 3, JSON.stringify({ type: 'mention', data: { text: 'é'.repeat(25_000) } })],
])('a change of %s is a message without rows', async (_size, number, content) => {
  const { database } = supabase();
  const messages = await joinOwn(grace);
  await insertMany(number, grace.id, content);
  await database.exec(`update notifications set status = 'read'`);
  expect((await messages()).map(({ records }) => records)).toEqual([undefined, undefined]);
  await database.exec('delete from notifications');
  // The ids of few rows are short.
  expect((await messages()).map((one) => one.old_records?.length)).toEqual([
    number > 100 ? undefined : number,
  ]);
});

it('deletions reach the private channel also where inserts and updates go by `postgres_changes` alone', async () => {
  const { database } = supabase();
  const messages = await joinOwn(grace);
  await database.exec('select private.broadcast_notifications(false)');
  try {
    const client = await listen(
      [binding('INSERT', `recipient_id=eq.${grace.id}`), binding('UPDATE', `recipient_id=eq.${grace.id}`)],
      await signIn(supabase(), grace.email),
    );
    const id = await insert(grace.id);
    await database.query(`update notifications set status = 'read' where id = $1`, [id]);
    expect((await receiveChanges(client)).map(({ type }) => type)).toEqual(['INSERT', 'UPDATE']);
    await database.query('delete from notifications where id = $1', [id]);
    expect(await messages()).toMatchObject([{ operation: 'DELETE', old_records: [{ id }] }]);
  } finally {
    await database.exec('select private.broadcast_notifications(true)');
  }
});

it('the private channel of a user is closed to others, and to its owner at aal1 with a second factor', async () => {
  const { database } = supabase();
  await database.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [ada.id],
  );
  const join = async (owner: typeof ada, email: string) => {
    const client = await connect();
    client.join(`realtime:user:${owner.id}`, {
      token: await signIn(supabase(), email),
      config: { private: true },
    });
    const { payload } = await client.nextOf('phx_reply');
    return payload['status'];
  };
  expect(await join(ada, grace.email)).toBe('error');
  expect(await join(ada, ada.email)).toBe('error');
  await database.exec('delete from auth.mfa_factors');
  expect(await join(ada, ada.email)).toBe('ok');
});

it('a subscription delivers nothing at aal1 to an account with a second factor', async () => {
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
  expect((frame.payload['data'] as ChangedRow).record?.['id']).toBe(seen);
});

it.each([
  [''],
  [`recipient_id=eq.${ada.id}`],
  ['recipient_id=gte.ada00000-0000-0000-0000-000000000000'],
  ['id=gte.00000000-0000-0000-0000-000000000000'],
  ['content=like.%secret%'],
  ['status=eq.unread'],
])("an attacker who subscribes to notifications with the filter '%s' receives no DELETE", async (filter) => {
  const token = await signIn(supabase(), grace.email);
  const attacker = await listen([binding('*', filter), binding('DELETE', filter), untilEnd], token);
  const id = await insert(ada.id);
  await supabase().database.query('delete from notifications where id = $1', [id]);
  expect((await receiveChanges(attacker)).filter(({ type }) => type === 'DELETE')).toEqual([]);
});

it.each([[''], ['user_id=gte.00000000-0000-0000-0000-000000000000'], ['email_edits=eq.false']])(
  "an attacker who subscribes to preferences with the filter '%s' receives no DELETE",
  async (filter) => {
    const { database } = supabase();
    const token = await signIn(supabase(), grace.email);
    const attacker = await listen([binding('DELETE', filter, 'notification_preferences'), untilEnd], token);
    await database.query('insert into notification_preferences (user_id) values ($1)', [ada.id]);
    await database.exec('delete from notification_preferences');
    expect(await receiveChanges(attacker)).toEqual([]);
  },
);
