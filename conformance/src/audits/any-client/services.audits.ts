import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import { nextTokenSecond } from '../../audit/audit-context.ts';
import type { Audit } from '../../audit/audit.ts';
import { hostileInbox } from '../rest/hostile-inbox.ts';
import { notify, notifyOnce } from '../rest/notifications.ts';
import { at } from '../../target/wire.ts';
import type { Filter } from '../../target/client-adapter.ts';
import { portableAuditsOf, type PortableClient, type PortableContext } from './any-client-audit.ts';

const restAudit = portableAuditsOf('rest-client');
const realtimeAudit = portableAuditsOf('realtime-client');
const table = 'notifications';
const path = '/rest/v1/notifications';
const unavailable = { status: 503, body: '{"code":"PGRST001","message":"no connection"}' };
const expired = {
  status: 401,
  body: '{"code":"PGRST303","message":"JWT expired","details":null,"hint":null}',
};
const repeated = { source: 'protocol/rest.md#repeated-requests' } as const;
const channels = { source: 'protocol/realtime.md#channels-of-a-client' } as const;

async function changesOf(
  { ask }: PortableClient,
  channel: string,
  count: number,
): Promise<readonly unknown[]> {
  for (let tries = 0; ; tries += 1) {
    const changes = (await ask('getChanges', { channel })) as readonly unknown[];
    if (changes.length >= count || tries === 100) return changes;
    await delay(100);
  }
}

/** A signed-in client of a new user with `count` notifications from another user. */
async function openInbox({ server, signIn }: PortableContext, count: number) {
  const [ada, grace] = [await server.newUser(), await server.newUser()];
  await notify(server, grace, ada, count);
  const client = await signIn({ user: ada });
  return { ...client, client, server, ada, grace, select: selectBy(client) };
}

const selectBy =
  ({ ask }: PortableClient) =>
  async (...filters: readonly Filter[]) =>
    (await ask('select', { table, filters })) as readonly unknown[];

/** Filters by each hostile text of an inbox, and expects its row only. */
const findsHostileTexts =
  (operator: Filter[1], valueFor: (text: string) => Filter[2]) =>
  async ({ server, signIn }: PortableContext): Promise<void> => {
    const { ada, rows } = await hostileInbox(server);
    const select = selectBy(await signIn({ user: ada }));
    for (const { id, content } of rows)
      assert.deepEqual(
        (await select(['content', operator, valueFor(content)])).map((row) => at(row, 'id')),
        [id],
        `the ids of the rows with ${content}`,
      );
  };

