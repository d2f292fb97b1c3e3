import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { bindingIds, inboxOf, joinLive, preferencesOf, settle, topic, withPair } from './audit-socket.ts';
import type { Frame } from '../../target/frames.ts';
import { columnOf, isChange, isEvent, isReply, isSystem, joinPayload } from './frame-socket.ts';
import { requireTable } from '../../schema/product-schema.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#changes';
const since = '1.0.0';
const notifications = { schema: 'public', table: 'notifications' };

const bindings: readonly Audit[] = [
  audit(
    'RT-150',
    'an update that leaves the filter is not sent',
    { source: 'protocol/realtime.md#filters-of-changes' },
    (context) =>
      withPair(context, async ({ ada, socket, notify, setStatus }) => {
        await notify();
        const unread = {
          event: 'UPDATE',
          schema: 'public',
          table: 'notifications',
          filter: 'status=eq.unread',
        };
        const [unreadId] = bindingIds(await joinLive(socket, ada.accessToken, [unread, inboxOf(ada)]));
        await setStatus('read');
        const { payload } = await socket.expect('the update', isChange('UPDATE'));
        assert.ok(
          !(at(payload, 'ids') as readonly unknown[]).includes(unreadId),
          'the change names no binding whose filter it does not match',
        );
      }),
  ),
  audit('RT-151', 'two bindings that match receive one message with both ids', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      const inserts = { ...inboxOf(ada), event: 'INSERT' };
      const ids = bindingIds(await joinLive(socket, ada.accessToken, [inboxOf(ada), inserts]));
      await notify();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.deepEqual(new Set(at(payload, 'ids') as readonly unknown[]), new Set(ids), 'ids of the payload');
    }),
  ),
  audit(
    'RT-152',
    'the reply contains the bindings in the order of the join',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        const reply = await joinLive(socket, ada.accessToken, [inboxOf(ada), preferencesOf(ada)]);
        const accepted = at(reply.payload, 'response', 'postgres_changes') as readonly unknown[];
        assert.deepEqual(
          accepted.map((binding) => at(binding, 'table')),
          ['notifications', 'notification_preferences'],
          'the tables of the bindings of the reply',
        );
        assert.deepEqual(
          accepted.map((binding) => at(binding, 'filter')),
          [inboxOf(ada).filter, preferencesOf(ada).filter],
          'the filters of the bindings of the reply',
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
        assert.deepEqual(bindingIds(second), bindingIds(first), 'the binding ids');
      }),
  ),
  audit('RT-154', 'a binding without a table covers every table of the schema', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      await joinLive(socket, ada.accessToken, [{ event: 'INSERT', schema: 'public' }]);
      const id = await notify();
      await socket.expect('the insert', (frame) => isChange('INSERT')(frame) && columnOf(frame, 'id') === id);
      await context.rest.send('POST', '/notification_preferences', {
        token: ada.accessToken,
        body: { user_id: ada.id },
      });
      await socket.expect(
        'the other insert',
        (frame) => isChange('INSERT')(frame) && columnOf(frame, 'user_id') === ada.id,
      );
    }),
  ),
  audit(
    'RT-155',
    'without a filter, only row-level security decides',
    { source: 'protocol/product.md#notifications' },
    (context) =>
      withPair(context, async ({ ada, grace, socket, notify }) => {
        await joinLive(socket, grace.accessToken, [
          { event: 'INSERT', schema: 'public', table: 'notifications' },
        ]);
        await notify();
        const body = { recipient_id: grace.id, content: '{"type":"comment"}' };
        await context.rest.send('POST', '/notifications', { token: ada.accessToken, body });
        const own = await socket.expect(
          "grace's own",
          (frame) => isChange('INSERT')(frame) && columnOf(frame, 'recipient_id') === grace.id,
        );
        assert.ok(own, "the user's own insert is delivered");
        assert.ok(
          !socket.received
            .filter(isChange('INSERT'))
            .some((frame) => columnOf(frame, 'recipient_id') === ada.id),
          'no row of another user is delivered',
        );
      }),
  ),
  audit(
    'RT-156',
    'an anonymous user receives no rows of other users',
    { source: 'protocol/product.md#notifications' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
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
        await notify();
        await socket.expect(
          "ada's insert",
          (frame) => frame.topic === 'realtime:audit' && isChange('INSERT')(frame),
        );
        assert.equal(
          socket.received.filter(
            (frame) =>
              frame.topic === 'realtime:anonymous' &&
              isChange('INSERT')(frame) &&
              columnOf(frame, 'id') !== undefined,
          ).length,
          0,
          'the number of received frames',
        );
      }),
  ),
  audit('RT-157', 'a binding for deletes receives no inserts', { source }, (context) =>
    withPair(context, async ({ ada, socket, notify }) => {
      const bindings = [
        { ...inboxOf(ada), event: 'DELETE' },
        { ...inboxOf(ada), event: 'INSERT' },
      ];
      const [, inserts] = bindingIds(await joinLive(socket, ada.accessToken, bindings));
      await notify();
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      assert.deepEqual(at(payload, 'ids'), [inserts], 'ids of the payload');
    }),
  ),
  audit(
    'RT-158',
    'select narrows the record and keeps the primary key',
    { source, level: 'SHOULD' },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        await joinLive(socket, ada.accessToken, [{ ...inboxOf(ada), event: 'INSERT', select: ['status'] }]);
        const id = await notify();
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.deepEqual(
          at(payload, 'data', 'record'),
          { id, status: 'unread' },
          'data.record of the payload',
        );
      }),
  ),
];

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

