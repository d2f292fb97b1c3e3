import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, type WireRequest } from '../../target/wire.ts';
import { createPreferences } from './inbox.ts';
import { rowsOf } from './notifications.ts';
import { newReader, thread, threads } from './threads.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#inserts-and-upserts';
const preferences = '/notification_preferences';
const returning = { Prefer: 'return=representation' };
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

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
      const one = await send('POST', threads, { body: thread("a&b!'()*-_~/ü"), headers });
      assert.equal(
        one.headers.get('location'),
        `/muted_threads?user_id=eq.${user.id}&entity_type=eq.document&entity_id=eq.a%26b%21%27%28%29%2A-_~%2F%C3%BC`,
        'the header location',
      );
      const two = await send('POST', threads, { body: [thread('c'), thread('d')], headers });
      assertStatus(two, 201);
      assert.equal(two.headers.get('location'), null, 'the header location');
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

const replacements: readonly Audit[] = [
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
  audit(
    'REST-535',
    'PUT takes every member of its body, whatever columns names',
    { source, since },
    async (context) => {
      const { send, user } = await newReader(context);
      const id = crypto.randomUUID();
      const put = await send('PUT', preferences, {
        query: { id: `eq.${id}`, columns: 'id,user_id', select: 'language' },
        body: { id, user_id: user.id, language: 'de' },
        headers: returning,
      });
      assertStatus(put, 201);
      assert.deepEqual(put.json, [{ language: 'de' }], 'the response');
    },
  ),
];

/** Rows that may exist: upserts, and PUT by the key. */
export const restUpsertAudits: readonly Audit[] = [...upserts, ...replacements];
