import { randomUUID } from 'node:crypto';
import { assert } from '../../target/assertion.ts';
import type { Frame } from '../../target/frames.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { inboxTopicOf, join, joinOk, settle, withSocket, withSockets } from './audit-socket.ts';
import { isBroadcast, isSystem, type FrameSocket } from './frame-socket.ts';

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
  audit(
    'RT-372',
    'a broadcast of the database has the event and the payload of its call',
    { source, needs: ['database'], since },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true });
        const payload = { id: 'own', text: 'größe', list: [1, null] };
        await context.query("select realtime.send($1::jsonb, 'an event', $2, true)", [
          JSON.stringify(payload),
          inboxTopicOf(ada),
        ]);
        const received = await socket.expect('the broadcast', isBroadcast);
        assert.equal(at(received.payload, 'event'), 'an event', 'event of the broadcast');
        assert.deepEqual(at(received.payload, 'payload'), payload, 'payload of the broadcast');
      });
    },
  ),
  audit(
    'RT-373',
    'broadcasts of the database with one payload have different ids, which are not that of the payload',
    { source, needs: ['database'], since },
    async (context) => {
      const ada = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true });
        const id = randomUUID();
        for (const event of ['one', 'two'])
          await context.query("select realtime.send(jsonb_build_object('id', $1::text), $2, $3, true)", [
            id,
            event,
            inboxTopicOf(ada),
          ]);
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        const received = socket.received.filter(isBroadcast).map(({ payload }) => payload);
        assert.deepEqual(
          received.map((payload) => at(payload, 'payload', 'id')),
          [id, id],
          'payload.id of the broadcasts',
        );
        const ids = received.map((payload) => at(payload, 'meta', 'id'));
        assert.equal(new Set([id, ...ids]).size, 3, 'the number of ids');
      });
    },
  ),
  audit(
    'RT-374',
    'a public broadcast of the database reaches the public channel of its topic, and not the private one',
    { source, needs: ['database'], since },
    async (context) => {
      const ada = await context.newUser();
      await withSockets(context, async (open) => {
        const [closed, shared] = [await open(), await open()];
        await joinOk(closed, inboxTopicOf(ada), ada, { private: true });
        await joinOk(shared, inboxTopicOf(ada), ada, {});
        for (const [event, isPrivate] of [
          ['public', false],
          ['private', true],
          ['public', false],
        ] as const)
          await context.query("select realtime.send('{}', $1, $2, $3)", [
            event,
            inboxTopicOf(ada),
            isPrivate,
          ]);
        await closed.expect('the private broadcast', isBroadcast);
        await shared.expect('both', () => shared.received.filter(isBroadcast).length === 2);
        const eventsOf = ({ received }: FrameSocket) =>
          received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        await settle(closed, '9');
        assert.deepEqual(
          [eventsOf(closed), eventsOf(shared)],
          [['private'], ['public', 'public']],
          'the events of the private and of the public channel',
        );
      });
    },
  ),
  audit(
    'RT-375',
    'realtime.broadcast_changes sends null for a missing record, and refuses other operations and levels',
    { source, needs: ['database'], since },
    async (context) => {
      const ada = await context.newUser();
      const topic = inboxTopicOf(ada);
      const change = (operation: string, records: string, level = 'ROW') =>
        context.query(
          `select realtime.broadcast_changes($1, 'change', $2, 'users', 'auth', ${records}, $3)
           from (select id from auth.users where id = $4::uuid) u`,
          [topic, operation, level, ada.id],
        );
      await withSocket(context, async (socket) => {
        await joinOk(socket, topic, ada, { private: true });
        await change('INSERT', 'u, null');
        await change('DELETE', 'null, u');
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        assert.deepEqual(
          socket.received
            .filter(isBroadcast)
            .map(({ payload }) =>
              ['operation', 'record', 'old_record'].map((member) => at(payload, 'payload', member)),
            ),
          [
            ['INSERT', { id: ada.id }, null],
            ['DELETE', null, { id: ada.id }],
          ],
          'operation, record and old_record of the broadcasts',
        );
      });
      for (const [operation, level] of [
        ['TRUNCATE', 'ROW'],
        ['INSERT', 'STATEMENT'],
      ] as const) {
        const outcome = await change(operation, 'u, u', level).then(
          () => 'accepted',
          (problem: unknown) => String(problem),
        );
        assert.match(outcome, /Failed to process the row/, `the refusal of ${operation} for each ${level}`);
      }
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
  audit(
    'RT-376',
    'a replay without a limit has at most 25 messages, and one with a limit of 0 has one',
    { source, needs: ['database'], since },
    async (context) => {
      const ada = await context.newUser();
      await sendFromDatabase(context, inboxTopicOf(ada), 1, 26);
      for (const [limit, first] of [
        [undefined, 2],
        [0, 26],
      ] as const)
        await withSocket(context, async (socket) => {
          await joinOk(socket, inboxTopicOf(ada), ada, replaying(0, limit));
          await socket.expect('the latest', (frame) => isReplayed(frame) && numberOf(frame) === 26);
          await settle(socket, '9');
          const numbers = socket.received.filter(isReplayed).map(numberOf);
          assert.deepEqual(
            [numbers[0], numbers.length],
            [first, 27 - first],
            'the number of the first message and the number of messages',
          );
        });
    },
  ),
  audit(
    'RT-377',
    'a replay has the private messages of its topic alone, with their events and the ids of their delivery',
    { source, needs: ['database'], since },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(ada), ada, { private: true });
        const send = (n: number, topic: string, isPrivate: boolean) =>
          context.query("select realtime.send(jsonb_build_object('n', $1::int), 'note', $2, $3)", [
            n,
            topic,
            isPrivate,
          ]);
        await send(1, inboxTopicOf(ada), true);
        await send(2, inboxTopicOf(grace), true);
        await send(3, inboxTopicOf(ada), false);
        await send(4, inboxTopicOf(ada), true);
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        const live = socket.received.filter(isBroadcast);
        await withSocket(context, async (late) => {
          await joinOk(late, inboxTopicOf(ada), ada, replaying(0, 10));
          await late.expect('the last', (frame) => isReplayed(frame) && numberOf(frame) === 4);
          const describe = (frame: Frame) => [
            numberOf(frame),
            at(frame.payload, 'event'),
            at(frame.payload, 'meta', 'id'),
          ];
          assert.deepEqual(
            late.received.filter(isReplayed).map(describe),
            live.map(describe),
            'the numbers, the events and the ids',
          );
        });
      });
    },
  ),
  audit(
    'RT-419',
    'a replay has bytes as bytes, and null for a missing event and a missing payload, which are not sent live',
    { source, level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const ada = await context.newUser();
      const topic = inboxTopicOf(ada);
      await withSocket(context, async (socket) => {
        await joinOk(socket, topic, ada, { private: true, broadcast: { replication_ready: true } });
        await socket.expect('the replication', isSystem('ok'));
        await context.query("select realtime.send_binary('\\x0102ff'::bytea, 'bytes', $1, true)", [topic]);
        for (const [event, payload] of [
          [null, '{}'],
          ['empty', null],
        ])
          await context.query(
            `insert into realtime.messages (topic, extension, event, payload, private)
             values ($1, 'broadcast', $2, $3::jsonb, true)`,
            [topic, event, payload],
          );
        await sendFromDatabase(context, topic, 1, 1);
        await socket.expect('the last', (frame) => isBroadcast(frame) && numberOf(frame) === 1);
        const partsOf = ({ payload }: Frame) => {
          const content = at(payload, 'payload');
          return [at(payload, 'event'), Buffer.isBuffer(content) ? content.toString('hex') : content];
        };
        const live = socket.received.filter(isBroadcast);
        assert.deepEqual(
          [live.length, partsOf(live[0] as Frame)],
          [2, ['bytes', '0102ff']],
          'the number of the live broadcasts, and the first',
        );
        await withSocket(context, async (late) => {
          await joinOk(late, topic, ada, replaying(0, 10));
          await late.expect('the last', (frame) => isReplayed(frame) && numberOf(frame) === 1);
          const replayed = late.received.filter(isReplayed);
          assert.deepEqual(
            replayed.map(partsOf).slice(0, 3),
            [
              ['bytes', '0102ff'],
              [null, {}],
              ['empty', null],
            ],
            'the events and the payloads of the replay',
          );
          assert.equal(
            at(replayed[0]?.payload, 'meta', 'id'),
            at(live[0]?.payload, 'meta', 'id'),
            'the id of the bytes',
          );
        });
      });
    },
  ),
];

export const realtimeDatabaseAudits: readonly Audit[] = [...database, ...rows, ...replay];
