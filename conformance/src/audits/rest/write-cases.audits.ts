import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, type WireRequest, type WireResponse } from '../../target/wire.ts';
import { newCaller, newInbox } from './callers.ts';
import { createPreferences } from './inbox.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#inserts-and-upserts';
const since = '1.0.0';
const preferences = '/notification_preferences';
const threads = '/muted_threads';

type Texts = Readonly<Record<string, string>>;

const returning = { Prefer: 'return=representation' };
const thread = (id: string, name: string | null = null) => ({
  entity_type: 'document',
  entity_id: id,
  entity_name: name,
});
const headerOf = (response: WireResponse, name: string) => response.headers.get(name);

/** A new user, and a function that returns the names of the user's threads by their ids. */
async function newReader(context: AuditContext) {
  const caller = await newCaller(context);
  const stored = async () => {
    const query = { select: 'entity_id,entity_name', order: 'entity_id' };
    const rows = rowsOf(await caller.send('GET', threads, { query }));
    return Object.fromEntries(rows.map((row) => [String(at(row, 'entity_id')), at(row, 'entity_name')]));
  };
  return { ...caller, stored };
}

/** Refused bodies, with headers and the message. */
const refusedBodies: readonly (readonly [string, Texts, RegExp])[] = [
  ['', {}, /json/],
  ['nothing', {}, /json/],
  ['[1]', {}, /keys/],
  ['[{"entity_type":"a","entity_id":"1"},2]', {}, /keys/],
  ['[{"entity_type":"a","entity_id":"1"},{"entity_type":"a","entity_name":"1"}]', {}, /keys/],
  ['entity_type,entity_id\na,1\na\n', { 'Content-Type': 'text/csv' }, /fields/],
  ['{}', { 'Content-Type': 'application/x-nothing' }, /application\/x-nothing/],
];

const bodies: readonly Audit[] = [
  audit(
    'REST-451',
    'a body that is empty, of unequal rows or of another type is refused as PGRST102, and stores nothing',
    { source, since },
    async (context) => {
      const { send, stored } = await newReader(context);
      for (const [body, headers, message] of refusedBodies) {
        const response = await send('POST', threads, { body, headers });
        assertError(response, 400, 'PGRST102');
        assert.match(String(at(response.json, 'message')), message, `message of the response to ${body}`);
      }
      assert.deepEqual(await stored(), {}, 'the rows');
    },
  ),
  audit(
    'REST-452',
    'CSV takes NULL as null, quoted fields with commas and quotes, and several rows',
    { source, level: 'SHOULD', since },
    async (context) => {
      const { send, stored } = await newReader(context);
      const headers = { 'Content-Type': 'text/csv' };
      const body = 'entity_type,entity_id,entity_name\ndocument,a,"x, ""y"""\ndocument,b,NULL\ndocument,c,\n';
      assertStatus(await send('POST', threads, { body, headers }), 201);
      assert.deepEqual(await stored(), { a: 'x, "y"', b: null, c: '' }, 'the names');
    },
  ),
  audit(
    'REST-453',
    'a row can be inserted as a form',
    { source, level: 'SHOULD', since },
    async (context) => {
      const { send, stored } = await newReader(context);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const body = 'entity_type=document&entity_id=a%26b&entity_name=one+two';
      assertStatus(await send('POST', threads, { body, headers }), 201);
      assert.deepEqual(await stored(), { 'a&b': 'one two' }, 'the names');
    },
  ),
  audit(
    'REST-454',
    'missing=default stores the default in each row that lacks a column of columns',
    { source, since },
    async (context) => {
      const { send } = await newReader(context);
      const query = { columns: 'entity_type,entity_id,created_at', select: 'entity_id,created_at' };
      const body = [thread('a'), { ...thread('b'), created_at: '2020-01-01T00:00:00+00:00' }, thread('c')];
      assertError(await send('POST', threads, { query, body }), 400, '23502');
      const headers = { Prefer: 'return=representation, missing=default' };
      const response = await send('POST', threads, { query, body, headers });
      assertStatus(response, 201);
      const rows = response.json as readonly unknown[];
      assert.deepEqual(
        rows.map((row) => [
          at(row, 'entity_id'),
          Date.parse(String(at(row, 'created_at'))) > Date.parse('2021-01-01'),
        ]),
        [
          ['a', true],
          ['b', false],
          ['c', true],
        ],
        'the ids, and whether created_at is the default',
      );
    },
  ),
  audit(
    'REST-455',
    'an update changes the columns of columns only, and missing=default sets a missing one to its default',
    { source: 'protocol/rest.md#updates-and-deletes', since },
    async (context) => {
      const { send, user, mine } = await newReader(context);
      await createPreferences(context, user);
      const change = async (columns: string, body: object, prefer = '') => {
        const query = { ...mine, columns, select: 'language,digest_hour' };
        const headers = { Prefer: `return=representation${prefer}` };
        return rowsOf(await send('PATCH', preferences, { query, body, headers }))[0];
      };
      const both = { language: 'de', digest_hour: 20 };
      assert.deepEqual(await change('digest_hour', both), { language: 'en', digest_hour: 20 }, 'the row');
      assert.deepEqual(await change('language,digest_hour', both), both, 'the row');
      assert.deepEqual(
        await change('language,digest_hour', { language: 'fr' }, ', missing=default'),
        { language: 'fr', digest_hour: 8 },
        'the row',
      );
    },
  ),
];

