/**
 * The attacks against which the migrations protect, over the wire, with tables and functions that the first migrations
 * have too: against those every attack here succeeds. The tests beside this file hold the rules in detail.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { connectRawClient } from 'local-supabase/testing';
import { createUser, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';

const supabase = useLocalSupabase({ port: 0 });

let attacker: TestUser;
let victim: TestUser;
beforeEach(async () => {
  attacker = await createUser(supabase(), `attacker-${crypto.randomUUID()}@example.com`, 'Mallory');
  victim = await createUser(supabase(), `victim-${crypto.randomUUID()}@example.com`, 'Grace Hopper');
});

interface Sending {
  readonly content?: unknown;
  readonly rows?: number;
  readonly prefer?: string;
  readonly token?: string;
}

function send({ content = { type: 'edit' }, rows = 1, prefer = '', token = attacker.token }: Sending = {}) {
  return requestApi(supabase(), '/rest/v1/notifications', {
    method: 'POST',
    token,
    headers: prefer ? { prefer } : {},
    body: Array.from({ length: rows }, () => ({ recipient_id: victim.id, content: JSON.stringify(content) })),
  });
}
const received = () =>
  supabase().database.query<{ kind: string; content: string }>(
    'select kind, content from notifications where recipient_id = $1',
    [victim.id],
  );
const insert = (content: unknown, recipient = victim.id) =>
  supabase().database.query('insert into notifications (recipient_id, content) values ($1, $2)', [
    recipient,
    JSON.stringify(content),
  ]);
const rpc = (name: string, body: unknown, token = attacker.token) =>
  requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body });

describe('a thief of a password without the second factor', () => {
  let stolen: string;
  beforeEach(async () => {
    await insert({ type: 'comment', data: { text: 'a secret' } });
    await enrollSecondFactor(supabase(), victim.token);
    stolen = await signIn(supabase(), victim.email);
  });

  it('a thief of a password without the second factor reads no notification', async () => {
    const response = await requestApi(supabase(), '/rest/v1/notifications?select=content', { token: stolen });
    expect(await response.json()).toEqual([]);
  });

  it('a thief of a password without the second factor deletes no notification', async () => {
    await requestApi(supabase(), '/rest/v1/notifications?id=not.is.null', {
      method: 'DELETE',
      token: stolen,
    });
    expect(await received()).toHaveLength(1);
  });

  it('a thief of a password without the second factor sends no notification as the victim', async () => {
    expect((await send({ token: stolen })).status).toBe(403);
  });

  it('a thief of a password without the second factor invites no address as the victim', async () => {
    expect((await rpc('create_invitation', { invitee_email: 'x@example.com' }, stolen)).status).toBe(403);
  });
});

it('a forger does not send as a service', async () => {
  await send({ content: { type: 'system', data: { title: 'Your account was suspended' } } });
  const [row] = await received();
  expect(row?.kind).toBe('message');
  expect(row?.content).not.toContain('suspended');
});

it('a forger does not send under another name', async () => {
  await send({ content: { type: 'mention', data: { actor_name: 'Grace Hopper' } } });
  expect((await received())[0]?.content).not.toContain('Grace Hopper');
});

it('a forger does not forge the answer to an invitation', async () => {
  await send({ content: { type: 'invite', data: { status: 'accepted', invitee_email: 'x@example.com' } } });
  expect((await received())[0]?.content).not.toContain('accepted');
});

it('a forger does not link to a foreign host', async () => {
  for (const url of ['https://evil.example/', '//evil.example', '/\t/evil.example'])
    await send({ content: { type: 'comment', data: { text: 'look', url } } });
  for (const { content } of await received()) expect(content).not.toContain('evil');
});

it('a pest does not send 500 notifications in one request', async () => {
  await send({ rows: 500 });
  expect(await received()).toEqual([]);
});

it('a pest does not send hundreds of notifications in a minute', async () => {
  for (let request = 0; request < 3; request += 1) await send({ rows: 50 });
  expect((await received()).length).toBeLessThanOrEqual(60);
});

it('a pest does not send 20 invitations in a minute', async () => {
  const statuses = [];
  for (let number = 0; number < 20; number += 1)
    statuses.push((await rpc('create_invitation', { invitee_email: `new${number}@example.com` })).status);
  expect(statuses).toContain(429);
});

it('a spy does not learn from the count whether the recipient has switched a kind off', async () => {
  const before = (await send({ prefer: 'count=exact' })).headers.get('content-range');
  await supabase().database.query(
    'insert into notification_preferences (user_id, in_app_edits) values ($1, false)',
    [victim.id],
  );
  expect((await send({ prefer: 'count=exact' })).headers.get('content-range')).toBe(before);
});

it('a spy does not learn by a chosen id whether the recipient has deleted the notification', async () => {
  const id = crypto.randomUUID();
  const sendWithId = async () =>
    (
      await requestApi(supabase(), '/rest/v1/notifications', {
        method: 'POST',
        token: attacker.token,
        body: { id, recipient_id: victim.id, content: '{"type":"mention"}' },
      })
    ).status;
  const first = await sendWithId();
  expect(await sendWithId()).toBe(first);
});

it('a spy does not learn from the planner how many notifications another user has', async () => {
  for (let row = 0; row < 400; row += 1) await insert({ type: 'edit' });
  await supabase().database.exec('analyze');
  const planned = async (recipient: string) => {
    const path = `/rest/v1/notifications?select=id&limit=1&recipient_id=eq.${recipient}`;
    const headers = { prefer: 'count=planned' };
    const response = await requestApi(supabase(), path, { token: attacker.token, headers });
    return response.headers.get('content-range')?.split('/')[1];
  };
  expect(await planned(victim.id)).toBe(await planned(crypto.randomUUID()));
});

it('a spy does not learn the content of a notification by a filter on DELETE events', async () => {
  const { url, anonKey, database } = supabase();
  const client = await connectRawClient({ url, apiKey: anonKey });
  await client.joinLive('realtime:spy', {
    token: attacker.token,
    changes: [
      { event: 'DELETE', schema: 'public', table: 'notifications', filter: 'content=like.%secret%' },
      {
        event: 'INSERT',
        schema: 'public',
        table: 'notifications',
        filter: `recipient_id=eq.${attacker.id}`,
      },
    ],
  });
  await insert({ type: 'comment', data: { text: 'a secret' } });
  await database.query('delete from notifications where recipient_id = $1', [victim.id]);
  await insert({ type: 'edit' }, attacker.id);
  const first = (await client.nextOf('postgres_changes')).payload['data'] as { type: string };
  client.terminate();
  expect(first.type).toBe('INSERT');
});

it('a token that outlives its account sends no notification', async () => {
  await supabase().database.query('delete from auth.users where id = $1', [attacker.id]);
  expect((await send()).status).toBe(401);
  expect(await received()).toEqual([]);
});
