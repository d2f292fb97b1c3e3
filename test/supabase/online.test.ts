import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectRawClient } from 'local-supabase/testing';
import type { RawClient } from 'local-supabase/testing';
import { createUser, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0 });
const clients: RawClient[] = [];
let [alma, bert, stranger]: TestUser[] = [];

/** Two contacts, where `alma` has invited `bert`, and a user who shares no invitation with them. */
function people(): readonly [TestUser, TestUser, TestUser] {
  if (!alma || !bert || !stranger) throw new Error('The users do not exist yet');
  return [alma, bert, stranger];
}

async function call<T>({ token }: TestUser, name: string, body: object = {}): Promise<T> {
  const response = await requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function shareInvitation(inviter: TestUser, invitee: TestUser): Promise<void> {
  const [made] = await call<{ token: string }[]>(inviter, 'create_invitation', {
    invitee_email: invitee.email,
  });
  await call(invitee, 'accept_invitation', { token: made?.token });
}

/** The topics that a user may know, by the person. */
async function topicsOf(user: TestUser): Promise<Record<string, string>> {
  const rows = await call<{ user_id: string; topic: string }[]>(user, 'online_topics');
  return Object.fromEntries(rows.map((row) => [row.user_id, row.topic]));
}

/** The topic in which a user is online. */
async function ownTopic(user: TestUser): Promise<string> {
  const { [user.id]: topic = '' } = await topicsOf(user);
  return topic;
}

async function join({ token }: TestUser, topic: string) {
  const { url, anonKey } = supabase();
  const client = await connectRawClient({ url, apiKey: anonKey });
  clients.push(client);
  const config = { private: true, presence: { enabled: true } };
  client.join(`realtime:${topic}`, { token, config });
  const { payload } = await client.nextOf('phx_reply');
  return { client, status: payload['status'] };
}

/** Tracks presence in a joined topic. @returns the status of the reply. */
async function track(client: RawClient, topic: string): Promise<unknown> {
  const call = { type: 'presence', event: 'track', payload: {} };
  client.send('1', 'track', `realtime:${topic}`, 'presence', call);
  return (await client.nextOf('phx_reply')).payload['status'];
}

const block = (blocker: TestUser, sender: TestUser) =>
  requestApi(supabase(), '/rest/v1/blocked_senders', {
    method: 'POST',
    token: blocker.token,
    body: { sender_id: sender.id },
  });

/** Turns the switch of the preferences, whose row exists from the first turn on. */
async function show({ id }: TestUser, isShown: boolean): Promise<void> {
  const { database } = supabase();
  await database.query('insert into notification_preferences (user_id) values ($1) on conflict do nothing', [
    id,
  ]);
  await database.query('update notification_preferences set show_online = $2 where user_id = $1', [
    id,
    isShown,
  ]);
}

beforeAll(async () => {
  alma = await createUser(supabase(), 'alma@example.com');
  bert = await createUser(supabase(), 'bert@example.com');
  stranger = await createUser(supabase(), 'stranger@example.com');
});
beforeEach(async () => {
  const [inviter, invitee] = people();
  await supabase().database.exec(
    'delete from blocked_senders; delete from notification_preferences; delete from private.accepted_invitations; delete from private.send_usage',
  );
  await shareInvitation(inviter, invitee);
});
afterEach(() => clients.splice(0).forEach((client) => client.terminate()));

it('the topics of people who are online are those of the caller and of both sides of an accepted invitation', async () => {
  const [one, other, third] = people();
  const topics = await topicsOf(one);
  expect(Object.keys(topics).sort()).toEqual([one.id, other.id].sort());
  expect(topics[one.id]).toMatch(/^online:[\da-f-]{36}$/);
  expect(await topicsOf(other)).toEqual(topics);
  expect(Object.keys(await topicsOf(third))).toEqual([third.id]);
});

it('the topics of people who are online do not include the invitee before the invitation is accepted, or after it is declined', async () => {
  const [one, , third] = people();
  const [made] = await call<{ token: string }[]>(one, 'create_invitation', { invitee_email: third.email });
  expect(await topicsOf(one)).not.toHaveProperty(third.id);
  await call(third, 'decline_invitation', { token: made?.token });
  expect(await topicsOf(one)).not.toHaveProperty(third.id);
});

it('the topics of people who are online outlive the invitation, which retention deletes, but not its withdrawal', async () => {
  const [one, other, third] = people();
  await shareInvitation(other, third);
  const { database } = supabase();
  await database.query('delete from invitations where inviter_id = $1', [one.id]);
  expect(await topicsOf(one)).toHaveProperty(other.id);
  const before = await ownTopic(third);
  await database.query(`update invitations set status = 'revoked' where inviter_id = $1`, [other.id]);
  expect(await topicsOf(other)).not.toHaveProperty(third.id);
  expect(await ownTopic(third)).not.toBe(before);
});

it('the topics of people who are online are refused to a session that lacks the second factor', async () => {
  const [one, other] = people();
  const topic = await ownTopic(one);
  const { database } = supabase();
  await database.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [other.id],
  );
  const response = await requestApi(supabase(), '/rest/v1/rpc/online_topics', {
    method: 'POST',
    token: other.token,
    body: {},
  });
  expect(response.status).toBe(403);
  expect((await join(other, topic)).status).toBe('error');
  await database.exec('delete from auth.mfa_factors');
});

