import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScaleDatabase, type ScaleDatabase } from '../../scripts/scale/scale-database.ts';
import { checkOut, newestRelease, presentCommit, type Checkout } from '../support/earlier-version.ts';

/** As in parallel-sessions.nightly.test.ts. */
const binaries = process.env['POSTGRES_BINARIES'] ?? '/usr/lib/postgresql/15/bin';
const rows = Number(process.env['UPGRADE_ROWS'] ?? 20_000);
/** After this time a hosted project cancels a migration's statement. */
const statementSeconds = 120;
/** How long a reader, a click or a backend may wait for a lock of a migration. */
const longestLockSeconds = 2;

/** Before the first release: what a later version may add, whose tag is the present commit. */
const sampleMigration = {
  name: '29991231000000_sample.sql',
  sql: `alter table public.notifications add column sample text;
    alter table public.notification_preferences add column sample boolean not null default true;
    create function public.sample_of(notification_id uuid) returns text language sql stable set search_path = '' as
      'select n.sample from public.notifications n where n.id = notification_id';`,
};

/** The page, as its tests use it against a database. */
const pageTests = [
  'test/inbox/features/notifications/notifications-api.test.ts',
  'test/inbox/features/notifications/inbox-screen.test.tsx',
  'test/inbox/features/preferences/preferences-screen.test.tsx',
];

const release = newestRelease();
let before: Checkout;
let after: Checkout;

beforeAll(async () => {
  if (!existsSync(`${binaries}/initdb`)) throw new Error(`There is no PostgreSQL in ${binaries}`);
  const present = presentCommit();
  before = await checkOut(release ?? present);
  after = await checkOut(present);
  if (release === null)
    await writeFile(join(after.folder, 'supabase/migrations', sampleMigration.name), sampleMigration.sql);
}, 600_000);
afterAll(() => Promise.all([before.remove(), after.remove()]));

describe(`an upgrade from ${release ?? 'the present commit as a tag'}`, () => {
  it('changes no migration of the release', async () => {
    const names = new Map((await after.migrations()).map(({ name, sql }) => [name, sql]));
    for (const { name, sql } of await before.migrations())
      expect([name, names.get(name)]).toEqual([name, sql]);
  });

  it('ends each statement within the hosted limit, while readers, clicks and backends continue', async () => {
    const earlier = await before.migrations();
    const known = new Set(earlier.map(({ name }) => name));
    const database = await openScaleDatabase(binaries, earlier);
    try {
      const users = await fill(database);
      const migrating = await connectTo(database);
      await migrating.query(`set statement_timeout = '${statementSeconds}s'`);
      const traffic = await startTraffic(database, users, migrating);
      let applied = 0;
      for (const { name, sql } of await after.migrations()) {
        if (known.has(name)) continue;
        await migrating.query(`begin; ${sql}; commit;`);
        applied += 1;
      }
      const lockSeconds = await traffic.stop();
      await migrating.end();
      expect(applied).toBeGreaterThan(0);
      expect(lockSeconds).toBeLessThan(longestLockSeconds);
      const [count] = await database.query<{ kept: number }>(
        `select count(*)::int as kept from notifications where content like '%before the upgrade%'`,
      );
      expect(count?.kept).toBe(rows);
    } finally {
      await database.close();
    }
  }, 1_200_000);

  it('leaves the old page working on the new schema', async () => {
    await expect(before.runTestsOn(after, pageTests)).resolves.toBeUndefined();
  }, 1_200_000);

  it('leaves the new page working on the old schema', async () => {
    await expect(after.runTestsOn(before, pageTests)).resolves.toBeUndefined();
  }, 1_200_000);
});

async function connectTo({ connect }: ScaleDatabase): Promise<Client> {
  if (!connect) throw new Error('The upgrade needs a PostgreSQL with sessions');
  return connect();
}

/** @returns the ids of the accounts. */
async function fill(database: ScaleDatabase): Promise<readonly string[]> {
  const ids = await database.query<{ id: string }>(
    `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at)
     select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'upgrade-' || n || '@example.com', now()
     from generate_series(1, 100) n returning id`,
  );
  await database.query(
    `insert into notifications (recipient_id, content)
     select ($1::uuid[])[1 + n % 100], '{"type":"mention","data":{"text":"' || case n % 5 when 0 then '升级之前发送 ' else '' end || 'before the upgrade ' || n || '"}}'
     from generate_series(1, $2::int) n`,
    [ids.map(({ id }) => id), rows],
  );
  return ids.map(({ id }) => id);
}

/**
 * A reader, a recipient who clicks and a backend, each again and again. `stop` returns for how long one of them was seen waiting for a lock
 * of the migrating session, in seconds.
 */
async function startTraffic(
  database: ScaleDatabase,
  [user = '', other = '']: readonly string[],
  migrating: Client,
) {
  const run = { isOver: false };
  const repeat = async (sql: string, parameters: readonly unknown[], onRow = (_row: unknown) => {}) => {
    const session = await connectTo(database);
    while (!run.isOver) onRow((await session.query<object>(sql, [...parameters])).rows[0]);
    await session.end();
  };
  const { rows: own } = await migrating.query<{ pid: number }>('select pg_backend_pid() as pid');
  const message = JSON.stringify([{ recipients: [other], text: 'During the upgrade' }]);
  let lockSeconds = 0;
  const loops = [
    repeat(
      `select * from notifications where recipient_id = $1 and status <> 'archived' order by created_at desc, id desc limit 50`,
      [user],
    ),
    repeat(
      `update notifications set status = case status when 'read' then 'unread' else 'read' end
       where recipient_id = $1 and id = (select min(id::text)::uuid from notifications where recipient_id = $1)`,
      [user],
    ),
    repeat('select send_notifications($1::jsonb)', [message]),
    repeat(
      `select max(extract(epoch from clock_timestamp() - a.query_start))::float as seconds, pg_sleep(0.01)
       from pg_stat_activity a where a.wait_event_type = 'Lock' and $1::int = any (pg_blocking_pids(a.pid))`,
      [own[0]?.pid],
      (row) => {
        lockSeconds = Math.max(lockSeconds, (row as { readonly seconds: number | null }).seconds ?? 0);
      },
    ),
  ];
  return {
    async stop() {
      run.isOver = true;
      await Promise.all(loops);
      return lockSeconds;
    },
  };
}
