import { assert } from '../../target/assertion.ts';
import type { Frame } from '../../target/frames.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { join, joinOk, settle, withSocket } from './audit-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#broadcasts-of-the-database';

const isBroadcast = (frame: Frame) => frame.event === 'broadcast';
/** The server may still deliver earlier messages live after a join; those are not marked as replayed. */
const isReplayed = (frame: Frame) => isBroadcast(frame) && at(frame.payload, 'meta', 'replayed') === true;
const numberOf = ({ payload }: Frame) => at(payload, 'payload', 'n');

/** The user's private channel, which she can read but not write. */
const inboxOf = ({ id }: AuditUser) => `user:${id}`;
const replaying = (since: unknown, limit: unknown) => ({
  private: true,
  broadcast: { replay: { since, limit } },
});

/** Broadcasts from the database to a private topic, each in its own transaction. */
async function sendFromDatabase({ query }: AuditContext, name: string, from: number, to: number) {
  for (let n = from; n <= to; n += 1)
    await query("select realtime.send(jsonb_build_object('n', $1::int), 'note', $2, true)", [n, name]);
}

const database: readonly Audit[] = [
  audit(
    'RT-201',
    'a broadcast of the database reaches the private channel of its topic with an id',
    { source, needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true });
        await sendFromDatabase(context, inboxOf(ada), 1, 2);
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        const notes = socket.received.filter(isBroadcast);
        assert.deepEqual(notes.map(numberOf), [1, 2], 'the numbers');
        const ids = notes.map(({ payload }) => at(payload, 'meta', 'id'));
        assert.ok(ids.every((id) => typeof id === 'string') && new Set(ids).size === 2, 'an id each');
      });
    },
  ),
  audit(
    'RT-202',
    'realtime.broadcast_changes sends the operation, the table and both records',
    { source, needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, { private: true });
        await context.query(
          `select realtime.broadcast_changes($1, 'UPDATE', 'UPDATE', 'users', 'auth', u, u)
           from (select id, email::text from auth.users where id = $2::uuid) u`,
          [inboxOf(ada), ada.id],
        );
        const { payload } = await socket.expect('the change', isBroadcast);
        assert.equal(at(payload, 'event'), 'UPDATE', 'event of the payload');
        const change = at(payload, 'payload');
        const row = { id: ada.id, email: ada.email };
        assert.deepEqual(
          ['operation', 'schema', 'table', 'record', 'old_record'].map((field) => at(change, field)),
          ['UPDATE', 'auth', 'users', row, row],
          'operation, schema, table, record and old_record of the payload',
        );
      });
    },
  ),
  audit(
    'RT-203',
    'a join with replay delivers the stored broadcasts since a time after the reply, oldest first, marked as replayed',
    { source, needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxOf(ada), 1, 3);
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, replaying(Date.now() - 60_000, 10));
        await socket.expect('three', () => socket.received.filter(isReplayed).length === 3);
        assert.deepEqual(socket.received.filter(isReplayed).map(numberOf), [1, 2, 3], 'the received frames');
        assert.equal(socket.received[0]?.event, 'phx_reply', 'the event of the first received frame');
      });
    },
  ),
  audit(
    'RT-204',
    'replay delivers the latest broadcasts up to its limit, and at most 25',
    { source, needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxOf(ada), 1, 27);
      const replayed = async (limit: number) => {
        let numbers: readonly unknown[] = [];
        await withSocket(context, async (socket) => {
          await joinOk(socket, inboxOf(ada), ada, replaying(0, limit));
          // The channel's process delivers the replay, so the reply to a heartbeat may arrive first.
          await socket.expect('the latest', (frame) => isReplayed(frame) && numberOf(frame) === 27);
          await settle(socket, '9');
          numbers = socket.received.filter(isReplayed).map(numberOf);
        });
        return numbers;
      };
      assert.deepEqual(await replayed(2), [26, 27], 'the replayed messages');
      assert.deepEqual(
        await replayed(1_000),
        Array.from({ length: 25 }, (_, index) => index + 3),
        'the replayed messages',
      );
    },
  ),
  audit(
    'RT-205',
    'replay delivers nothing from before its time',
    { source, needs: ['database'] },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxOf(ada), 1, 1);
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxOf(ada), ada, replaying(Date.now() + 60_000, 10));
        await settle(socket, '9');
        assert.equal(socket.received.filter(isReplayed).length, 0, 'the number of received frames');
      });
    },
  ),
];

const replay: readonly Audit[] = [
  audit('RT-206', 'replay on a public channel is refused', { source }, async (context) => {
    const ada = await context.newUser();
    await withSocket(context, async (socket) => {
      const reply = await join(socket, `public-${ada.id}`, ada, { ...replaying(0, 10), private: false });
      assert.equal(at(reply, 'status'), 'error', 'status of the reply');
      assert.match(
        String(at(reply, 'response', 'reason')),
        /UnableToReplayMessages.*public channels/,
        'response.reason of the reply',
      );
    });
  }),
  audit('RT-207', 'replay with a time that is not valid is refused', { source }, async (context) => {
    const ada = await context.newUser();
    await withSocket(context, async (socket) => {
      const reply = await join(socket, inboxOf(ada), ada, replaying('yesterday', 10));
      assert.equal(at(reply, 'status'), 'error', 'status of the reply');
      assert.match(
        String(at(reply, 'response', 'reason')),
        /UnableToReplayMessages/,
        'response.reason of the reply',
      );
    });
  }),
];

export const realtimeDatabaseAudits: readonly Audit[] = [...database, ...replay];