it('the presence of a person is read by contacts, who see the person come and go', async () => {
  const [one, other] = people();
  const topic = await ownTopic(one);
  const reader = await join(other, topic);
  expect(reader.status).toBe('ok');
  const owner = await join(one, topic);
  expect(await track(owner.client, topic)).toBe('ok');
  const { joins } = (await reader.client.nextOf('presence_diff')).payload;
  expect(Object.values(joins as object)).toEqual([{ metas: [{ phx_ref: expect.any(String) }] }]);
  owner.client.terminate();
  const { leaves } = (await reader.client.nextOf('presence_diff')).payload;
  expect(Object.keys(leaves as object)).toEqual(Object.keys(joins as object));
});

it('the presence of a person is refused to a stranger who knows the topic', async () => {
  const [one, , third] = people();
  expect((await join(third, await ownTopic(one))).status).toBe('error');
});

it('the presence of a person is tracked by the person alone', async () => {
  const [one, other] = people();
  const topic = await ownTopic(one);
  const { client } = await join(other, topic);
  expect(await track(client, topic)).toBe('error');
});

it('the presence of a person carries no broadcasts', async () => {
  const [one, other] = people();
  const topic = await ownTopic(one);
  const reader = await join(other, topic);
  const owner = await join(one, topic);
  const message = { type: 'broadcast', event: 'spam', payload: {} };
  for (const { client } of [owner, reader]) client.send('1', '9', `realtime:${topic}`, 'broadcast', message);
  const seen = [await owner.client.flush(), await reader.client.flush(), await owner.client.flush()];
  expect(seen.flat().map(({ event }) => event)).not.toContain('broadcast');
});

it.each(['the person', 'the contact'] as const)(
  'the presence of a person is refused after a block by %s',
  async (blocker) => {
    const [one, other] = people();
    await (blocker === 'the person' ? block(one, other) : block(other, one));
    expect((await join(other, await ownTopic(one))).status).toBe('error');
    expect(await topicsOf(other)).not.toHaveProperty(one.id);
    expect(await topicsOf(one)).not.toHaveProperty(other.id);
  },
);

it('the presence of a person moves to a topic that a blocked contact does not know', async () => {
  const [one, other] = people();
  const before = await ownTopic(one);
  const reader = await join(other, before);
  await block(one, other);
  const after = await ownTopic(one);
  expect(after).not.toBe(before);
  const owner = await join(one, after);
  expect(await track(owner.client, after)).toBe('ok');
  expect((await reader.client.flush()).map(({ event }) => event)).not.toContain('presence_diff');
});

it('the presence of a person tells only the user who blocks a contact', async () => {
  const [one, other] = people();
  const inbox = await Promise.all([join(one, `user:${one.id}`), join(other, `user:${other.id}`)]);
  await block(one, other);
  await expect.poll(() => inbox[0].client.binaries.map(String)).toHaveLength(1);
  expect(String(inbox[0].client.binaries[0])).toContain('online_topics_changed');
  await inbox[1].client.flush();
  expect(inbox[1].client.binaries).toEqual([]);
});

it('the presence of a person stays in its topic when a stranger is blocked', async () => {
  const [one, , third] = people();
  const before = await ownTopic(one);
  await block(one, third);
  expect(await ownTopic(one)).toBe(before);
});

it('the presence of a person is neither shown nor known while the switch is off, also to a contact who knew the topic', async () => {
  const [one, other] = people();
  const before = await ownTopic(one);
  const owner = await join(one, before);
  await show(one, false);
  expect(await track(owner.client, before)).toBe('error');
  expect(await topicsOf(one)).not.toHaveProperty(one.id);
  expect(await topicsOf(other)).not.toHaveProperty(one.id);
  expect((await join(other, before)).status).toBe('error');
  await show(one, true);
  const after = await ownTopic(one);
  expect(after).not.toBe(before);
  expect(await track((await join(one, after)).client, after)).toBe('ok');
});

it('the tables behind presence are closed to the roles of the API', async () => {
  const [one] = people();
  for (const table of ['online_topics', 'accepted_invitations']) {
    const headers = { 'accept-profile': 'private' };
    const response = await requestApi(supabase(), `/rest/v1/${table}`, { token: one.token, headers });
    expect(response.status).toBe(406);
  }
  const anonymous = await requestApi(supabase(), '/rest/v1/rpc/online_topics', {
    method: 'POST',
    body: {},
  });
  expect(anonymous.status).toBe(401);
});

it('the topics of presence end with the account', async () => {
  const { database } = supabase();
  const [one] = people();
  const leaver = await createUser(supabase(), 'leaver@example.com');
  await shareInvitation(one, leaver);
  await topicsOf(leaver);
  await database.query('delete from auth.users where id = $1', [leaver.id]);
  expect(await topicsOf(one)).not.toHaveProperty(leaver.id);
  expect(await signIn(supabase(), one.email)).toBeTruthy();
});
