import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADA, BOB, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

let world: RealtimeWorld;
let tables = 0;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

/** Creates a published table with a row of Ada's, deletes the row, and returns the `data` that Bob receives. */
async function receivedDeletion(setup: {
  readonly identity: string;
  readonly rowSecurity?: boolean;
  readonly filter?: string;
}): Promise<unknown[]> {
  const { identity, rowSecurity = false, filter } = setup;
  const table = `gone_${(tables += 1)}`;
  await world.database.exec(`
    create table ${table} (id int primary key, owner uuid not null, body text);
    create unique index ${table}_owner on ${table} (owner);
    alter table ${table} replica identity ${identity.replace('$table', table)};
    grant select on ${table} to authenticated;
    ${rowSecurity ? `alter table ${table} enable row level security;` : ''}
    alter publication supabase_realtime add table ${table};
    insert into ${table} values (1, '${ADA}', 'text');`);
  const client = await world.connect();
  const change = { event: 'DELETE', schema: 'public', table, ...(filter ? { filter } : {}) };
  await client.joinLive('realtime:t', { changes: [change], token: await world.tokenOf(BOB) });
  await world.database.exec(`delete from ${table}`);
  await world.service.settled();
  return (await client.flush()).map(({ payload }) => (payload['data'] as { old_record: unknown }).old_record);
}

const KEY = { id: 1 };
const ROW = { id: 1, owner: ADA, body: 'text' };
const OWNER = { owner: ADA };

describe('a DELETE', () => {
  test.each([
    ['default', false, undefined, [KEY]],
    ['default', false, 'id=eq.1', [KEY]],
    ['default', false, 'id=eq.2', []],
    ['default', false, `owner=eq.${ADA}`, []],
    ['default', false, `id=eq.1,owner=eq.${ADA}`, []],
    ['full', false, undefined, [ROW]],
    ['full', false, `owner=eq.${ADA}`, [ROW]],
    ['full', false, `owner=eq.${BOB}`, []],
    ['full', false, 'body=like.te%', [ROW]],
    ['using index $table_owner', false, `owner=eq.${ADA}`, [OWNER]],
    ['using index $table_owner', false, 'id=eq.1', []],
    ['default', true, 'id=eq.1', [KEY]],
    ['default', true, `owner=eq.${ADA}`, []],
    // Every subscriber receives only the key of a deleted row, because policies cannot be evaluated for it.
    ['full', true, undefined, [KEY]],
    ['full', true, `owner=eq.${ADA}`, [KEY]],
    ['using index $table_owner', true, `owner=eq.${ADA}`, [{}]],
  ])(
    'a DELETE with identity %s, row security %s and filter %s sends %j',
    async (identity, rowSecurity, filter, sent) => {
      expect(await receivedDeletion({ identity, rowSecurity, ...(filter ? { filter } : {}) })).toEqual(sent);
    },
  );

  test('is withheld under row security with strictDelete', async () => {
    world.service.configure({ strictDelete: true });
    expect(await receivedDeletion({ identity: 'full', rowSecurity: true })).toEqual([]);
    expect(await receivedDeletion({ identity: 'full' })).toEqual([ROW]);
    world.service.configure({ strictDelete: false });
  });
});

describe('an UPDATE', () => {
  test.each([
    ['default', { id: 1 }],
    ['full', { id: 1, owner: ADA, body: 'before' }],
  ])('an UPDATE with identity %s has the old values %j', async (identity, oldRecord) => {
    const table = `changed_${(tables += 1)}`;
    await world.database.exec(`create table ${table} (id int primary key, owner uuid, body text);
      alter table ${table} replica identity ${identity}; alter table ${table} alter body set storage external;
        grant select on ${table} to authenticated;
      alter publication supabase_realtime add table ${table}; insert into ${table} values (1, '${ADA}', 'before')`);
    const client = await world.connect();
    const changes = [
      { schema: 'public', table, filter: 'body=eq.after' },
      { schema: 'public', table, filter: 'body=eq.before' },
    ];
    await client.joinLive('realtime:t', { changes, token: await world.tokenOf(ADA) });
    await world.database.exec(`update ${table} set body = 'after'`);
    await world.service.settled();
    // A filter for the previous value does not match: an update after which a row no longer matches is not sent.
    const frames = await client.flush();
    expect(frames.map(({ payload }) => payload['data'])).toMatchObject([
      { old_record: oldRecord, record: { body: 'after' } },
    ]);
    expect(frames[0]?.payload['ids']).toHaveLength(1);
  });

  test('omits unchanged values that are stored out of line, unless the identity is full', async () => {
    const large = 'x'.repeat(5_000);
    const records = [];
    for (const identity of ['default', 'full']) {
      const table = `large_${(tables += 1)}`;
      await world.database.exec(`create table ${table} (id int primary key, body text, n int);
        alter table ${table} replica identity ${identity}; alter table ${table} alter body set storage external;
        grant select on ${table} to authenticated;
        alter publication supabase_realtime add table ${table}; insert into ${table} values (1, '${large}', 0)`);
      const client = await world.connect();
      await client.joinLive('realtime:t', { changes: [{ table }], token: await world.tokenOf(ADA) });
      await world.database.exec(`update ${table} set n = 1`);
      await world.service.settled();
      records.push(
        (await client.flush()).map(({ payload }) => (payload['data'] as { record: unknown }).record),
      );
    }
    expect(records).toEqual([[{ id: 1, n: 1 }], [{ id: 1, body: large, n: 1 }]]);
  });

  test('an UPDATE on a published table without identity is refused by PostgreSQL itself', async () => {
    await world.database
      .exec(`create table nothing (id int primary key); alter table nothing replica identity nothing;
      alter publication supabase_realtime add table nothing; insert into nothing values (1)`);
    await expect(world.database.exec('delete from nothing')).rejects.toThrow(
      'does not have a replica identity',
    );
  });
});
