import { assert } from '../../target/assertion.ts';
import type { Frame } from '../../target/frames.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { bindingIds, inboxOf, joinLive, preferencesOf, settle, withPair, type Pair } from './audit-socket.ts';
import { isChange, isReply, isSystem, joinPayload } from './frame-socket.ts';

const audit = auditsOf('realtime');
const since = '1.0.0';
const notifications = { schema: 'public', table: 'notifications' };

type Filters = readonly (readonly [filter: string, passes: boolean])[];

/** Filters of one channel, and whether an update to the status `read` passes each: id, title, filters. */
const tables: readonly (readonly [string, string, (pair: Pair) => Filters])[] = [
  [
    'RT-329',
    'comparisons decide at the value itself',
    () => [
      ['status=gt.read', false],
      ['status=gt.reac', true],
      ['status=gte.read', true],
      ['status=gte.reae', false],
      ['status=lt.read', false],
      ['status=lt.reae', true],
      ['status=lte.read', true],
      ['status=lte.reac', false],
      ['status=neq.read', false],
      ['created_at=gt.2000-01-01', true],
      ['created_at=lt.2000-01-01', false],
    ],
  ],
  [
    'RT-330',
    'negations, patterns and nulls select as in PostgreSQL',
    () => [
      ['status=not.in.(unread,archived)', true],
      ['status=not.in.(read)', false],
      ['status=not.gt.read', true],
      ['status=not.neq.read', true],
      ['status=like.RE%', false],
      ['status=not.like.re%', false],
      ['status=not.ilike.UN%', true],
      ['status=match.^RE', false],
      ['status=not.match.^un', true],
      ['status=imatch.^RE', true],
      ['status=imatch.^UN', false],
      ['status=isdistinct.unread', true],
      ['status=isdistinct.read', false],
      ['status=not.isdistinct.read', true],
      ['status=is.null', false],
      ['snoozed_until=is.null', true],
      ['snoozed_until=not.is.null', false],
      ['snoozed_until=isdistinct.2026-01-01', true],
      ['snoozed_until=neq.2026-01-01', false],
    ],
  ],
  [
    'RT-331',
    'each value of a list, each condition and quotes count',
    ({ ada, grace }) => [
      ['status=in.("read",archived)', true],
      ['status=in.(archived,"read")', true],
      ['status=in.(archived,unread)', false],
      ['status=eq."read"', true],
      ['content=neq."a,b"', true],
      ['content=in.("a,b",c)', false],
      ['status=eq.read,kind=neq."a,(b"', true],
      [`recipient_id=eq.${ada.id},status=eq.read`, true],
      [`status=eq.read,recipient_id=eq.${grace.id}`, false],
      ['status=in.(read,archived),kind=eq.mention', true],
      ['kind=eq.mention,status=in.(unread,archived)', false],
      ['status=neq.unread,status=neq.archived,status=neq.read', false],
      [' status=eq.read ', true],
      ['', true],
    ],
  ],
];

const filterTables = tables.map(([id, title, filtersOf]) =>
  audit(
    id,
    `a change names the bindings whose filters it passes: ${title}`,
    { source: 'protocol/realtime.md#filters-of-changes', level: 'SHOULD', since },
    (context) =>
      withPair(context, async (pair) => {
        const { ada, socket, notify, setStatus } = pair;
        await notify();
        const filters = filtersOf(pair);
        const bindings = filters.map(([filter]) => ({ ...notifications, event: 'UPDATE', filter }));
        const ids = bindingIds(await joinLive(socket, ada.accessToken, [...bindings, inboxOf(ada)]));
        await setStatus('read');
        const { payload } = await socket.expect('the update', isChange('UPDATE'));
        const named = new Set(at(payload, 'ids') as readonly unknown[]);
        const passing = filters.flatMap(([filter], index) => (named.has(ids[index]) ? [filter] : []));
        assert.deepEqual(
          passing,
          filters.flatMap(([filter, passes]) => (passes ? [filter] : [])),
          'the filters that the update passes',
        );
      }),
  ),
);

const unfiltered = (filter: string) => ({ ...notifications, event: '*', filter });

/** Invalid bindings, and the message of the system error. */
const invalid: readonly (readonly [object, RegExp])[] = [
  [{ event: '*' }, /No subscription params/],
  [{ ...notifications, event: '*', select: 'status' }, /`select`/],
  [{ schema: 'public', event: '*', select: ['id'] }, /wildcard/],
  [{ ...notifications, event: '*', select: ['no_such_column'] }, /no_such_column/],
  [unfiltered('no_such_column=eq.1'), /no_such_column/],
  [unfiltered('status'), /Error parsing `filter`/],
  [unfiltered('status=read'), /Error parsing `filter`/],
  [unfiltered('status=eq.read,'), /empty segments/],
  [unfiltered('status=in.read'), /parentheses/],
  [unfiltered('status=is.read'), /is filter/],
  [unfiltered('status=is.true'), /boolean/],
  [unfiltered('id=like.a%'), /like/],
  [unfiltered('status=match.('), /regular expression/],
  [unfiltered('id=in.(a)'), /uuid/],
  [unfiltered('created_at=gt.whenever'), /whenever/],
];

