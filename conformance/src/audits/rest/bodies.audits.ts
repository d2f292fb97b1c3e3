import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { createPreferences } from './inbox.ts';
import { rowsOf } from './notifications.ts';
import { newReader, thread, threads } from './threads.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#inserts-and-upserts';
const preferences = '/notification_preferences';
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

/** Refused bodies, with headers and the message. */
const refusedBodies: readonly (readonly [string, Texts, RegExp])[] = [
  ['', {}, /json/],
  ['nothing', {}, /json/],
  ['[1]', {}, /keys/],
  ['[{"entity_type":"a","entity_id":"1"},2]', {}, /keys/],
  ['[{"entity_type":"a","entity_id":"1"},{"entity_type":"a","entity_name":"1"}]', {}, /keys/],
  ['entity_type,entity_id\na,1\na\n', { 'Content-Type': 'text/csv' }, /fields/],
  ['', { 'Content-Type': 'text/csv' }, /./],
  ['entity_type,entity_id', { 'Content-Type': 'text/csv' }, /./],
  ['entity_type,entity_id\na,"1"2\n', { 'Content-Type': 'text/csv' }, /satisfy\) at "2\\n"/],
  ['entity_type,entity_id\na,1"2\n', { 'Content-Type': 'text/csv' }, /satisfy\) at "\\"2\\n"/],
  ['entity_type,entity_id\na,"', { 'Content-Type': 'text/csv' }, /trailing double quote/],
  ['entity_type,entity_id\na,"1""', { 'Content-Type': 'text/csv' }, /insufficient input/],
  ['{}', { 'Content-Type': 'application/x-nothing' }, /application\/x-nothing/],
];

/** Forms of bodies, and the columns that a write takes from them. */
export const restBodyAudits: readonly Audit[] = [
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
      // At the end, a quoted field ends without its quote: the last character is taken for it.
      const open = 'entity_type,entity_id,entity_name\ndocument,d,"x, ""y""\nz';
      assertStatus(await send('POST', threads, { body: open, headers }), 201);
      const names = { a: 'x, "y"', b: null, c: '', d: 'x, "y"\n' };
      assert.deepEqual(await stored(), names, 'the names');
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
