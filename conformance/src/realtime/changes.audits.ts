import { strict as assert } from 'node:assert';
import { auditsOf, type Audit, type AuditLevel } from '../audit.ts';
import { assertError, at } from '../wire.ts';
import { bindingIds, inboxOf, joinLive, preferencesOf, withPair, type Pair } from './audit-socket.ts';
import type { Frame } from './frames.ts';
import { isChange, isSystem, joinPayload } from './frame-socket.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#changes';

const record = (frame: Frame, name: string) => at(frame.payload, 'data', 'record', name);

const shapes: readonly Audit[] = [
  audit('RT-117', 'a change names its columns with their types', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await tell();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      const columns = at(payload, 'data', 'columns') as readonly unknown[];
      assert.deepEqual(
        columns.find((column) => at(column, 'name') === 'id'),
        { name: 'id', type: 'uuid' },
      );
      assert.deepEqual(
        columns.find((column) => at(column, 'name') === 'status'),
        { name: 'status', type: 'text' },
      );
    }),
  ),
  audit('RT-118', 'the time of the commit is UTC, in ISO 8601', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await tell();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.match(
        String(at(payload, 'data', 'commit_timestamp')),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
      );
    }),
  ),
  audit('RT-119', 'a complete change has no errors', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await tell();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.equal(at(payload, 'data', 'errors'), null);
      assert.equal(at(payload, 'data', 'schema'), 'public');
    }),
  ),
  audit('RT-120', 'a change carries neither ref nor join_ref', { source, level: 'SHOULD' }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await tell();
      const { ref, joinRef } = await socket.expect('the insert', isChange('INSERT'));
      assert.deepEqual([ref, joinRef], [null, null]);
    }),
  ),
  audit('RT-121', 'booleans arrive as JSON booleans, times in ISO 8601', { source }, (context) =>
    withPair(context, async ({ ada, socket }) => {
      await joinLive(socket, ada.accessToken, [preferencesOf(ada)]);
      const body = { user_id: ada.id, email_edits: true };
      await context.rest.send('POST', '/notification_preferences', { token: ada.accessToken, body });
      const frame = await socket.expect('the insert', isChange('INSERT'));
      assert.equal(record(frame, 'email_edits'), true);
      assert.match(String(record(frame, 'created_at')), /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
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
      assert.equal(at(JSON.parse(String(record(frame, 'content'))), 'data', 'text'), text);
    }),
  ),
  audit('RT-123', 'an update without new values is sent too', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell, setStatus }) => {
      await tell();
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await setStatus('unread');
      assert.equal(record(await socket.expect('the update', isChange('UPDATE')), 'status'), 'unread');
    }),
  ),
  audit(
    'RT-124',
    'the old record of an update is the replica identity: the key and the recipient',
    { source: 'protocol/product.md#notifications', level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket, tell, setStatus }) => {
        const id = await tell();
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await setStatus('read');
        const { payload } = await socket.expect('the update', isChange('UPDATE'));
        assert.deepEqual(at(payload, 'data', 'old_record'), { id, recipient_id: ada.id });
      }),
  ),
  audit('RT-125', 'every row of one write arrives', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell, setStatus }) => {
      const ids = [await tell(), await tell(), await tell()];
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      await setStatus('archived');
      await socket.expect('the third update', () => socket.received.filter(isChange('UPDATE')).length === 3);
      const updated = socket.received.filter(isChange('UPDATE')).map((frame) => record(frame, 'id'));
      assert.deepEqual(new Set(updated), new Set(ids));
    }),
  ),
  audit('RT-126', 'a change that is rolled back is not sent', { source }, (context) =>
    withPair(context, async ({ ada, grace, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
      const good = { recipient_id: ada.id, content: '{"type":"comment"}' };
      const bad = { ...good, content: 'x'.repeat(65_537) };
      const refused = await context.rest.send('POST', '/notifications', {
        token: grace.accessToken,
        body: [good, bad],
      });
      assertError(refused, 400, '23514');
      const id = await tell();
      assert.equal(record(await socket.expect('the insert', isChange('INSERT')), 'id'), id);
      assert.equal(socket.received.filter(isChange('INSERT')).length, 1);
    }),
  ),
];

