import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus } from '../../target/wire.ts';
import { newInbox } from './callers.ts';
import { rowsOf } from './notifications.ts';
import { newReader, thread, threads } from './threads.ts';

const audit = auditsOf('rest');
const returning = { Prefer: 'return=representation' };
const since = '1.0.0';

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

/** What the response to a write says: its counts, its preferences and its rows. */
export const restWriteResultAudits: readonly Audit[] = [
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
          response.headers.get('content-range'),
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
          response.headers.get('preference-applied'),
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
