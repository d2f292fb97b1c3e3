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

// The identities default and full with and without a filter are recorded scenarios (vectors/vectors.test.ts).
describe('a DELETE', () => {
  test.each([
    ['default', false, 'id=eq.2', []],
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
  test('an UPDATE after which a row no longer matches a filter is not sent', async () => {
    await world.database.exec(`create table changed (id int primary key, body text);
      grant select on changed to authenticated;
      alter publication supabase_realtime add table changed; insert into changed values (1, 'before')`);
    const client = await world.connect();
    const changes = [
      { schema: 'public', table: 'changed', filter: 'body=eq.after' },
      { schema: 'public', table: 'changed', filter: 'body=eq.before' },
    ];
    await client.joinLive('realtime:t', { changes, token: await world.tokenOf(ADA) });
    await world.database.exec(`update changed set body = 'after'`);
    await world.service.settled();
    expect((await client.flush()).map(({ payload }) => payload['ids'])).toEqual([[expect.any(Number)]]);
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