const NO_TARGET =
  'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: ';
const NO_WILDCARD =
  'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.';
const EMPTY_SEGMENT = 'filter must not contain empty segments (check for extra commas)';
const NO_PARENTHESES = '`in` filter value must be wrapped by parentheses';
const EXCEPTION =
  'Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ';
const DISABLED =
  'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ';

/** The message for a filter that cannot be parsed. */
const unparsed = (filter: string, problem: string) =>
  [unfiltered(filter), `Error parsing \`filter\` params: ${problem}`] as const;
/** The message for a filter of one condition that PostgreSQL refuses. */
const raised = (filter: string, condition: string, exception: string) =>
  [
    unfiltered(filter),
    `${EXCEPTION}[event: *, schema: public, table: notifications, filters: [{${condition}, false}], select: nil]. Exception: ERROR ${exception}`,
  ] as const;
const RAISED = 'P0001 (raise_exception)';

/** Invalid bindings, and the whole message of the system error. */
const reported: readonly (readonly [object, string])[] = [
  [{}, `${NO_TARGET}%{}`],
  [{ event: '*' }, `${NO_TARGET}%{"event" => "*"}`],
  [
    { schema: 5, list: [1, 'a', null, true, 1.5, { b: [], a: {} }] },
    `${NO_TARGET}%{"list" => [1, "a", nil, true, 1.5, %{"a" => %{}, "b" => []}], "schema" => 5}`,
  ],
  [
    { ...notifications, filter: 5 },
    `${NO_TARGET}%{"filter" => 5, "schema" => "public", "table" => "notifications"}`,
  ],
  [{ schema: 'public', filter: 'a=eq.1' }, `${NO_TARGET}%{"filter" => "a=eq.1", "schema" => "public"}`],
  [{ table: 'a', filter: 'a=eq.1' }, `${NO_TARGET}%{"filter" => "a=eq.1", "table" => "a"}`],
  [{ schema: 5, table: 'a' }, `${NO_TARGET}%{"schema" => 5, "table" => "a"}`],
  [{ schema: 'public', table: null }, `${NO_TARGET}%{"schema" => "public", "table" => nil}`],
  [{ event: '*', user_token: 'x' }, `${NO_TARGET}<redacted>`],
  [{ event: '*', auth_token: 'x' }, `${NO_TARGET}<redacted>`],
  [
    { ...notifications, select: 'status' },
    'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
  ],
  [{ schema: 'public', select: ['id'] }, NO_WILDCARD],
  [{ schema: '*', table: 'notifications', select: ['id'] }, NO_WILDCARD],
  [{ schema: 'public', table: '*', select: ['id'] }, NO_WILDCARD],
  unparsed('status', '["status"]'),
  unparsed('status=read', '["read"]'),
  unparsed('status=not', '["not"]'),
  unparsed('status=foo.read', '["foo", "read"]'),
  unparsed('status=not.foo.read.x', '["foo", "read.x"]'),
  unparsed('status=eq.read,', EMPTY_SEGMENT),
  unparsed(',status=eq.read', EMPTY_SEGMENT),
  unparsed('status=eq.read, ,status=eq.read', EMPTY_SEGMENT),
  unparsed('status=in.read', NO_PARENTHESES),
  unparsed('status=not.in.(read', NO_PARENTHESES),
  // Only a quote that begins a value and an open parenthesis keep a comma from ending a condition.
  unparsed('status=eq."a,b",x', '["x"]'),
  unparsed('status=eq."a\\",b",x', '["x"]'),
  unparsed('status=eq.a"b,x"', '["x\\""]'),
  unparsed('status="eq.a,x', '["\\"eq", "a"]'),
  unparsed('"status=eq.a,x', '["x"]'),
  unparsed('status=eq.a,"status=eq.b,x', '["x"]'),
  unparsed('status=in.("a,b","c)",(d,e)),x', '["x"]'),
  unparsed('status=in.(a,"b),(c"),x', '["x"]'),
  unparsed('status=neq.((a,b),c),x', '["x"]'),
  unparsed('status=neq.a),x', '["x"]'),
  unparsed('status=neq."(",x', '["x"]'),
  raised('no_such=eq.1', '"no_such", "eq", "1"', `${RAISED} invalid column for filter no_such`),
  raised('=eq.1', '"", "eq", "1"', `${RAISED} invalid column for filter `),
  unparsed('status=.read', '["", "read"]'),
  ...(
    [
      ['eq."a\\"b\\\\c"', '"eq", "a\\"b\\\\c"'],
      ['eq."a"b"', '"eq", "\\"a\\"b\\""'],
      ['eq."a', '"eq", "\\"a"'],
      ['eq.""', '"eq", ""'],
      ['eq.a"b"', '"eq", "a\\"b\\""'],
      ['in.("a",b)', '"in", "{\\"a\\",b}"'],
      ['in.()', '"in", "{}"'],
    ] as const
  ).map(([condition, shown]) =>
    raised(`no_such=${condition}`, `"no_such", ${shown}`, `${RAISED} invalid column for filter no_such`),
  ),
  raised(
    'status=is.read',
    '"status", "is", "read"',
    `${RAISED} invalid value for is filter: must be null, true, false, or unknown`,
  ),
  raised(
    'status=is.unknown',
    '"status", "is", "unknown"',
    `${RAISED} is unknown filter requires a boolean column, got text`,
  ),
  ...['like', 'ilike', 'match', 'imatch'].map((operator) =>
    raised(
      `id=${operator}.a`,
      `"id", "${operator}", "a"`,
      `${RAISED} operator ${operator} requires a text-compatible column type, got uuid`,
    ),
  ),
  ...['match', 'imatch'].map((operator) =>
    raised(
      `status=${operator}.(`,
      `"status", "${operator}", "("`,
      `${RAISED} invalid regular expression for ${operator} filter: invalid regular expression: parentheses () not balanced`,
    ),
  ),
  raised(
    'id=in.(a)',
    '"id", "in", "{a}"',
    '22P02 (invalid_text_representation) invalid input syntax for type uuid: "a"',
  ),
  raised(
    'created_at=gt.whenever',
    '"created_at", "gt", "whenever"',
    '22007 (invalid_datetime_format) invalid input syntax for type timestamp with time zone: "whenever"',
  ),
  raised(
    'created_at=lt.2026-02-30',
    '"created_at", "lt", "2026-02-30"',
    '22008 (datetime_field_overflow) date/time field value out of range: "2026-02-30"',
  ),
  [
    unfiltered('status=eq.read,no_such=not.in.(1,2),recipient_id=neq.00000000-0000-4000-8000-000000000000'),
    `${EXCEPTION}[event: *, schema: public, table: notifications, filters: [
  {"status", "eq", "read", false},
  {"no_such", "in", "{1,2}", true},
  {"recipient_id", "neq", "00000000-0000-4000-8000-000000000000", false}
], select: nil]. Exception: ERROR ${RAISED} invalid column for filter no_such`,
  ],
  [
    { ...notifications, event: 'INSERT', select: ['id', 'no_such'] },
    `${EXCEPTION}[event: INSERT, schema: public, table: notifications, filters: [], select: ["id", "no_such"]]. Exception: ERROR ${RAISED} invalid column for select no_such`,
  ],
  [
    { schema: 'none', table: 'x', event: 'delete' },
    `${DISABLED}[event: DELETE, schema: none, table: x, filters: [], select: nil]`,
  ],
];