const upserts: readonly Audit[] = [
  audit(
    'REST-456',
    'an upsert conflicts at the primary key by default, and one that also inserts responds 201',
    { source, since },
    async (context) => {
      const { send, stored } = await newReader(context);
      assertStatus(await send('POST', threads, { body: [thread('a', 'old'), thread('b', 'old')] }), 201);
      const upsert = (resolution: string, body: readonly object[]) =>
        send('POST', threads, {
          body,
          query: { select: 'entity_id' },
          headers: { Prefer: `return=representation, resolution=${resolution}-duplicates` },
        });
      const ignoring = await upsert('ignore', [thread('a', 'new'), thread('c', 'new')]);
      assertStatus(ignoring, 201);
      assert.deepEqual(ignoring.json, [{ entity_id: 'c' }], 'the response');
      const merging = await upsert('merge', [thread('b', 'new'), thread('d', 'new')]);
      assertStatus(merging, 201);
      assert.deepEqual(merging.json, [{ entity_id: 'b' }, { entity_id: 'd' }], 'the response');
      assert.deepEqual(await stored(), { a: 'old', b: 'new', c: 'new', d: 'new' }, 'the names');
    },
  ),
  audit(
    'REST-457',
    'a merging upsert of one key twice is 21000 with 500, and stores nothing',
    { source: 'protocol/rest.md#errors', since },
    async (context) => {
      const { send, stored } = await newReader(context);
      const headers = { Prefer: 'resolution=merge-duplicates' };
      const response = await send('POST', threads, { body: [thread('a', 'x'), thread('a', 'y')], headers });
      assertError(response, 500, '21000');
      assert.deepEqual(await stored(), {}, 'the names');
    },
  ),
  audit(
    'REST-458',
    'return=headers-only locates one row by every column of its key, and several rows not at all',
    { source, since },
    async (context) => {
      const { send, user } = await newReader(context);
      const headers = { Prefer: 'return=headers-only' };
      const one = await send('POST', threads, { body: thread('a&b'), headers });
      assert.equal(
        headerOf(one, 'location'),
        `/muted_threads?user_id=eq.${user.id}&entity_type=eq.document&entity_id=eq.a%26b`,
        'the header location',
      );
      const two = await send('POST', threads, { body: [thread('c'), thread('d')], headers });
      assertStatus(two, 201);
      assert.equal(headerOf(two, 'location'), null, 'the header location');
    },
  ),
];

/** Refused PUTs: query, body, status and code. */
const refusedPuts: readonly (readonly [Texts, object, number, string])[] = [
  [{}, {}, 405, 'PGRST105'],
  [{ id: 'neq.ID' }, {}, 405, 'PGRST105'],
  [{ id: 'not.eq.ID' }, {}, 405, 'PGRST105'],
  [{ id: 'eq(any).{ID}' }, {}, 405, 'PGRST105'],
  [{ id: 'eq.ID', language: 'eq.en' }, {}, 405, 'PGRST105'],
  [{ id: 'eq.ID', or: '(language.eq.en,language.eq.de)' }, {}, 405, 'PGRST105'],
  [{ id: 'eq.ID', limit: '1' }, {}, 400, 'PGRST114'],
  [{ id: 'eq.ID' }, { id: '00000000-0000-4000-8000-000000000000' }, 400, 'PGRST115'],
];

