import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { bindingIds, inboxOf, joinLive, preferencesOf, withPair } from './audit-socket.ts';
import type { Frame } from '../../target/frames.ts';
import { columnOf, isChange } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#changes';
const since = '1.0.0';

export const realtimeChangeAudits: readonly Audit[] = [
  audit('RT-117', 'a change names its columns with their types', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await notify();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      const columns = at(payload, 'data', 'columns') as readonly unknown[];
      assert.deepEqual(
        columns.find((column) => at(column, 'name') === 'id'),
        { name: 'id', type: 'uuid' },
        'the columns',
      );
      assert.deepEqual(
        columns.find((column) => at(column, 'name') === 'status'),
        { name: 'status', type: 'text' },
        'the columns',
      );
    }),
  ),
  audit('RT-118', 'the time of the commit is UTC, in ISO 8601', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await notify();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.match(
        String(at(payload, 'data', 'commit_timestamp')),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
        'data.commit_timestamp of the payload',
      );
    }),
  ),
  audit('RT-119', 'a complete change has no errors', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await notify();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.equal(at(payload, 'data', 'errors'), null, 'data.errors of the payload');
      assert.equal(at(payload, 'data', 'schema'), 'public', 'data.schema of the payload');
    }),
  ),
  audit('RT-120', 'a change has neither ref nor join_ref', { source, level: 'SHOULD' }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await notify();
      const { ref, joinRef } = await socket.expect('the insert', isChange('INSERT'));
      assert.deepEqual([ref, joinRef], [null, null], 'the ref and the join ref');
    }),
  ),
  audit('RT-121', 'booleans arrive as JSON booleans, times in ISO 8601', { source }, (context) =>
    withPair(context, async ({ ada, socket }) => {
      await joinLive(socket, ada.accessToken, [preferencesOf(ada)]);
      const body = { user_id: ada.id, email_edits: true };
      await context.rest.send('POST', '/notification_preferences', { token: ada.accessToken, body });
      const frame = await socket.expect('the insert', isChange('INSERT'));
      assert.equal(columnOf(frame, 'email_edits'), true, 'email_edits of the record');
      assert.match(
        String(columnOf(frame, 'created_at')),
        /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/,
        'created_at of the record',
      );
    }),
  ),
  audit('RT-122', 'text arrives unchanged, in any script', { source }, (context) =>
    withPair(context, async ({ ada, grace, socket }) => {
      const text = `größer "than" \\ ever 😀 日本語`;
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      const content = JSON.stringify({ type: 'comment', data: { text } });
      const body = { recipient_id: ada.id, content };
      await context.rest.send('POST', '/notifications', { token: grace.accessToken, body });
      const frame = await socket.expect('the insert', isChange('INSERT'));
      assert.equal(
        at(JSON.parse(String(columnOf(frame, 'content'))), 'data', 'text'),
        text,
        'data.text of the content of the record',
      );
    }),
  ),
  audit('RT-123', 'an update without new values is also sent', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify, setStatus }) => {
      await notify();
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await setStatus('unread');
      assert.equal(
        columnOf(await socket.expect('the update', isChange('UPDATE')), 'status'),
        'unread',
        'status of the record',
      );
    }),
  ),
  audit(
    'RT-124',
    'the old record of an update is the replica identity, the key and the owner',
    { source: 'protocol/product.md#notifications', level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket, notify, setStatus }) => {
        const id = await notify();
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await setStatus('read');
        const { payload } = await socket.expect('the update', isChange('UPDATE'));
        const identity = { id, recipient_id: ada.id };
        assert.deepEqual(at(payload, 'data', 'old_record'), identity, 'data.old_record of the payload');
      }),
  ),
  audit('RT-125', 'every row of one write arrives', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify, setStatus }) => {
      const ids = [await notify(), await notify(), await notify()];
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await setStatus('archived');
      await socket.expect('the third update', () => socket.received.filter(isChange('UPDATE')).length === 3);
      const updated = socket.received.filter(isChange('UPDATE')).map((frame) => columnOf(frame, 'id'));
      assert.deepEqual(new Set(updated), new Set(ids), 'the updated rows');
    }),
  ),
  audit('RT-126', 'a change that is rolled back is not sent', { source }, (context) =>
    withPair(context, async ({ ada, grace, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      const good = { recipient_id: ada.id, content: '{"type":"comment"}' };
      const bad = { ...good, content: 'x'.repeat(65_537) };
      const refused = await context.rest.send('POST', '/notifications', {
        token: grace.accessToken,
        body: [good, bad],
      });
      assertError(refused, 400, '23514');
      const id = await notify();
      assert.equal(
        columnOf(await socket.expect('the insert', isChange('INSERT')), 'id'),
        id,
        'id of the record',
      );
      assert.equal(socket.received.filter(isChange('INSERT')).length, 1, 'the number of received frames');
    }),
  ),
  audit(
    'RT-335',
    'numbers, arrays, times of day and nulls arrive as JSON, and columns have the short names of their types',
    { source, since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [preferencesOf(ada), inboxOf(ada)]);
        const values = {
          digest_hour: 7,
          quiet_weekdays: [6, 7],
          quiet_hours_start: '22:30:00',
          quiet_hours_end: '06:00:00',
          language: 'de',
        };
        const made = await context.rest.send('POST', '/notification_preferences', {
          token: ada.accessToken,
          body: { user_id: ada.id, ...values },
        });
        assertStatus(made, 201);
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        const record = at(payload, 'data', 'record');
        for (const [name, value] of Object.entries({ ...values, email_edits: false }))
          assert.deepEqual(at(record, name), value, `${name} of the record`);
        const columns = at(payload, 'data', 'columns') as readonly unknown[];
        const typeOf = (name: string) =>
          at(
            columns.find((column) => at(column, 'name') === name),
            'type',
          );
        assert.deepEqual(
          ['digest_hour', 'quiet_weekdays', 'quiet_hours_start', 'email_edits', 'created_at'].map(typeOf),
          ['int2', '_int2', 'time', 'bool', 'timestamptz'],
          'the types of the columns',
        );
        assert.deepEqual(
          new Set(columns.map((column) => at(column, 'name'))),
          new Set(Object.keys(record as object)),
          'the names of the columns',
        );
        const changed = await context.rest.send('PATCH', '/notification_preferences', {
          token: ada.accessToken,
          query: { user_id: `eq.${ada.id}` },
          body: { digest_hour: 8 },
        });
        assertStatus(changed, 204);
        const update = await socket.expect('the update', isChange('UPDATE'));
        assert.deepEqual(
          [at(update.payload, 'data', 'old_record'), columnOf(update, 'digest_hour')],
          [{ id: at(record, 'id'), user_id: ada.id }, 8],
          'the old record, which is the replica identity, and digest_hour of the record',
        );
        await notify();
        const ofInbox = (frame: Frame) => at(frame.payload, 'data', 'table') === 'notifications';
        const other = await socket.expect('the other insert', ofInbox);
        assert.equal(
          at(other.payload, 'data', 'record', 'snoozed_until'),
          null,
          'snoozed_until of the record',
        );
      }),
  ),
  audit(
    'RT-336',
    'bindings with other columns receive a message each, with these columns, the key and their own ids',
    { source, level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify, setStatus }) => {
        const id = await notify();
        const binding = { ...inboxOf(ada), event: 'UPDATE' };
        const [narrow, wide] = bindingIds(
          await joinLive(socket, ada.accessToken, [
            { ...binding, select: ['status'] },
            { ...binding, select: ['status', 'kind'] },
          ]),
        );
        await setStatus('read');
        await socket.expect('both updates', () => socket.received.filter(isChange('UPDATE')).length === 2);
        for (const [own, expected] of [
          [narrow, { id, status: 'read' }],
          [wide, { id, status: 'read', kind: 'mention' }],
        ] as const) {
          const ofBinding = ({ payload }: Frame) => (at(payload, 'ids') as readonly unknown[]).includes(own);
          const payload = socket.received.filter(isChange('UPDATE')).find(ofBinding)?.payload;
          assert.deepEqual(at(payload, 'ids'), [own], 'ids of the payload');
          assert.deepEqual(at(payload, 'data', 'record'), expected, 'data.record of the payload');
          assert.deepEqual(at(payload, 'data', 'old_record'), { id }, 'data.old_record of the payload');
          const columns = at(payload, 'data', 'columns') as readonly unknown[];
          assert.deepEqual(
            new Set(columns.map((column) => at(column, 'name'))),
            new Set(Object.keys(expected)),
            'the names of the columns',
          );
        }
      }),
  ),
  audit(
    'RT-337',
    'a subscriber without the right to the table receives an error without values in place of a change',
    { source, level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        const token = context.signAgain(ada.accessToken, { role: 'anon' });
        await joinLive(socket, token, [{ schema: 'public', table: 'notifications', event: 'INSERT' }]);
        await notify();
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.deepEqual(at(payload, 'data', 'errors'), ['Error 401: Unauthorized'], 'data.errors');
        assert.deepEqual(at(payload, 'data', 'record') ?? {}, {}, 'data.record of the payload');
      }),
  ),
  audit(
    'RT-405',
    'an insert and an update have the members of their types, and no other',
    { source, since },
    (context) =>
      withPair(context, async ({ ada, socket, notify, setStatus }) => {
        const ids = bindingIds(await joinLive(socket, ada.accessToken, [inboxOf(ada)]));
        await notify();
        await setStatus('read');
        await socket.expect('the update', isChange('UPDATE'));
        const shared = ['columns', 'commit_timestamp', 'errors', 'record', 'schema', 'table', 'type'];
        for (const [type, members] of [
          ['INSERT', shared],
          ['UPDATE', [...shared, 'old_record']],
        ] as const) {
          const { payload } = await socket.expect(`the ${type}`, isChange(type));
          assert.deepEqual(new Set(Object.keys(payload as object)), new Set(['ids', 'data']), 'the members');
          const data = at(payload, 'data');
          assert.deepEqual(new Set(Object.keys(data as object)), new Set(members), `the members of ${type}`);
          assert.deepEqual(
            [at(payload, 'ids'), ...['schema', 'table', 'type', 'errors'].map((member) => at(data, member))],
            [ids, 'public', 'notifications', type, null],
            'ids, schema, table, type and errors',
          );
        }
      }),
  ),
];