/** Filters on a channel beside an unfiltered binding: id, title, filter of status, whether `read` passes it. */
const filters: readonly (readonly [string, string, string, boolean, AuditLevel?])[] = [
  ['RT-130', 'eq matches equal values', 'status=eq.read', true],
  ['RT-131', 'eq matches no other values', 'status=eq.archived', false],
  ['RT-132', 'neq matches the other values', 'status=neq.unread', true],
  ['RT-133', 'in matches the values of its list', 'status=in.(read,archived)', true],
  ['RT-134', 'in matches no other values', 'status=in.(archived,unread)', false],
  ['RT-135', 'gt compares texts', 'status=gt.qqq', true],
  ['RT-136', 'lt compares texts', 'status=lt.qqq', false],
  ['RT-137', 'gte matches equal values too', 'status=gte.read', true],
  ['RT-138', 'lte matches equal values too', 'status=lte.read', true],
  ['RT-139', 'like matches a pattern', 'status=like.re%', true, 'SHOULD'],
  ['RT-140', 'ilike is case-insensitive', 'status=ilike.RE%', true, 'SHOULD'],
  ['RT-141', 'match matches a regular expression', 'status=match.^re', true, 'SHOULD'],
  ['RT-142', 'not. negates', 'status=not.eq.unread', true, 'SHOULD'],
  [
    'RT-143',
    'several comma-separated conditions applies all of them',
    'status=eq.read,content=like.nothing',
    false,
    'SHOULD',
  ],
];

async function filteredUpdates({ ada, socket, tell, setStatus }: Pair, filter: string): Promise<number> {
  await tell();
  const filtered = { event: 'UPDATE', schema: 'public', table: 'notifications', filter };
  const reply = await joinLive(socket, ada.accessToken, [filtered, inboxOf(ada)]);
  const [filteredId] = bindingIds(reply);
  await setStatus('read');
  const { payload } = await socket.expect('the update', isChange('UPDATE'));
  return (at(payload, 'ids') as readonly unknown[]).filter((id) => id === filteredId).length;
}

const filterAudits = filters.map(([id, title, filter, passes, level = 'MUST']) =>
  audit(
    id,
    `a filter with ${title}`,
    { source: 'protocol/realtime.md#filters-of-changes', level },
    (context) =>
      withPair(context, async (pair) => assert.equal(await filteredUpdates(pair, filter), passes ? 1 : 0)),
  ),
);

/** Invalid bindings: id, title, binding. */
const unbindable: readonly (readonly [string, string, object])[] = [
  ['RT-145', 'a binding to an unknown table', { event: '*', schema: 'public', table: 'no_such_table' }],
  [
    'RT-146',
    'a filter with a value that does not fit its column',
    { event: '*', schema: 'public', table: 'notifications', filter: 'id=eq.not-a-uuid' },
  ],
  [
    'RT-147',
    'a filter with an unknown operator',
    { event: '*', schema: 'public', table: 'notifications', filter: 'status=resembles.read' },
  ],
];

const refusals = unbindable.map(([id, title, binding]) =>
  audit(
    id,
    `${title} is reported, and the channel delivers no changes`,
    { source: 'protocol/realtime.md#joins' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        const changes = [binding, inboxOf(ada)];
        socket.send('1', '1', 'realtime:audit', 'phx_join', joinPayload(ada.accessToken, changes));
        await socket.expect(
          'the report of the error',
          (frame) =>
            isSystem('error')(frame) ||
            (frame.event === 'phx_reply' && at(frame.payload, 'status') === 'error'),
        );
        assert.equal(socket.received.filter(isSystem('ok')).length, 0);
      }),
  ),
);