export const anyServiceAudits: readonly Audit[] = [
  restAudit(
    'ANY-REST-101',
    "a read carries the key and the user's token, and returns the user's rows",
    { source: 'protocol/rest.md#gateway' },
    async (context) => {
      const { server, proxy, select, token } = await openInbox(context, 2);
      const rows = await select();
      assert.equal(rows.length, 2, 'the number of rows');
      const [sent] = proxy.to(path);
      assert.equal(sent?.headers.get('apikey'), server.target.anonKey, 'the header apikey');
      assert.equal(sent?.headers.get('authorization'), `Bearer ${await token()}`, 'the header authorization');
    },
  ),
  restAudit(
    'ANY-REST-102',
    'eq finds only the row with a hostile text',
    { source: 'protocol/rest.md#literal-values' },
    findsHostileTexts('eq', (content) => content),
  ),
  restAudit(
    'ANY-REST-103',
    'a list finds only the row with a hostile text',
    { source: 'protocol/rest.md#literal-values' },
    findsHostileTexts('in', (content) => [content, 'no such text']),
  ),
  restAudit(
    'ANY-REST-104',
    'equal to null matches null, and not the text',
    { source: 'protocol/rest.md#null-and-undefined' },
    async (context) => {
      const { select } = await openInbox(context, 2);
      assert.equal((await select(['snoozed_until', 'eq', null])).length, 2, 'the number of rows');
    },
  ),
  restAudit(
    'ANY-REST-105',
    'a list without values matches nothing',
    { source: 'protocol/rest.md#null-and-undefined' },
    async (context) => {
      const { select } = await openInbox(context, 2);
      assert.deepEqual(await select(['id', 'in', []]), [], 'the rows');
    },
  ),
  restAudit(
    'ANY-REST-106',
    'one row of several is refused with a code',
    { source: 'protocol/rest.md#one-row' },
    async (context) => {
      const { attempt } = await openInbox(context, 2);
      const outcome = await attempt('select', { table, filters: [], isSingle: true });
      assert.equal(outcome.type, 'refused', 'the end of the read');
      assert.ok(typeof at(outcome, 'code') === 'string', 'the refusal has a code');
    },
  ),
  restAudit(
    'ANY-REST-107',
    'a count is the number of all matches',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { ask } = await openInbox(context, 3);
      assert.equal(await ask('count', { table, filters: [['status', 'eq', 'unread']] }), 3, 'the count');
    },
  ),
  restAudit(
    'ANY-REST-201',
    'an insert returns no rows, so that a sender need not be allowed to read',
    { source: 'protocol/rest.md#affected-rows' },
    async (context) => {
      const ada = await context.server.newUser();
      const { proxy, ask } = await openInbox(context, 0);
      await ask('insert', { table, rows: [{ recipient_id: ada.id, content: '{"type":"comment"}' }] });
      const prefer = proxy.to(path).at(-1)?.headers.get('prefer') ?? '';
      assert.ok(!prefer.includes('return=representation'), 'the request does not ask for the rows', prefer);
    },
  ),
  restAudit(
    'ANY-REST-202',
    'a write without a filter is refused before a request is sent',
    { source: 'protocol/rest.md#updates-and-deletes', level: 'SHOULD' },
    async (context) => {
      const { proxy, attempt } = await openInbox(context, 2);
      const outcome = await attempt('update', { table, filters: [], values: { status: 'read' } });
      assert.equal(outcome.type, 'refused', 'the end of the update');
      assert.equal(proxy.to(path).length, 0, 'the number of sent writes');
    },
  ),
  restAudit(
    'ANY-REST-301',
    'a read is retried when the service is unavailable',
    repeated,
    async (context) => {
      const { proxy, select } = await openInbox(context, 1);
      proxy.scriptResponse(path, unavailable);
      const rows = await select();
      assert.equal(rows.length, 1, 'the number of rows');
    },
  ),
  restAudit(
    'ANY-REST-302',
    'a write is not retried when the service is unavailable',
    repeated,
    async (context) => {
      const { ada, proxy, attempt } = await openInbox(context, 1);
      proxy.scriptResponse(path, unavailable);
      const outcome = await attempt('update', {
        table,
        filters: [['recipient_id', 'eq', ada.id]],
        values: { status: 'read' },
      });
      assert.equal(outcome.type, 'refused', 'the end of the update');
      assert.equal(proxy.to(path).length, 1, 'the number of sent writes');
    },
  ),
  restAudit(
    'ANY-REST-303',
    'a token that the service rejects as expired is refreshed, and the read is retried',
    { ...repeated, level: 'SHOULD' },
    async (context) => {
      const { proxy, select } = await openInbox(context, 1);
      await nextTokenSecond();
      proxy.scriptResponse(path, expired);
      const rows = await select();
      assert.equal(rows.length, 1, 'the number of rows');
    },
  ),
  restAudit('ANY-REST-304', "a proxy's page is not mistaken for rows", repeated, async (context) => {
    const { proxy, attempt } = await openInbox(context, 1);
    proxy.scriptResponse(path, { status: 200, body: '<h1>Portal</h1>' });
    const outcome = await attempt('select', { table, filters: [] });
    assert.equal(outcome.type, 'refused', 'the end of the read');
  }),
  realtimeAudit(
    'ANY-RT-101',
    'inserts and updates arrive in order at a live channel',
    channels,
    async (context) => {
      const { client, server, ada, grace } = await openInbox(context, 0);
      await client.ask('subscribe', { channel: 'inbox', table });
      await notifyOnce(server, grace, ada);
      // A server may send both changes at once, and a client may then merge the changes of one row.
      await changesOf(client, 'inbox', 1);
      await server.rest.send('PATCH', '/notifications', {
        token: ada.accessToken,
        query: { recipient_id: `eq.${ada.id}` },
        body: { status: 'read' },
      });
      assert.deepEqual(await changesOf(client, 'inbox', 2), ['INSERT', 'UPDATE'], 'the kinds of the changes');
    },
  ),
  realtimeAudit(
    'ANY-RT-102',
    'a subscription counts as live only after the confirmation of the server, and misses no change',
    channels,
    async (context) => {
      const { client, server, ada, grace } = await openInbox(context, 0);
      await client.ask('subscribe', { channel: 'inbox', table });
      await notifyOnce(server, grace, ada);
      assert.equal((await changesOf(client, 'inbox', 1)).length, 1, 'the number of changes');
    },
  ),
  realtimeAudit(
    'ANY-RT-103',
    "the join carries the user's token, and the URL of the socket does not",
    { source: 'protocol/realtime.md#handshake' },
    async (context) => {
      const { proxy, ask, token } = await openInbox(context, 0);
      await ask('subscribe', { channel: 'inbox', table });
      const accessToken = await token();
      const join = proxy.sent.find(({ event }) => event === 'phx_join');
      assert.equal(at(join?.payload, 'access_token'), accessToken, 'access_token of the join');
      assert.ok(!proxy.socketUrls.some((url) => url.includes(accessToken)), 'no URL contains the token');
    },
  ),
  realtimeAudit('ANY-RT-104', 'the channels of a client share one socket', channels, async (context) => {
    const { proxy, ask } = await openInbox(context, 0);
    await ask('subscribe', { channel: 'one', table });
    await ask('subscribe', { channel: 'two', table });
    assert.equal(proxy.socketUrls.length, 1, 'the number of opened sockets');
  }),
  realtimeAudit(
    'ANY-RT-105',
    'leaving a channel sends a leave, and nothing arrives afterwards',
    channels,
    async (context) => {
      const { client, server, ada, grace } = await openInbox(context, 0);
      await client.ask('subscribe', { channel: 'inbox', table });
      await client.ask('unsubscribe', { channel: 'inbox' });
      await delay(1_500);
      assert.ok(
        client.proxy.sent.some(({ event }) => event === 'phx_leave'),
        'a leave is sent',
      );
      await notifyOnce(server, grace, ada);
      await delay(1_000);
      assert.deepEqual(await client.ask('getChanges', { channel: 'inbox' }), [], 'the changes');
    },
  ),
  realtimeAudit('ANY-RT-106', 'after a sign-out a channel delivers nothing', channels, async (context) => {
    const { client, server, ada, grace } = await openInbox(context, 0);
    await client.ask('subscribe', { channel: 'inbox', table });
    await client.ask('signOut', { scope: 'local' });
    await delay(1_000);
    const before = (await client.ask('getChanges', { channel: 'inbox' })) as readonly unknown[];
    await notifyOnce(server, grace, ada);
    await delay(2_000);
    const after = (await client.ask('getChanges', { channel: 'inbox' })) as readonly unknown[];
    assert.equal(after.length, before.length, 'the number of changes after the sign-out');
  }),
];
