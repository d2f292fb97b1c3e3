import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit, type AuditLevel } from '../../audit/audit.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { bindingIds, inboxOf, joinLive, preferencesOf, settle, withPair, type Pair } from './audit-socket.ts';
import { isChange, isSystem, joinPayload } from './frame-socket.ts';

const audit = auditsOf('realtime');

/** Filters on a channel that also has an unfiltered binding: id, title, filter of the status, whether `read` passes it. */
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

async function filteredUpdates({ ada, socket, notify, setStatus }: Pair, filter: string): Promise<number> {
  await notify();
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
      withPair(context, async (pair) =>
        assert.equal(await filteredUpdates(pair, filter), passes ? 1 : 0, 'the filtered updates'),
      ),
  ),
);

/** Invalid bindings: id, title, binding, and the version that introduced the audit. */
const unbindable: readonly (readonly [string, string, object, string?])[] = [
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
  [
    'RT-327',
    'a binding with a filter but no table',
    { event: '*', schema: 'public', filter: 'created_at=gt.2000-01-01' },
    '1.0.0',
  ],
  [
    'RT-325',
    'a filter with a list of more than 100 values',
    {
      event: '*',
      schema: 'public',
      table: 'notifications',
      filter: `status=in.(${Array.from({ length: 101 }, (_, index) => index).join()})`,
    },
    '1.0.0',
  ],
];

const refusals = unbindable.map(([id, title, binding, since = '0.1.0']) =>
  audit(
    id,
    `${title} is reported, and the channel delivers no changes`,
    { source: 'protocol/realtime.md#joins', since },
    (context) =>
      withPair(context, async ({ ada, socket, notify }) => {
        const changes = [binding, inboxOf(ada)];
        socket.send('1', '1', 'realtime:audit', 'phx_join', joinPayload(ada.accessToken, changes));
        await socket.expect(
          'the report of the error',
          (frame) =>
            isSystem('error')(frame) ||
            (frame.event === 'phx_reply' && at(frame.payload, 'status') === 'error'),
        );
        assert.equal(socket.received.filter(isSystem('ok')).length, 0, 'the number of received frames');
        await joinLive(socket, ada.accessToken, [inboxOf(ada)], { name: 'realtime:other', ref: '2' });
        await notify();
        await socket.expect(
          'the insert',
          (frame) => frame.topic === 'realtime:other' && isChange('INSERT')(frame),
        );
        await settle(socket, '3');
        const topics = socket.received.filter(isChange('INSERT')).map(({ topic }) => topic);
        assert.deepEqual(topics, ['realtime:other'], 'the topics of the changes');
      }),
  ),
);

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
      ['content=match.^\\{', true],
      ["content=neq.it's \\\\ a quote", true],
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
    { source: 'protocol/realtime.md#filters-of-changes', level: 'SHOULD', since: '1.0.0' },
    (context) =>
      withPair(context, async (pair) => {
        const { ada, socket, notify, setStatus } = pair;
        await notify();
        const filters = filtersOf(pair);
        const bindings = filters.map(([filter]) => ({
          schema: 'public',
          table: 'notifications',
          event: 'UPDATE',
          filter,
        }));
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

/** Filters on columns of other types, and whether an insert passes each. */
const typed = ({ ada }: Pair): Filters => [
  ['digest_hour=lt.10', true],
  ['digest_hour=gt.10', false],
  ['digest_hour=eq.07', true],
  ['digest_hour=eq.8', false],
  ['digest_hour=in.(07,10)', true],
  ['digest_hour=not.in.(7)', false],
  ['digest_hour=isdistinct.07', false],
  ['email_edits=eq.t', true],
  ['email_edits=eq.false', false],
  ['email_edits=is.true', true],
  ['email_edits=is.false', false],
  ['email_edits=is.unknown', false],
  ['email_edits=not.is.false', true],
  ['quiet_hours_start=eq.22:30', true],
  ['quiet_hours_start=gt.9:00', true],
  ['created_at=gt.2000-01-01', true],
  [`user_id=eq.${ada.id.toUpperCase()}`, true],
  [`user_id=neq.${ada.id.toUpperCase()}`, false],
];

const typedFilters = audit(
  'RT-409',
  'filters on numbers, booleans, times and uuids compare values, not texts',
  { source: 'protocol/realtime.md#filters-of-changes', level: 'SHOULD', since: '1.0.0' },
  (context) =>
    withPair(context, async (pair) => {
      const { ada, socket } = pair;
      const filters = typed(pair);
      const bindings = filters.map(([filter]) => Object.assign(preferencesOf(ada), { filter }));
      const ids = bindingIds(await joinLive(socket, ada.accessToken, [...bindings, preferencesOf(ada)]));
      const made = await context.rest.send('POST', '/notification_preferences', {
        token: ada.accessToken,
        body: {
          user_id: ada.id,
          digest_hour: 7,
          email_edits: true,
          quiet_hours_start: '22:30',
          quiet_hours_end: '06:00',
        },
      });
      assertStatus(made, 201);
      const { payload } = await socket.expect('the insert', isChange('INSERT'));
      const named = new Set(at(payload, 'ids') as readonly unknown[]);
      assert.deepEqual(
        filters.flatMap(([filter], index) => (named.has(ids[index]) ? [filter] : [])),
        filters.flatMap(([filter, passes]) => (passes ? [filter] : [])),
        'the filters that the insert passes',
      );
    }),
);

export const realtimeFilterAudits: readonly Audit[] = [
  ...filterAudits,
  ...refusals,
  ...filterTables,
  typedFilters,
];