const bindings: readonly Audit[] = [
  audit(
    'RT-150',
    'an update that leaves the filter is not sent',
    { source: 'protocol/realtime.md#filters-of-changes' },
    (context) =>
      withPair(context, async ({ ada, socket, tell, setStatus }) => {
        await tell();
        const unread = {
          event: 'UPDATE',
          schema: 'public',
          table: 'notifications',
          filter: 'status=eq.unread',
        };
        const [unreadId] = bindingIds(await joinLive(socket, ada.accessToken, [unread, inboxOf(ada)]));
        await setStatus('read');
        const { payload } = await socket.expect('the update', isChange('UPDATE'));
        assert.ok(!(at(payload, 'ids') as readonly unknown[]).includes(unreadId));
      }),
  ),
  audit('RT-151', 'two bindings that match receive one message with both ids', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      const inserts = { ...inboxOf(ada), event: 'INSERT' };
      const ids = bindingIds(await joinLive(socket, ada.accessToken, [inboxOf(ada), inserts]));
      await tell();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.deepEqual(new Set(at(payload, 'ids') as readonly unknown[]), new Set(ids));
    }),
  ),
  audit(
    'RT-152',
    'bindings are answered in the order of the join',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        const reply = await joinLive(socket, ada.accessToken, [inboxOf(ada), preferencesOf(ada)]);
        const answered = at(reply.payload, 'response', 'postgres_changes') as readonly unknown[];
        assert.deepEqual(
          answered.map((binding) => at(binding, 'table')),
          ['notifications', 'notification_preferences'],
        );
        assert.deepEqual(
          answered.map((binding) => at(binding, 'filter')),
          [inboxOf(ada).filter, preferencesOf(ada).filter],
        );
      }),
  ),
  audit(
    'RT-153',
    'the id of a binding is the same in every channel',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        const first = await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const second = await joinLive(socket, ada.accessToken, [inboxOf(ada)], {
          name: 'realtime:other',
          ref: '2',
        });
        assert.deepEqual(bindingIds(second), bindingIds(first));
      }),
  ),
  audit('RT-154', 'a binding without a table covers every table of the schema', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [{ event: 'INSERT', schema: 'public' }]);
      const id = await tell();
      await socket.expect('the insert', (frame) => isChange('INSERT')(frame) && record(frame, 'id') === id);
      await context.rest.send('POST', '/notification_preferences', {
        token: ada.accessToken,
        body: { user_id: ada.id },
      });
      await socket.expect(
        'the other insert',
        (frame) => isChange('INSERT')(frame) && record(frame, 'user_id') === ada.id,
      );
    }),
  ),
  audit(
    'RT-155',
    'without a filter, row-level security alone decides',
    { source: 'protocol/product.md#notifications' },
    (context) =>
      withPair(context, async ({ ada, grace, socket, tell }) => {
        await joinLive(socket, grace.accessToken, [
          { event: 'INSERT', schema: 'public', table: 'notifications' },
        ]);
        await tell();
        const body = { recipient_id: grace.id, content: '{"type":"comment"}' };
        await context.rest.send('POST', '/notifications', { token: ada.accessToken, body });
        const own = await socket.expect(
          "grace's own",
          (frame) => isChange('INSERT')(frame) && record(frame, 'recipient_id') === grace.id,
        );
        assert.ok(own);
        assert.ok(
          !socket.received
            .filter(isChange('INSERT'))
            .some((frame) => record(frame, 'recipient_id') === ada.id),
        );
      }),
  ),
  audit(
    'RT-156',
    'an anonymous user receives no rows of other users',
    { source: 'protocol/product.md#notifications' },
    (context) =>
      withPair(context, async ({ ada, socket, tell }) => {
        const { anonKey } = context.target;
        const token = anonKey.startsWith('sb_') ? '' : anonKey;
        socket.send(
          '2',
          '2',
          'realtime:anonymous',
          'phx_join',
          joinPayload(token, [{ ...inboxOf(ada), filter: undefined }]),
        );
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        await tell();
        await socket.expect(
          "ada's insert",
          (frame) => frame.topic === 'realtime:audit' && isChange('INSERT')(frame),
        );
        assert.equal(
          socket.received.filter(
            (frame) =>
              frame.topic === 'realtime:anonymous' &&
              isChange('INSERT')(frame) &&
              record(frame, 'id') !== undefined,
          ).length,
          0,
        );
      }),
  ),
  audit('RT-157', 'a binding for deletes receives no inserts', { source }, (context) =>
    withPair(context, async ({ ada, socket, tell }) => {
      await joinLive(socket, ada.accessToken, [{ ...inboxOf(ada), event: 'DELETE' }]);
      const id = await tell();
      await context.rest.send('DELETE', '/notifications', {
        token: ada.accessToken,
        query: { id: `eq.${id}` },
      });
      await socket.expect('the delete', isChange('DELETE'));
      assert.equal(socket.received.filter(isChange('INSERT')).length, 0);
    }),
  ),
  audit(
    'RT-158',
    'select narrows the record and keeps the primary key',
    { source, level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket, tell }) => {
        await joinLive(socket, ada.accessToken, [{ ...inboxOf(ada), event: 'INSERT', select: ['status'] }]);
        const id = await tell();
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.deepEqual(at(payload, 'data', 'record'), { id, status: 'unread' });
      }),
  ),
];

/** The messages of postgres_changes. */
export const realtimeChangeAudits: readonly Audit[] = [...shapes, ...filterAudits, ...refusals, ...bindings];
