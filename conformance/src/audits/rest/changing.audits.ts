import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus } from '../../target/wire.ts';
import { newCaller, newInbox } from './callers.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#updates-and-deletes';
const representation = { Prefer: 'return=representation' } as const;
const object = 'application/vnd.pgrst.object+json';

const updates: readonly Audit[] = [
  audit(
    'REST-280',
    'the Content-Range of an update of one row is 0-0/*',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { send, ids } = await newInbox(context, 1);
      const response = await send('PATCH', '/notifications', {
        query: { id: `eq.${ids[0]}` },
        body: { status: 'read' },
      });
      assertStatus(response, 204);
      assert.equal(
        response.headers.get('content-range'),
        '0-0/*',
        'the header content-range of the response',
      );
    },
  ),
  audit(
    'REST-281',
    'the Content-Range of an update of no rows is */*',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { send, all } = await newInbox(context, 0);
      const response = await send('PATCH', '/notifications', { query: all, body: { status: 'read' } });
      assertStatus(response, 204);
      assert.equal(response.headers.get('content-range'), '*/*', 'the header content-range of the response');
    },
  ),
  audit(
    'REST-282',
    'an update counts its rows on request',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { send, all } = await newInbox(context, 2);
      const headers = { Prefer: 'count=exact' };
      const response = await send('PATCH', '/notifications', {
        query: all,
        body: { status: 'read' },
        headers,
      });
      assert.equal(
        response.headers.get('content-range'),
        '0-1/2',
        'the header content-range of the response',
      );
    },
  ),
  audit('REST-283', 'an update of an unknown column is refused as PGRST204', { source }, async (context) => {
    const { send, all } = await newInbox(context, 0);
    assertError(await send('PATCH', '/notifications', { query: all, body: { nothing: 1 } }), 400, 'PGRST204');
  }),
  audit(
    'REST-284',
    'sent content cannot be changed: 42501 with 403',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const { send, all } = await newInbox(context, 1);
      assertError(
        await send('PATCH', '/notifications', { query: all, body: { content: '{}' } }),
        403,
        '42501',
      );
    },
  ),
  audit('REST-285', 'an update to a value that the check refuses is 23514', { source }, async (context) => {
    const { send, all, statuses } = await newInbox(context, 1);
    assertError(
      await send('PATCH', '/notifications', { query: all, body: { status: 'lost' } }),
      400,
      '23514',
    );
    assert.deepEqual(await statuses(), ['unread'], 'the statuses');
  }),
  audit(
    'REST-286',
    'an update of two rows with an object requested is refused and rolled back',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 2);
      const headers = { ...representation, Accept: object };
      const response = await send('PATCH', '/notifications', {
        query: all,
        body: { status: 'read' },
        headers,
      });
      assertError(response, 406, 'PGRST116');
      assert.deepEqual(await statuses(), ['unread', 'unread'], 'the statuses');
    },
  ),
  audit(
    'REST-287',
    'an update without columns responds 204 and changes nothing',
    { source },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 1);
      assertStatus(await send('PATCH', '/notifications', { query: all, body: {} }), 204);
      assert.deepEqual(await statuses(), ['unread'], 'the statuses');
    },
  ),
  audit(
    'REST-288',
    'an update by several filters changes the rows that match all of them',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const { send, all, ids, statuses } = await newInbox(context, 2);
      const query = { ...all, id: `in.(${ids[0]})`, status: 'eq.unread' };
      assertStatus(await send('PATCH', '/notifications', { query, body: { status: 'archived' } }), 204);
      assert.deepEqual(new Set(await statuses()), new Set(['archived', 'unread']), 'the statuses');
    },
  ),
  audit(
    'REST-289',
    'max-affected allows a write within its limit',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 2);
      const headers = { Prefer: 'handling=strict,max-affected=2' };
      assertStatus(
        await send('PATCH', '/notifications', { query: all, body: { status: 'read' }, headers }),
        204,
      );
      assert.deepEqual(await statuses(), ['read', 'read'], 'the statuses');
    },
  ),
  audit(
    'REST-290',
    'max-affected counts only with handling=strict',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      const { send, all } = await newInbox(context, 2);
      const headers = { Prefer: 'max-affected=1' };
      assertStatus(
        await send('PATCH', '/notifications', { query: all, body: { status: 'read' }, headers }),
        204,
      );
    },
  ),
];

const deletes: readonly Audit[] = [
  audit(
    'REST-304',
    'an update or delete without a filter is refused as 21000 and changes no row',
    { source, level: 'SHOULD' },
    async (context) => {
      const { send, statuses } = await newInbox(context, 1);
      for (const [method, request] of [
        ['PATCH', { body: { status: 'read' } }],
        ['DELETE', {}],
        ['DELETE', { query: { order: 'id', limit: '1' } }],
      ] as const)
        assertError(await send(method, '/notifications', request), 400, '21000');
      assert.deepEqual(await statuses(), ['unread'], 'the statuses');
    },
  ),
  audit('REST-295', 'a delete returns the rows on request', { source }, async (context) => {
    const { send, all, ids } = await newInbox(context, 1);
    const response = await send('DELETE', '/notifications', {
      query: { ...all, select: 'id' },
      headers: representation,
    });
    assert.deepEqual(rowsOf(response), [{ id: ids[0] }], 'the rows of the response');
  }),
  audit('REST-296', 'a delete of no rows responds 204', { source }, async (context) => {
    const { send, all } = await newInbox(context, 0);
    assertStatus(await send('DELETE', '/notifications', { query: all }), 204);
  }),
  audit(
    'REST-297',
    'a delete counts its rows on request',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const { send, all } = await newInbox(context, 2);
      const response = await send('DELETE', '/notifications', {
        query: all,
        headers: { Prefer: 'count=exact' },
      });
      assert.equal(response.headers.get('content-range'), '*/2', 'the header content-range of the response');
    },
  ),
  audit(
    'REST-298',
    'a delete of no rows with an object requested is refused as PGRST116',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const { send, all } = await newInbox(context, 0);
      const headers = { ...representation, Accept: object };
      assertError(await send('DELETE', '/notifications', { query: all, headers }), 406, 'PGRST116');
    },
  ),
  audit(
    'REST-299',
    "a delete of another's rows removes none",
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const { all, statuses } = await newInbox(context, 1);
      const other = await newCaller(context);
      assertStatus(await other.send('DELETE', '/notifications', { query: all }), 204);
      assert.deepEqual(await statuses(), ['unread'], 'the statuses');
    },
  ),
  audit(
    'REST-300',
    'a delete beyond max-affected is refused and rolled back',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 2);
      const headers = { Prefer: 'handling=strict,max-affected=1' };
      assertError(await send('DELETE', '/notifications', { query: all, headers }), 400, 'PGRST124');
      assert.equal((await statuses()).length, 2, 'the number of statuses');
    },
  ),
];

export const restChangingAudits: readonly Audit[] = [...updates, ...deletes];
