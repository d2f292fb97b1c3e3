import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import { createAuditContext } from '../src/audit/audit-context.ts';
import { chooseAudits } from '../src/audits/audits.ts';
import { removeRun } from '../src/schema/cleanup.ts';
import { createAuditRun, metadataOf } from '../src/target/run.ts';
import { runAudits } from '../src/runner/runner.ts';
import { applySchema, removeSchema } from '../src/schema/schema-sql.ts';
import { openStorage } from '../src/audit/bucket.ts';
import type { ConformanceTarget } from '../src/target/target.ts';
import { target as sampleTarget } from './sample-audits.ts';

describe("the removal of a run's test data", () => {
  let supabase: LocalSupabase;
  let target: ConformanceTarget;

  beforeAll(async () => {
    supabase = await startLocalSupabase();
    target = createLocalTarget(supabase);
  });

  afterAll(() => supabase.close());

  const userIds = () => supabase.database.query('select id from auth.users order by id');

  it('removing a run keeps other users and removes the run’s users, with or without an email address', async () => {
    await createAuditContext(target).newUser();
    const before = await userIds();
    const run = createAuditRun();
    // A confirmed account, an unconfirmed one, an anonymous one and one by phone.
    const ids = ['AUTH-101', 'AUTH-111', 'AUTH-115', 'AUTH-201', 'AUTH-405', 'RT-201'];
    const chosen = chooseAudits({ set: 'server' }).filter(({ id }) => ids.includes(id));
    const messages = () => supabase.database.query('select count(*) from realtime.messages');
    const messagesBefore = await messages();
    const results = await runAudits(chosen, target, { run });
    expect(results.map(({ outcome }) => outcome.status)).toEqual(ids.map(() => 'passed'));
    expect((await userIds()).length).toBeGreaterThanOrEqual(before.length + ids.length);
    expect(await messages()).not.toEqual(messagesBefore);
    expect((await removeRun(target, run)).users).toBeGreaterThanOrEqual(ids.length);
    expect(await userIds()).toEqual(before);
    expect(await messages()).toEqual(messagesBefore);
  });

  it('the users and buckets of a killed run are found by its id', async () => {
    const before = await userIds();
    const context = createAuditContext(target, createAuditRun('0123abcd'));
    await context.newUser();
    await context.auth.send('POST', '/signup', { body: { data: metadataOf(context.run) } });
    const name = context.run.newName();
    await openStorage(target).send('POST', '/bucket', { body: { id: name, name, public: false } });
    expect(await removeRun(target, '0123abcd')).toEqual({ users: 2, keptUsers: 0, buckets: 1 });
    expect(await userIds()).toEqual(before);
    expect(await removeRun(target, '0123abcd')).toEqual({ users: 0, keptUsers: 0, buckets: 0 });
  });

  it('users that rows of the project refer to are counted as kept', async () => {
    const context = createAuditContext(target, createAuditRun('4567abcd'));
    const { id } = await context.newUser();
    const { query } = supabase.database;
    await query('create table private.kept (id uuid references auth.users)');
    await query('insert into private.kept values ($1)', [id]);
    expect(await removeRun(target, '4567abcd')).toEqual({ users: 0, keptUsers: 1, buckets: 0 });
    await query('drop table private.kept');
    const removed = await context.newUser();
    await context.admin('DELETE', `/users/${removed.id}`);
    expect(await removeRun(target, context.run)).toEqual({ users: 1, keptUsers: 0, buckets: 0 });
  });

  it('the related tables and functions of a run are removed, and its settings are those from before', async () => {
    const ids = ['REST-478', 'REST-503', 'REST-528'];
    const chosen = chooseAudits({ set: 'server' }).filter(({ id }) => ids.includes(id));
    const left = () =>
      supabase.database.query(
        `select relname as name from pg_class where relname like 'conformance%' union all
         select proname from pg_proc where proname like 'conformance%' union all
         select typname from pg_type where typname like 'conformance%' union all
         select unnest(setconfig) from pg_db_role_setting where setrole = 'authenticator'::regrole`,
      );
    const before = await left();
    const refused = await runAudits(chosen, { ...target, createsTables: false });
    expect(refused.map(({ outcome }) => outcome.status)).toEqual(ids.map(() => 'not-run'));
    expect(await left()).toEqual(before);
    const run = createAuditRun();
    const results = await runAudits(chosen, target, { run });
    expect(results.map(({ outcome }) => outcome.status)).toEqual(ids.map(() => 'passed'));
    expect((await left()).length).toBeGreaterThan(before.length);
    await removeRun(target, run);
    expect(await left()).toEqual(before);
  });

  it('a run cannot be removed without the service key', async () => {
    await expect(removeRun({ ...target, serviceKey: null }, '0123abcd')).rejects.toThrow('no service key');
  });
});

it('tables of a killed run are replaced, those of the project are kept', async () => {
  const { database, close } = await createLocalSupabase({
    config: false,
    seed: false,
    databaseSettings: { migrations: false },
  });
  onTestFinished(close);
  const target = { ...sampleTarget, query: (text: string) => database.exec(text) };
  const tables = async () =>
    (
      await database.query(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
      )
    ).map(({ relname }) => relname);
  await applySchema(target);
  await database.exec('drop table public.muted_threads');
  await applySchema(target);
  expect(await tables()).toContain('muted_threads');
  await removeSchema(target);
  expect(await tables()).toEqual([]);
  await database.exec('create schema audit_schema; create table public.notifications (id int)');
  await expect(applySchema(target)).rejects.toThrow('this project has a schema of its own');
  await database.exec('rollback');
  expect(await tables()).toEqual(['notifications']);
});

it('the tables are made and written to in a project where the realtime service has never started', async () => {
  const { database, close } = await createLocalSupabase({
    config: false,
    seed: false,
    databaseSettings: { migrations: false },
  });
  onTestFinished(close);
  const target = { ...sampleTarget, query: (text: string) => database.exec(text) };
  await database.exec('drop table realtime.messages cascade; drop function realtime.send cascade');
  await applySchema(target);
  const [user] = await database.query('insert into auth.users (id) values (gen_random_uuid()) returning id');
  await database.exec(
    `insert into public.notification_preferences (user_id) values ('${String(user?.['id'])}')`,
  );
  expect(await database.query('select user_id as id from public.notification_preferences')).toEqual([user]);
  await removeSchema(target);
});