const forms: readonly Audit[] = [
  audit(
    'RT-332',
    'each invalid binding is joined, then reported with its reason',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        for (const [index, [binding]] of invalid.entries())
          socket.send(
            `${index}`,
            `${index}`,
            `realtime:invalid-${index}`,
            'phx_join',
            joinPayload(ada.accessToken, [binding]),
          );
        for (const [index, [binding, message]] of invalid.entries()) {
          const ofTopic = ({ topic }: Frame) => topic === `realtime:invalid-${index}`;
          const reply = await socket.expect('the reply', isReply(`${index}`));
          assert.equal(at(reply.payload, 'status'), 'ok', 'status of the reply');
          const what = `the report of ${JSON.stringify(binding)}`;
          const { payload } = await socket.expect(
            what,
            (frame) => ofTopic(frame) && isSystem('error')(frame),
          );
          assert.match(String(at(payload, 'message')), message, `message of ${what}`);
        }
        assert.equal(socket.received.some(isSystem('ok')), false, 'a live subscription');
      }),
  ),
  audit(
    'RT-333',
    'the id of a binding is an integer below 2^27 that depends on its content, and not on the order of its members',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        const { event, schema, table, filter } = inboxOf(ada);
        const bindings = [
          { event, schema, table, filter },
          { filter, table, schema, event },
          { event: 'INSERT', schema, table, filter },
          { event, schema, table },
          ...Array.from({ length: 12 }, (_, index) => ({
            event,
            schema,
            table,
            filter: `status=eq.${index}`,
          })),
        ];
        const ids = bindingIds(await joinLive(socket, ada.accessToken, bindings));
        assert.ok(
          ids.every((id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 27),
          'each id is an integer below 2^27',
          ids.join(', '),
        );
        assert.equal(ids[1], ids[0], 'the id of the same binding');
        assert.equal(new Set(ids).size, bindings.length - 1, 'the number of different ids');
      }),
  ),
  audit(
    'RT-334',
    'a binding may name its event in any case, omit it, or name a table or a schema alone',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        const receiving = [
          { ...inboxOf(ada), event: 'insert' },
          { ...notifications },
          { ...notifications, event: 'other' },
          { event: 'INSERT', table: 'notifications' },
          { event: 'INSERT', schema: 'public' },
          { event: 'INSERT', schema: '*' },
        ];
        const others = [
          { ...notifications, event: 'update' },
          { event: 'INSERT', table: 'notification_preferences' },
        ];
        const reply = await joinLive(socket, ada.accessToken, [...receiving, ...others]);
        const ids = bindingIds(reply);
        assert.deepEqual(
          at(reply.payload, 'response', 'postgres_changes'),
          [...receiving, ...others].map((binding, index) => Object.assign({ id: ids[index] }, binding)),
          'the bindings of the reply',
        );
        await notify();
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.deepEqual(
          new Set(at(payload, 'ids') as readonly unknown[]),
          new Set(ids.slice(0, receiving.length)),
          'ids of the payload',
        );
      }),
  ),
];

const contents: readonly Audit[] = [
  audit(
    'RT-335',
    'numbers, arrays, times of day and nulls arrive as JSON, and columns have the short names of their types',
    { source: 'protocol/realtime.md#changes', since },
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
    { source: 'protocol/realtime.md#changes', level: 'SHOULD', since },
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
    { source: 'protocol/realtime.md#changes', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        const token = context.signAgain(ada.accessToken, { role: 'anon' });
        await joinLive(socket, token, [{ ...notifications, event: 'INSERT' }]);
        await notify();
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.deepEqual(at(payload, 'data', 'errors'), ['Error 401: Unauthorized'], 'data.errors');
        assert.deepEqual(at(payload, 'data', 'record') ?? {}, {}, 'data.record of the payload');
      }),
  ),
  audit(
    'RT-338',
    'a topic that was joined again receives each change once, by its new bindings',
    { source: 'protocol/realtime.md#joins', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
        const inserts = { ...inboxOf(ada), event: 'INSERT' };
        socket.send('9', '9', 'realtime:audit', 'phx_join', joinPayload(ada.accessToken, [inserts]));
        const ids = bindingIds(await socket.expect('the second reply', isReply('9')));
        await socket.expect('system ok again', () => socket.received.filter(isSystem('ok')).length === 2);
        await notify();
        await socket.expect('the insert', isChange('INSERT'));
        await settle(socket, '10');
        assert.deepEqual(
          socket.received.filter(isChange('INSERT')).map(({ payload }) => at(payload, 'ids')),
          [ids],
          'the ids of the changes',
        );
      }),
  ),
];

/** Bindings of one kind, several of them in each channel. */
export const realtimeBindingCaseAudits: readonly Audit[] = [...filterTables, ...forms, ...contents];