const replaced: readonly Audit[] = [
  audit(
    'REST-459',
    'PUT responds 201 for a new row, 200 for a replaced one, and 204 without the row',
    { source, since },
    async (context) => {
      const { send, user } = await newReader(context);
      const id = crypto.randomUUID();
      const put = (language: string, headers: Texts) =>
        send('PUT', preferences, {
          query: { id: `eq.${id}`, select: 'language' },
          body: { id, user_id: user.id, language },
          headers,
        });
      const made = await put('de', returning);
      assertStatus(made, 201);
      assert.deepEqual(made.json, [{ language: 'de' }], 'the response');
      const changed = await put('fr', returning);
      assertStatus(changed, 200);
      assert.deepEqual(changed.json, [{ language: 'fr' }], 'the response');
      assertStatus(await put('en', {}), 204);
      const rows = rowsOf(await send('GET', preferences, { query: { select: 'language' } }));
      assert.deepEqual(rows, [{ language: 'en' }], 'the rows');
    },
  ),
  audit(
    'REST-460',
    'a PUT with another filter than its key, with a limit or with another key in its body is refused',
    { source, since },
    async (context) => {
      const { send, user } = await newReader(context);
      const id = await createPreferences(context, user);
      for (const [query, body, status, code] of refusedPuts) {
        const filled = Object.fromEntries(
          Object.entries(query).map(([name, value]) => [name, value.replace('ID', id)]),
        );
        const request: WireRequest = {
          query: filled,
          body: { id, user_id: user.id, language: 'de', ...body },
        };
        assertError(await send('PUT', preferences, request), status, code);
      }
      const rows = rowsOf(await send('GET', preferences, { query: { select: 'language' } }));
      assert.deepEqual(rows, [{ language: 'en' }], 'the rows');
    },
  ),
];

/** Writes of two threads: method, preferences, status and Content-Range. */
const countedWrites: readonly (readonly [string, string, number, string])[] = [
  ['POST', 'count=exact', 201, '*/2'],
  ['PATCH', 'return=minimal', 204, '0-1/*'],
  ['PATCH', 'return=representation, count=exact', 200, '0-1/2'],
  ['DELETE', 'return=minimal', 204, '*/*'],
  ['POST', 'return=minimal', 201, '*/*'],
  ['DELETE', 'return=representation, count=exact', 200, '*/2'],
];

/** Requests with the preferences that they apply, in the order of the header. */
const appliedPreferences: readonly (readonly [string, string, string])[] = [
  [
    'POST',
    'missing=default, return=minimal, resolution=merge-duplicates',
    'resolution=merge-duplicates, missing=default, return=minimal',
  ],
  [
    'POST',
    'return=representation, resolution=ignore-duplicates',
    'resolution=ignore-duplicates, return=representation',
  ],
  [
    'PATCH',
    'return=headers-only, count=exact, missing=null',
    'missing=null, return=headers-only, count=exact',
  ],
  ['PATCH', 'max-affected=9, handling=strict', 'handling=strict, max-affected=9'],
  ['PATCH', 'max-affected=9, handling=lenient', 'handling=lenient'],
  ['DELETE', 'return=minimal, resolution=merge-duplicates, missing=default', 'return=minimal'],
];

const results: readonly Audit[] = [
  audit(
    'REST-461',
    'the Content-Range of a write counts as requested, with the rows and without',
    { source: 'protocol/rest.md#counts', since },
    async (context) => {
      const { send, mine } = await newReader(context);
      for (const [method, prefer, status, range] of countedWrites) {
        const body =
          method === 'POST'
            ? [thread('a'), thread('b')]
            : method === 'PATCH'
              ? { entity_name: 'x' }
              : undefined;
        const query = method === 'POST' ? {} : mine;
        const response = await send(method, threads, { query, body, headers: { Prefer: prefer } });
        assertStatus(response, status);
        assert.equal(
          headerOf(response, 'content-range'),
          range,
          `the header content-range of ${method} ${prefer}`,
        );
      }
    },
  ),
  audit(
    'REST-462',
    'Preference-Applied names each preference that a write applied, and no other',
    { source: 'protocol/rest.md#preferences', level: 'SHOULD', since },
    async (context) => {
      const { send, mine } = await newReader(context);
      for (const [method, prefer, applied] of appliedPreferences) {
        const body = method === 'POST' ? thread('a') : method === 'PATCH' ? { entity_name: 'x' } : undefined;
        const query = method === 'POST' ? {} : mine;
        const response = await send(method, threads, { query, body, headers: { Prefer: prefer } });
        assert.equal(
          headerOf(response, 'preference-applied'),
          applied,
          `the header preference-applied of ${method} ${prefer}`,
        );
      }
    },
  ),
  audit(
    'REST-463',
    'order sorts the rows that an update or a delete returns',
    { source: 'protocol/rest.md#updates-and-deletes', since },
    async (context) => {
      const { send, mine } = await newReader(context);
      assertStatus(await send('POST', threads, { body: [thread('b'), thread('c'), thread('a')] }), 201);
      const request = {
        query: { ...mine, select: 'entity_id', order: 'entity_id.desc' },
        headers: returning,
      };
      const expected = ['c', 'b', 'a'].map((id) => ({ entity_id: id }));
      const updated = await send('PATCH', threads, { ...request, body: { entity_name: 'x' } });
      assert.deepEqual(rowsOf(updated), expected, 'the updated rows');
      assert.deepEqual(rowsOf(await send('DELETE', threads, request)), expected, 'the deleted rows');
    },
  ),
];

