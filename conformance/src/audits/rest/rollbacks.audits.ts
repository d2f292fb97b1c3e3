import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus } from '../../target/wire.ts';
import { newCaller, newInbox } from './callers.ts';
import { rowsOf } from './notifications.ts';
import { thread, threads } from './threads.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#media-types';
const singular = {
  Accept: 'application/vnd.pgrst.object+json',
  Prefer: 'return=representation',
} as const;
const twoThreads = [thread('a', 'new'), thread('b', 'new')];
const names = { select: 'entity_id,entity_name', order: 'entity_id' };

/** Writes that fail after their statement ran and must be rolled back. */
export const restRollbackAudits: readonly Audit[] = [
  audit(
    'REST-355',
    'an update beyond max-affected is refused and rolled back',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 2);
      const headers = { Prefer: 'handling=strict,max-affected=1' };
      const response = await send('PATCH', '/notifications', {
        query: all,
        body: { status: 'read' },
        headers,
      });
      assertError(response, 400, 'PGRST124');
      assert.deepEqual(await statuses(), ['unread', 'unread'], 'the statuses');
    },
  ),
  audit(
    'REST-356',
    'a singular delete of two rows is refused and rolled back',
    { source },
    async (context) => {
      const { send, all, statuses } = await newInbox(context, 2);
      const response = await send('DELETE', '/notifications', { query: all, headers: singular });
      assertError(response, 406, 'PGRST116');
      assert.deepEqual(await statuses(), ['unread', 'unread'], 'the statuses');
    },
  ),
  audit(
    'REST-357',
    'a singular insert of two rows is refused and rolled back',
    { source },
    async (context) => {
      const { send } = await newCaller(context);
      assertError(await send('POST', threads, { body: twoThreads, headers: singular }), 406, 'PGRST116');
      assert.deepEqual(rowsOf(await send('GET', threads, { query: names })), [], 'the rows');
    },
  ),
  audit(
    'REST-358',
    'a singular upsert of two rows is refused and rolled back',
    { source },
    async (context) => {
      const { send } = await newCaller(context);
      assertStatus(await send('POST', threads, { body: thread('a', 'old') }), 201);
      const headers = { ...singular, Prefer: 'return=representation,resolution=merge-duplicates' };
      const query = { on_conflict: 'user_id,entity_type,entity_id' };
      assertError(await send('POST', threads, { body: twoThreads, query, headers }), 406, 'PGRST116');
      assert.deepEqual(
        rowsOf(await send('GET', threads, { query: names })),
        [{ entity_id: 'a', entity_name: 'old' }],
        'the rows',
      );
    },
  ),
];
