import { assert } from '../../target/assertion.ts';
import type { Frame } from '../../target/frames.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { inboxTopicOf, join, joinOk, settle, withSocket } from './audit-socket.ts';
import { isBroadcast, isSystem } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#broadcasts-of-the-database';
const since = '1.0.0';

/** The server may still deliver earlier messages live after a join; those are not marked as replayed. */
const isReplayed = (frame: Frame) => isBroadcast(frame) && at(frame.payload, 'meta', 'replayed') === true;
const numberOf = ({ payload }: Frame) => at(payload, 'payload', 'n');

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
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true });
        await sendFromDatabase(context, inboxTopicOf(ada), 1, 2);
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
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true });
        await context.query(
          `select realtime.broadcast_changes($1, 'UPDATE', 'UPDATE', 'users', 'auth', u, u)
           from (select id, email::text from auth.users where id = $2::uuid) u`,
          [inboxTopicOf(ada), ada.id],
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
      await sendFromDatabase(context, inboxTopicOf(ada), 1, 3);
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, replaying(Date.now() - 60_000, 10));
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
      await sendFromDatabase(context, inboxTopicOf(ada), 1, 27);
      const replayed = async (limit: number) => {
        let numbers: readonly unknown[] = [];
        await withSocket(context, async (socket) => {
          await joinOk(socket, inboxTopicOf(ada), ada, replaying(0, limit));
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
      await sendFromDatabase(context, inboxTopicOf(ada), 1, 1);
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, replaying(Date.now() + 60_000, 10));
        await settle(socket, '9');
        assert.equal(socket.received.filter(isReplayed).length, 0, 'the number of received frames');
      });
    },
  ),
];

const rows: readonly Audit[] = [
  audit(
    'RT-351',
    "the database's broadcast of a written row reaches the private channel of its user once",
    { source: 'protocol/product.md#calls-of-the-application', since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        const config = { private: true, broadcast: { replication_ready: true } };
        await joinOk(socket, inboxTopicOf(ada), ada, config, '1');
        await joinOk(socket, `other:${ada.id}`, ada, {}, '2');
        await socket.expect('the replication', isSystem('ok'));
        const id = await notifyOnce(context, grace, ada);
        const isInsert = (frame: Frame) => isBroadcast(frame) && at(frame.payload, 'event') === 'INSERT';
        const { topic, payload } = await socket.expect('the insert', isInsert);
        assert.equal(topic, `realtime:${inboxTopicOf(ada)}`, 'the topic of the broadcast');
        const change = at(payload, 'payload');
        assert.deepEqual(
          ['schema', 'table', 'operation'].map((member) => at(change, member)),
          ['public', 'notifications', 'INSERT'],
          'schema, table and operation of the payload',
        );
        assert.equal(at(change, 'records', 0, 'id'), id, 'records.0.id of the payload');
        await settle(socket, '20');
        assert.equal(socket.received.filter(isInsert).length, 1, 'the number of broadcasts');
      });
    },
  ),
  audit(
    'RT-352',
    'a join that asks for it receives a message when the replication of broadcasts is established',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, 'silent', user, {}, '1');
        await joinOk(socket, 'told', user, { broadcast: { replication_ready: true } }, '2');
        const { joinRef, payload } = await socket.expect('system ok', isSystem('ok'));
        assert.equal(joinRef, '2', 'the join_ref of the message');
        assert.deepEqual(
          ['channel', 'message'].map((member) => at(payload, member)),
          ['told', 'Replication connection established'],
          'channel and message of the payload',
        );
        await settle(socket, '20');
        assert.equal(socket.received.filter(isSystem('ok')).length, 1, 'the number of messages');
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
      const reply = await join(socket, inboxTopicOf(ada), ada, replaying('yesterday', 10));
      assert.equal(at(reply, 'status'), 'error', 'status of the reply');
      assert.match(
        String(at(reply, 'response', 'reason')),
        /UnableToReplayMessages/,
        'response.reason of the reply',
      );
    });
  }),
];

export const realtimeDatabaseAudits: readonly Audit[] = [...database, ...rows, ...replay];
