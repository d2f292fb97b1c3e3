import { randomInt } from 'node:crypto';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { at } from '../../target/wire.ts';
import type { Frame } from '../../target/frames.ts';
import { joinLive, newRoom, settle, withSocket } from './audit-socket.ts';
import { isChange, type FrameSocket } from './frame-socket.ts';
import { withSettingsUnchanged } from '../rest/setting-window.ts';

const audit = auditsOf('realtime');
const source = 'protocol/realtime.md#changes';
const since = '1.0.0';

interface Row {
  readonly id: number;
  /** Runs a statement; `$1` is the id. */
  readonly write: (sql: string) => Promise<unknown>;
  /** `data` of the change with that type. */
  readonly changed: (type: 'INSERT' | 'UPDATE' | 'DELETE') => Promise<unknown>;
  readonly socket: FrameSocket;
}

/** Subscribes to a table for `task`, which writes a row there. @throws NotRunError without the table. */
async function withRow(
  context: AuditContext,
  table: string,
  task: (row: Row) => Promise<void>,
): Promise<void> {
  if (context.target.createsTables !== true)
    throw new NotRunError('no tables may be created there without --apply-schema');
  const [found] = (await context.query('select to_regclass($1)::text as name', [
    `audit_schema.${table}`,
  ])) as readonly unknown[];
  if (at(found, 'name') === null) throw new NotRunError('the publication supabase_realtime is missing');
  const user = await context.newUser();
  const id = randomInt(2 ** 31);
  const ofRow = ({ payload }: Frame) =>
    table === 'keyless' ||
    (at(payload, 'data', 'record', 'id') ?? at(payload, 'data', 'old_record', 'id')) === id;
  await withSocket(context, async (socket) => {
    const changes = [{ event: '*', schema: 'audit_schema', table, filter: `id=eq.${id}` }];
    await joinLive(socket, user.accessToken, changes, { name: `realtime:${newRoom()}` });
    try {
      await task({
        id,
        socket,
        write: (sql) => context.query(sql, [id]),
        changed: async (type) => {
          const { payload } = await socket.expect(type, (frame) => isChange(type)(frame) && ofRow(frame));
          return at(payload, 'data');
        },
      });
    } finally {
      await context.query(`delete from audit_schema.${table} where id = $1`, [id]);
    }
  });
}

/** Runs a task while deletions are published; no other audit that depends on them runs meanwhile. */
const withDeletions = (context: AuditContext, task: () => Promise<void>): Promise<void> =>
  withSettingsUnchanged(context, async () => {
    const publish = (actions: string) =>
      context.query(`alter publication supabase_realtime set (publish = '${actions}')`);
    const [before] = (await context.query(
      `select concat_ws(', ', case when pubinsert then 'insert' end, case when pubupdate then 'update' end,
         case when pubdelete then 'delete' end, case when pubtruncate then 'truncate' end) as actions
       from pg_publication where pubname = 'supabase_realtime'`,
    )) as readonly unknown[];
    await publish('insert, update, delete');
    try {
      await task();
    } finally {
      await publish(String(at(before, 'actions')));
    }
  });

/** Values of PostgreSQL, and how they arrive. */
const VALUES: Readonly<Record<string, readonly [sql: string, json: unknown]>> = {
  n: ["'NaN'", null],
  f: ["'Infinity'", null],
  r: ["'-Infinity'", null],
  b: [String.raw`'\x00ff'`, '00ff'],
  // The length of a type is not cast: one character and one bit are left.
  c: ["'größe'", 'g'],
  bits: ["'101'", '1'],
  more_bits: ["'10'", '10'],
  codes: ["'{abc,d,null}'", ['a', 'd', null]],
  j: [`'{"a": [1,  2.5]}'`, { a: [1, 2.5] }],
  t: ["'2026-01-02 03:04:05.678901'", '2026-01-02T03:04:05.678901'],
  z: ["'2026-01-02 03:04:05.678901+02'", '2026-01-02T01:04:05.678901+00:00'],
  u: ["'1 day 2 hours'", '1 day 02:00:00'],
  texts: [`'{a,"b c",null}'`, ['a', 'b c', null]],
  range: ["'[1,5)'", '[1,5)'],
  numbers: ["'{1.5,NaN}'", [1.5, 'NaN']],
  bytes_list: [String.raw`array['\x00'::bytea]`, [String.raw`\x00`]],
  address: ["'10.0.0.1/8'", '10.0.0.1/8'],
  o: ['7', '7'],
  'odd name': ['3', 3],
  long_text: ['null', null],
};

const small = 'x'.repeat(62);
const large = 'y'.repeat(63);