/** Invites a user as another one. */
async function newInvitation(context: AuditContext) {
  const inviter = await newCaller(context);
  const invitee = await newCaller(context);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = `invitee_email=${encodeURIComponent(invitee.user.email)}&entity_type=project&entity_name=a+%26+b`;
  const made = await inviter.send('POST', '/rpc/create_invitation', { body, headers });
  assertStatus(made, 200);
  const token = String(at(made.json, 0, 'token'));
  const get = (query: Texts, headers: Texts = {}, method = 'GET') =>
    invitee.send(method, '/rpc/get_invitation', { query: { token, ...query }, headers });
  return { ...invitee, token, get };
}

const functions: readonly Audit[] = [
  audit(
    'REST-464',
    'a function takes its arguments from a form, and the last of repeated ones from a query',
    { source: 'protocol/rest.md#functions-of-the-database', since },
    async (context) => {
      const { get, send, token } = await newInvitation(context);
      const expected = [{ entity_type: 'project', entity_id: null, entity_name: 'a & b' }];
      const select = { select: 'entity_type,entity_id,entity_name' };
      assert.deepEqual(rowsOf(await get(select)), expected, 'the rows');
      const repeated = await send('GET', `/rpc/get_invitation?token=x&token=${token}`, { query: select });
      assert.deepEqual(rowsOf(repeated), expected, 'the rows');
    },
  ),
  audit(
    'REST-465',
    'the rows of a function are filtered by columns that are not selected, by trees and to a range',
    { source: 'protocol/rest.md#functions-of-the-database', since },
    async (context) => {
      const { get } = await newInvitation(context);
      const select = { select: 'status' };
      const found = [{ status: 'pending' }];
      const cases: readonly (readonly [Texts, readonly object[]])[] = [
        [{ entity_type: 'eq.project' }, found],
        [{ entity_type: 'eq.other' }, []],
        [{ or: '(entity_type.eq.project,entity_id.eq.x)' }, found],
        [{ or: '(entity_type.eq.other,entity_id.not.is.null)' }, []],
        [{ limit: '0' }, []],
        [{ offset: '1' }, []],
      ];
      for (const [query, expected] of cases)
        assert.deepEqual(
          rowsOf(await get({ ...select, ...query })),
          expected,
          `the rows of ${JSON.stringify(query)}`,
        );
      assertError(await get({ offset: '2' }, { Prefer: 'count=exact' }), 416, 'PGRST103');
      const head = await get({}, { Prefer: 'count=exact' }, 'HEAD');
      assert.equal(headerOf(head, 'content-range'), '0-0/1', 'the header content-range of HEAD');
    },
  ),
  audit(
    'REST-466',
    'a function that writes more rows than max-affected is refused and rolled back',
    { source: 'protocol/rest.md#preferences', since },
    async (context) => {
      const { get, send, token } = await newInvitation(context);
      const accept = (most: number) =>
        send('POST', '/rpc/accept_invitation', {
          body: { token },
          headers: { Prefer: `handling=strict, max-affected=${most}` },
        });
      assertError(await accept(0), 400, 'PGRST124');
      assert.equal(at(rowsOf(await get({}))[0], 'status'), 'pending', 'status of the first row');
      assertStatus(await accept(1), 200);
      assert.equal(at(rowsOf(await get({}))[0], 'status'), 'accepted', 'status of the first row');
    },
  ),
  audit(
    'REST-467',
    'a function is called by no other method than GET, HEAD and POST: PGRST101 with 405',
    { source: 'protocol/rest.md#functions-of-the-database', since },
    async (context) => {
      const { send } = await newCaller(context);
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await send(method, '/rpc/get_invitation', {});
        assertError(response, 405, 'PGRST101');
        assert.ok(String(at(response.json, 'message')).includes(method), `the message names ${method}`);
      }
    },
  ),
];

const limits: readonly Audit[] = [
  audit(
    'REST-468',
    'limit narrows neither an update nor the rows that it returns',
    { source: 'protocol/rest.md#updates-and-deletes', since },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 2);
      const query = { ...all, order: 'id', limit: '1' };
      const response = await send('PATCH', '/notifications', {
        query,
        body: { status: 'read' },
        headers: returning,
      });
      assert.equal(rowsOf(response).length, 2, 'the number of returned rows');
      assert.deepEqual(await statuses(), ['read', 'read'], 'the statuses');
    },
  ),
];

/** Writes and calls of one kind, each with several requests. */
export const restWriteCaseAudits: readonly Audit[] = [
  ...bodies,
  ...upserts,
  ...replaced,
  ...results,
  ...functions,
  ...limits,
];