const forms: readonly Audit[] = [
  audit(
    'RT-381',
    'the report of an invalid binding says what is wrong, and repeats the binding',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await requireTable(context, 'notifications');
        for (const [index, [binding]] of reported.entries())
          socket.send(
            `${index}`,
            `${index}`,
            `realtime:reported-${index}`,
            'phx_join',
            joinPayload(ada.accessToken, [binding]),
          );
        for (const [index, [binding, message]] of reported.entries()) {
          const what = `the report of ${JSON.stringify(binding)}`;
          const { payload } = await socket.expect(
            what,
            (frame) => frame.topic === `realtime:reported-${index}` && isSystem('error')(frame),
          );
          const channel = `reported-${index}`;
          const expected = { channel, extension: 'postgres_changes', message, status: 'error' };
          assert.deepEqual(payload, expected, what);
        }
      }),
  ),
  audit(
    'RT-332',
    'each invalid binding is joined, then reported with its reason',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await requireTable(context, 'notifications');
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
    'RT-404',
    'a filter may have spaces around its conditions, and one of spaces alone is none',
    { source: 'protocol/realtime.md#filters-of-changes', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        const filters = [` recipient_id=eq.${ada.id} , status=eq.unread `, '  ', ''];
        const others = ['status=eq. unread', ' status=eq.read '];
        const inserts = [...filters, ...others].map((filter) =>
          Object.assign({ event: 'INSERT', filter }, notifications),
        );
        const ids = bindingIds(await joinLive(socket, ada.accessToken, inserts));
        await notify();
        const { payload } = await socket.expect('the insert', isChange('INSERT'));
        assert.deepEqual(
          new Set(at(payload, 'ids') as readonly unknown[]),
          new Set(ids.slice(0, filters.length)),
          'ids of the payload',
        );
      }),
  ),
  audit(
    'RT-378',
    "the report of a value that does not fit its column has PostgreSQL's code, condition and message",
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket }) => {
        await requireTable(context, 'notifications');
        const binding = { ...inboxOf(ada), filter: 'recipient_id=eq.no-uuid' };
        socket.send('1', '1', topic, 'phx_join', joinPayload(ada.accessToken, [binding]));
        const { payload } = await socket.expect('system error', isSystem('error'));
        assert.equal(at(payload, 'extension'), 'postgres_changes', 'extension of the system error');
        assert.match(
          String(at(payload, 'message')),
          /ERROR 22P02 \(invalid_text_representation\) invalid input syntax for type uuid: "no-uuid"/,
          'message of the system error',
        );
      }),
  ),
  audit(
    'RT-379',
    'a join without config subscribes to the schema, the table and the filter that its topic names',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        const name = `realtime:public:notifications:recipient_id=eq.${ada.id}`;
        socket.send('1', '1', name, 'phx_join', { access_token: ada.accessToken });
        const reply = await socket.expect('the reply', isReply('1'));
        const binding = at(reply.payload, 'response', 'postgres_changes', 0);
        assert.deepEqual(
          ['schema', 'table', 'filter'].map((member) => at(binding, member)),
          ['public', 'notifications', `recipient_id=eq.${ada.id}`],
          'schema, table and filter of the binding',
        );
        await socket.expect('system ok', isSystem('ok'), isSystem('error'));
        const id = await notify();
        const { payload } = await socket.expect('the insert', isEvent('INSERT'));
        assert.equal(at(payload, 'record', 'id'), id, 'record.id of the insert');
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
        const id = await notify();
        const isOfRow = (frame: Frame) => isChange('INSERT')(frame) && columnOf(frame, 'id') === id;
        const { payload } = await socket.expect('the insert', isOfRow);
        assert.deepEqual(
          new Set(at(payload, 'ids') as readonly unknown[]),
          new Set(ids.slice(0, receiving.length)),
          'ids of the payload',
        );
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

export const realtimeBindingAudits: readonly Audit[] = [...bindings, ...forms];