/** Changes of tables that only the audits have: types, replica identities, sizes and missing keys. */
export const realtimeRowAudits: readonly Audit[] = [
  audit(
    'RT-422',
    'values of many types arrive as JSON, without the length of their type, and not a number as null',
    { source, level: 'SHOULD', needs: ['database'], since },
    (context) =>
      withRow(context, 'values', async ({ id, write, changed }) => {
        const names = Object.keys(VALUES);
        await write(
          `insert into audit_schema.values (id, ${names.map((name) => `"${name}"`).join()})
           values ($1, ${names.map((name) => VALUES[name]?.[0]).join()})`,
        );
        const data = await changed('INSERT');
        assert.deepEqual(
          at(data, 'record'),
          { id, ...Object.fromEntries(names.map((name) => [name, VALUES[name]?.[1]])) },
          'the record',
        );
        const types = (at(data, 'columns') as readonly unknown[]).map((column) => at(column, 'type'));
        assert.deepEqual(
          types.slice(0, 9),
          ['int4', 'numeric', 'float8', 'float4', 'bytea', 'bpchar', 'bit', 'varbit', '_bpchar'],
          'the types of the first columns',
        );
        await write(
          "update audit_schema.values set n = 1.50, c = '', bits = '011', codes = '{}' where id = $1",
        );
        const { n, c, bits, codes } = Object(at(await changed('UPDATE'), 'record')) as Record<
          string,
          unknown
        >;
        assert.deepEqual([n, c, bits, codes], [1.5, ' ', '0', []], 'n, c, bits and codes of the update');
      }),
  ),
  audit(
    'RT-423',
    'an update omits a large value that is unchanged, and sends it when it changes or the replica identity is full',
    { source, level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const text = "(select string_agg(md5(n::text), '') from generate_series(1, 200) n)";
      await withRow(context, 'values', async ({ write, changed, socket }) => {
        await write(`insert into audit_schema.values (id, long_text) values ($1, ${text})`);
        await write('update audit_schema.values set n = 1 where id = $1');
        const unchanged = Object(at(await changed('UPDATE'), 'record')) as object;
        assert.equal('long_text' in unchanged, false, 'long_text in the record');
        await write("update audit_schema.values set long_text = long_text || 'z' where id = $1");
        await socket.expect('the second', () => socket.received.filter(isChange('UPDATE')).length === 2);
        const [, second] = socket.received.filter(isChange('UPDATE'));
        assert.equal(
          String(at(second?.payload, 'data', 'record', 'long_text')).length,
          200 * 32 + 1,
          'the length of long_text',
        );
      });
      await withRow(context, 'whole', async ({ id, write, changed }) => {
        await write(`insert into audit_schema.whole values ($1, ${text}, 'b', null, 1)`);
        await write('update audit_schema.whole set n = 2 where id = $1');
        const data = await changed('UPDATE');
        const { a, ...record } = Object(at(data, 'record')) as Record<string, unknown>;
        assert.deepEqual([record, String(a).length], [{ id, b: 'b', c: null, n: 2 }, 6400], 'the record');
        assert.deepEqual(
          at(data, 'old_record'),
          { ...record, a, n: 1 },
          'the old record, which is the whole row',
        );
      });
    },
  ),
  audit(
    'RT-424',
    'a change over the size limit has an error, and its values of at most 64 bytes',
    { source, level: 'SHOULD', needs: ['database'], since },
    (context) =>
      withRow(context, 'whole', async ({ id, write, changed }) => {
        await write(
          `insert into audit_schema.whole values ($1, repeat('x', 3000000), '${small}', '${large}', 1)`,
        );
        const errors = ['Error 413: Payload Too Large'];
        const insert = await changed('INSERT');
        assert.deepEqual(
          [at(insert, 'record'), at(insert, 'errors')],
          [{ id, b: small, n: 1 }, errors],
          'the record and the errors',
        );
        await write('update audit_schema.whole set n = 2 where id = $1');
        const update = await changed('UPDATE');
        assert.deepEqual(
          [at(update, 'record'), at(update, 'old_record'), at(update, 'errors')],
          [{ id, b: small, n: 2 }, { id, b: small, n: 1 }, errors],
          'the record, the old record and the errors of the update',
        );
      }),
  ),
  audit(
    'RT-425',
    'a change of a table without a primary key has an error in place of its values',
    { source, level: 'SHOULD', needs: ['database'], since },
    (context) =>
      withRow(context, 'keyless', async ({ write, changed }) => {
        await write("insert into audit_schema.keyless values ($1, 'a')");
        await write("update audit_schema.keyless set a = 'b' where id = $1");
        const common = {
          schema: 'audit_schema',
          table: 'keyless',
          columns: [],
          commit_timestamp: null,
          errors: ['Error 400: Bad Request, no primary key'],
          record: {},
        };
        assert.deepEqual(await changed('INSERT'), { ...common, type: 'INSERT' }, 'data of the insert');
        assert.deepEqual(
          await changed('UPDATE'),
          { ...common, type: 'UPDATE', old_record: {} },
          'data of the update',
        );
      }),
  ),
  audit(
    'RT-434',
    'the channels of a socket receive a change in the order of their roles, and then of their selected columns',
    { source, level: 'SHOULD', needs: ['database', 'service-key'], since },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withRow(context, 'whole', async ({ id, write, changed, socket }) => {
        const tokens = { service_role: context.target.serviceKey ?? '', authenticated: accessToken };
        const names: string[] = [];
        for (const [role, token] of Object.entries(tokens))
          for (const select of [['c'], ['b'], ['a', 'c'], null]) {
            const name = `realtime:${role}-${select?.join('-') ?? 'all'}`;
            const binding = {
              event: 'INSERT',
              schema: 'audit_schema',
              table: 'whole',
              filter: `id=eq.${id}`,
            };
            names.push(name);
            const ref = `${names.length + 1}`;
            await joinLive(socket, token, [{ ...binding, ...(select && { select }) }], { name, ref });
          }
        await write("insert into audit_schema.whole values ($1, 'a', 'b', 'c', 1)");
        await changed('INSERT');
        const isOwn = (frame: Frame) => isChange('INSERT')(frame) && names.includes(frame.topic);
        await socket.expect('all changes', () => socket.received.filter(isOwn).length === names.length);
        assert.deepEqual(
          socket.received.filter(isOwn).map(({ topic }) => topic),
          names.toReversed(),
          'the topics of the changes',
        );
      });
    },
  ),
  audit(
    'RT-426',
    'a deletion has the replica identity, under row-level security the key alone, and reaches each matching filter',
    { source: 'protocol/realtime.md#changes-and-policies', level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const members = ['columns', 'commit_timestamp', 'errors', 'old_record', 'schema', 'table', 'type'];
      await withRow(context, 'whole', ({ id, write, changed }) =>
        withDeletions(context, async () => {
          await write("insert into audit_schema.whole values ($1, 'a', 'b', null, 1)");
          await changed('INSERT');
          await write('delete from audit_schema.whole where id = $1');
          const data = await changed('DELETE');
          assert.deepEqual(Object.keys(Object(data)).toSorted(), members, 'the members of data');
          assert.deepEqual(
            [at(data, 'old_record'), at(data, 'errors')],
            [{ id, a: 'a', b: 'b', c: null, n: 1 }, null],
            'the old record, which is the whole row, and the errors',
          );
        }),
      );
      await withRow(context, 'guarded', ({ id, write, changed, socket }) =>
        withDeletions(context, async () => {
          await write("insert into audit_schema.guarded values ($1, 'a')");
          await write('delete from audit_schema.guarded where id = $1');
          const data = await changed('DELETE');
          assert.deepEqual(at(data, 'old_record'), { id }, 'the old record');
          assert.deepEqual(
            (at(data, 'columns') as readonly unknown[]).map((column) => at(column, 'name')),
            ['id', 'a'],
            'the names of the columns',
          );
          assert.equal(socket.received.some(isChange('INSERT')), false, 'an insert that no policy permits');
        }),
      );
    },
  ),
  audit(
    'RT-435',
    'a deletion does not reach a filter on a column that its replica identity lacks',
    { source: 'protocol/realtime.md#changes-and-policies', level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const { accessToken } = await context.newUser();
      await withRow(context, 'values', ({ id, write, changed, socket }) =>
        withDeletions(context, async () => {
          const name = `realtime:${newRoom()}`;
          const binding = { event: '*', schema: 'audit_schema', table: 'values', filter: `o=eq.${id}` };
          await joinLive(socket, accessToken, [binding], { name, ref: '2' });
          await write('insert into audit_schema.values (id, o) values ($1::int, $1::int)');
          await write('delete from audit_schema.values where id = $1');
          await changed('DELETE');
          await settle(socket, '99');
          assert.deepEqual(
            socket.received
              .filter(({ topic, event }) => topic === name && event === 'postgres_changes')
              .map(({ payload }) => at(payload, 'data', 'type')),
            ['INSERT'],
            'the changes that the filter lets pass',
          );
        }),
      );
    },
  ),
];
