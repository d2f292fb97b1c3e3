import { assert } from '../../target/assertion.ts';
import { createRestClient, inChunks, pages, RestError } from 'supabase-protocol-clients/rest-client';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf } from '../../clients/client-audit.ts';
import { sharedInbox } from './inbox.ts';
import { newInbox } from './callers.ts';
import { awaitDelivery, notifyOnce } from './notifications.ts';
import { hostileInbox } from './hostile-inbox.ts';
import { restOf } from './rest-of.ts';

const audit = clientAuditsOf('rest-client');

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

export const clientReadingAudits: readonly Audit[] = [
  audit(
    'CLIENT-REST-201',
    "every request has the key, and the user's token",
    { source: 'protocol/rest.md#gateway' },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const tab = await open();
      await restOf(tab, ada).from('notifications').select('id').limit(1);
      const [{ headers, query } = assert.fail('a request is sent', 'none')] = tab.wire.requests;
      assert.equal(headers.get('apikey'), tab.apiKey, 'the header apikey');
      assert.equal(headers.get('authorization'), `Bearer ${ada.accessToken}`, 'the header authorization');
      assert.ok(!String(query).includes(ada.accessToken), 'no URL contains the access token');
    },
  ),
  audit(
    'CLIENT-REST-202',
    'without a session only the public key is sent, and a key of the newer form is never a bearer token',
    { source: 'protocol/rest.md#gateway' },
    async ({ open }) => {
      const tab = await open();
      await tab.rest
        .from('notifications')
        .select('id')
        .execute()
        .catch(() => []);
      const bearer = tab.apiKey.startsWith('sb_') ? null : `Bearer ${tab.apiKey}`;
      assert.equal(
        tab.wire.requests[0]?.headers.get('authorization'),
        bearer,
        'the header authorization of the first request',
      );
      const { platform, url } = tab;
      const newer = createRestClient({ platform, url, apiKey: 'sb_publishable_unknown' });
      await newer
        .from('notifications')
        .select()
        .execute()
        .catch(() => []);
      assert.equal(
        tab.wire.requests.at(-1)?.headers.get('authorization'),
        null,
        'the header authorization of the last request',
      );
    },
  ),
  audit(
    'CLIENT-REST-203',
    'order and range select the requested rows',
    { source: 'protocol/rest.md#order-and-ranges' },
    async ({ server, open }) => {
      const { ada, rows } = await sharedInbox(server);
      const newest = restOf(await open(), ada)
        .from('notifications')
        .select('id')
        .order('created_at', { ascending: false });
      assert.deepEqual(
        idsOf(await newest.range(1, 2)),
        idsOf(rows.toReversed().slice(1, 3)),
        'the ids of the rows',
      );
      assert.deepEqual(await newest.range(100, 110), [], 'the rows of the range');
    },
  ),
  audit(
    'CLIENT-REST-204',
    'a count reads no rows, and a count with rows is the total of all matches',
    { source: 'protocol/rest.md#counts' },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const tab = await open();
      const table = restOf(tab, ada).from('notifications');
      assert.equal(await table.count().eq('status', 'unread'), 3, 'the result of the query');
      assert.equal(tab.wire.requests[0]?.method, 'HEAD', 'the method of the first request');
      const { rows, count, truncated } = await table.select('id').limit(2).withCount();
      assert.deepEqual(
        [rows.length, count, truncated],
        [2, 5, false],
        'the number of rows, count and truncated',
      );
    },
  ),
  audit(
    'CLIENT-REST-205',
    'single returns one row; no row and several are refused as not-one-row',
    { source: 'protocol/rest.md#one-row' },
    async ({ server, open }) => {
      const { ada, rows } = await sharedInbox(server);
      const select = restOf(await open(), ada)
        .from('notifications')
        .select('id');
      const [row] = rows;
      assert.deepEqual(
        await select.eq('id', row?.id ?? '').single(),
        { id: row?.id },
        'the result of the query',
      );
      for (const query of [select.eq('id', ada.id), select]) {
        const refusal = await refusalOf(RestError, query.single().execute());
        assert.deepEqual(
          [refusal.code, refusal.serverCode],
          ['not-one-row', 'PGRST116'],
          'the code and server code of the refusal',
        );
      }
    },
  ),
  audit(
    'CLIENT-REST-206',
    'maybeSingle is null without a row, and refuses several',
    { source: 'protocol/rest.md#one-row' },
    async ({ server, open }) => {
      const { ada, rows } = await sharedInbox(server);
      const select = restOf(await open(), ada)
        .from('notifications')
        .select('id');
      assert.equal(await select.eq('id', ada.id).maybeSingle(), null, 'the result of the query');
      assert.deepEqual(
        await select.eq('id', rows[0]?.id ?? '').maybeSingle(),
        { id: rows[0]?.id },
        'the result of the query',
      );
      assert.equal(
        (await refusalOf(RestError, select.maybeSingle().execute())).code,
        'not-one-row',
        'the code of the refusal',
      );
    },
  ),
  audit(
    'CLIENT-REST-207',
    'pages of any size contain the whole table, each row once',
    { source: 'protocol/rest.md#pages' },
    async ({ server, open }) => {
      const { ada, rows } = await hostileInbox(server);
      const tab = await open();
      const query = restOf(tab, ada).from('notifications').select('id, status, content');
      const found: string[] = [];
      // The first key is equal in all rows and the second has special characters, so only the id orders them.
      for await (const page of pages(query, { by: ['status', 'content', 'id'], size: 3 })) {
        found.push(...idsOf(page));
      }
      assert.deepEqual(found.toSorted(), idsOf(rows).toSorted(), 'the result');
    },
  ),
  audit(
    'CLIENT-REST-208',
    'pages neither skip nor repeat a row when earlier rows are deleted',
    { source: 'protocol/rest.md#pages' },
    async ({ server, open }) => {
      const { user, ids, send } = await newInbox(server, 5);
      const query = restOf(await open(), user)
        .from('notifications')
        .select('id, created_at');
      const found: string[] = [];
      for await (const page of pages(query, { by: ['created_at', 'id'], size: 2 })) {
        found.push(...idsOf(page));
        await send('DELETE', '/notifications', { query: { id: `eq.${page[0]?.id}` } });
      }
      assert.deepEqual(found, ids, 'the result');
    },
  ),
  audit(
    'CLIENT-REST-209',
    'a list too long for a URL is refused before it is sent, and read in parts by inChunks',
    { source: 'protocol/rest.md#long-lists' },
    async ({ server, open }) => {
      const { ada, rows } = await sharedInbox(server);
      const tab = await open();
      const strangers = Array.from({ length: 300 }, () => crypto.randomUUID());
      const ids = [...idsOf(rows.slice(0, 2)), ...strangers, ...idsOf(rows.slice(2))];
      const query = restOf(tab, ada).from('notifications').select('id').in('id', ids);
      assert.equal(
        (await refusalOf(RestError, query.execute())).code,
        'url-too-long',
        'the code of the refusal',
      );
      assert.equal(tab.wire.requests.length, 0, 'the number of requests');
      assert.deepEqual(
        idsOf(await inChunks(query)).toSorted(),
        idsOf(rows).toSorted(),
        'the ids of the rows',
      );
      assert.equal(tab.wire.requests.length, 4, 'the number of requests');
    },
  ),
  audit(
    'CLIENT-REST-210',
    'a query that is awaited twice is executed once',
    { source: 'protocol/rest.md#queries-run-once' },
    async ({ server, open }) => {
      const { user, statuses } = await newInbox(server, 0);
      const insert = restOf(await open(), user)
        .from('notifications')
        .insert({ recipient_id: user.id, content: '{}' });
      await Promise.all([insert, insert]);
      await insert;
      await awaitDelivery(server, user, 1);
      // Notifications are delivered in order, so after this one a second insert can no longer be late.
      await notifyOnce(server, await server.newUser(), user);
      assert.equal((await statuses()).length, 2, 'the number of statuses');
    },
  ),
  audit(
    'CLIENT-REST-211',
    'row-level security applies: another user’s rows are neither read nor counted',
    { source: 'protocol/product.md#notifications' },
    async ({ server, open }) => {
      const { rows, grace } = await sharedInbox(server);
      const table = restOf(await open(), grace).from('notifications');
      assert.deepEqual(await table.select('id').in('id', idsOf(rows)), [], 'the result of the query');
      assert.equal(await table.count(), 0, 'the count');
    },
  ),
];
