import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPgliteDatabase, type PgliteDatabase } from '../src/database/pglite-database.ts';
import { createCronJobs } from '../src/database/extensions/cron-jobs.ts';
import { isDueAt, parseCronSchedule } from '../src/database/extensions/cron-schedule.ts';
import { startNetRequests } from '../src/database/extensions/net-requests.ts';
import { becomeProjectUser, nameAdmin, resetSession } from '../src/database/connect.ts';
import { installExtensionFiles } from '../src/database/extension-files.ts';
import { createPrivilegedStatements } from '../src/database/privileged-statements.ts';
import { availableExtensions, findExtensions } from '../src/project/extensions.ts';
import { readProjectSql } from '../src/project/project-sql.ts';
import { buildSchema } from '../src/project/schema.ts';

const none = new URL('file:///nowhere/');
const migration = `
  create extension pg_cron with schema pg_catalog; create extension pg_net with schema extensions version '0.7.1';
  create extension http with schema extensions; create extension pgmq; create extension moddatetime with schema extensions;
  create extension pgjwt with schema extensions; create extension if not exists pg_graphql;
  create extension if not exists "pgsodium" with schema "pgsodium"; create extension if not exists pg_stat_statements;
  select vault.create_secret('s3cret', 'key');
  create table public.orders (id int primary key, changed_at timestamptz);
  create trigger changed before update on public.orders for each row execute function extensions.moddatetime('changed_at');
  create trigger hook after insert on public.orders for each row
    execute function supabase_functions.http_request('http://kong:8000/functions/v1/order', 'POST', '{"x-a":"b"}', '{}', '2000');`;

let database: PgliteDatabase;
beforeAll(async () => {
  const extensions = findExtensions([migration], none);
  const sql = await readProjectSql(none);
  const pglite = await PGlite.create({
    extensions: { ...extensions.bundled, privilegedStatements: createPrivilegedStatements() },
  });
  await nameAdmin(pglite);
  await installExtensionFiles(pglite, extensions.files);
  const path = 'supabase/migrations/1_all.sql';
  const migrations = [{ version: '1', name: 'all', path, sql: migration }];
  await buildSchema(pglite, { ...sql, extensions, migrations }, false);
  database = createPgliteDatabase(pglite);
});
afterAll(() => database.close());

const first = async (text: string) => Object.values((await database.query(text))[0] ?? {})[0];

describe('the extensions', () => {
  it('are those of PGlite and the replacements, without plv8 and PostGIS', () => {
    const available = availableExtensions(none);
    expect(available).toEqual(
      expect.arrayContaining([
        'hstore',
        'ltree',
        'pg_cron',
        'pg_trgm',
        'pgmq',
        'pgtap',
        'uuid-ossp',
        'vector',
      ]),
    );
    expect(available).not.toEqual(expect.arrayContaining(['plv8']));
    expect(available).not.toEqual(expect.arrayContaining(['postgis']));
  });
});

describe('the replacements', () => {
  it.each([
    `select vault.create_secret('a', 'own'); select decrypted_secret from vault.decrypted_secrets;
     delete from vault.secrets where name = 'own'`,
    `select pgmq.create('own'); select pgmq.send('own', '{}'); select * from pgmq.q_own, pgmq.meta; select pgmq.drop_queue('own')`,
    `select cron.schedule('own', '* * * * *', 'select 1'); select * from cron.job; select cron.unschedule('own')`,
    `select net.http_get('http://a.test'); select * from net._http_response; delete from net.http_request_queue`,
    'select graphql.resolve($$ { a } $$); select * from supabase_functions.hooks',
  ])('are usable by postgres, which is not a superuser: %s', async (sql) => {
    const results = database.session(async (session) => {
      await becomeProjectUser(session);
      try {
        return await session.exec(`begin; ${sql}; rollback`);
      } finally {
        await session.exec('rollback');
        await resetSession(session);
      }
    });
    await expect(results).resolves.not.toHaveLength(0);
  });
});

describe('the replacement for', () => {
  it('supabase_vault stores and changes secrets, which API users cannot read', async () => {
    const read = `select decrypted_secret from vault.decrypted_secrets where name = 'key'`;
    await expect(first(read)).resolves.toBe('s3cret');
    await database.query(`select vault.update_secret(id, new_secret => 'other') from vault.secrets`);
    await expect(first(read)).resolves.toBe('other');
    await expect(first(`select has_schema_privilege('authenticated', 'vault', 'usage')`)).resolves.toBe(
      false,
    );
  });

  it('pgmq hides a message that was read, and archives and deletes messages', async () => {
    await database.query(`select pgmq.create('jobs')`);
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map((number) => first(`select pgmq.send('jobs', '{"n": ${number}}')`)),
    );
    await expect(first(`select array_agg(msg_id) from pgmq.read('jobs', 30, 2)`)).resolves.toEqual([
      one,
      two,
    ]);
    await expect(first(`select array_agg(message) from pgmq.pop('jobs')`)).resolves.toEqual([{ n: 3 }]);
    expect(three).toBe(3);
    await expect(first(`select pgmq.archive('jobs', 1)`)).resolves.toBe(true);
    await expect(first(`select pgmq.delete('jobs', 1)`)).resolves.toBe(false);
    await database.query(`select pgmq.set_vt('jobs', 2, 0)`);
    await expect(first(`select read_ct from pgmq.read('jobs', 0, 1)`)).resolves.toBe(2);
    await expect(
      database.query(`select queue_length, total_messages from pgmq.metrics('jobs')`),
    ).resolves.toEqual([{ queue_length: 1, total_messages: 3 }]);
    await expect(first(`select pgmq.drop_queue('jobs')`)).resolves.toBe(true);
    await expect(database.query(`select pgmq.create_partitioned('p')`)).rejects.toThrow(
      'no partitioned queues',
    );
  });

  it('http encodes URLs, and rejects requests with advice', async () => {
    await expect(first(`select extensions.urlencode('a b&ü')`)).resolves.toBe('a%20b%26%C3%BC');
    await expect(database.query(`select extensions.http_get('http://a.test')`)).rejects.toMatchObject({
      code: '0A000',
      hint: expect.stringContaining('pg_net') as string,
    });
  });

  it('pgjwt verifies only tokens that it signed', async () => {
    const token = String(await first(`select extensions.sign('{"sub":"1"}', 'secret')`));
    const [header] = token.split('.');
    expect(Buffer.from(header ?? '', 'base64url').toString()).toBe('{"alg":"HS256","typ":"JWT"}');
    await expect(first(`select valid from extensions.verify('${token}', 'secret')`)).resolves.toBe(true);
    await expect(first(`select valid from extensions.verify('${token}', 'other')`)).resolves.toBe(false);
  });

  it('pg_graphql returns an error, moddatetime sets a column', async () => {
    await expect(first(`select graphql.resolve('{ a }')`)).resolves.toMatchObject({
      errors: [{ message: expect.stringContaining('not available') as string }],
    });
    await database.exec(`alter table public.orders disable trigger hook; insert into public.orders values (7);
      update public.orders set id = 8 where id = 7; alter table public.orders enable trigger hook`);
    await expect(first('select changed_at is not null from public.orders where id = 8')).resolves.toBe(true);
  });
});

describe('the replacement for pg_net', () => {
  const start = (send: (request: Request) => Promise<Response>) =>
    startNetRequests({
      database,
      url: () => 'http://127.0.0.1:1',
      fetch: send,
      now: Date.now,
      report: (problem) => expect.fail(String(problem)),
    });

  it('sends requests after the commit and stores the responses', async () => {
    const server = createServer((request, response) => {
      response.writeHead(201, { 'content-type': 'text/plain' }).end(`${request.method} ${request.url}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const stop = await start(fetch);
    const id = await first(`select net.http_get('http://127.0.0.1:${port}/a', '{"q": "x y"}')`);
    const lost = await first(`select net.http_post('http://127.0.0.1:1/nothing')`);
    await stop();
    server.close();
    const outcomeOf = (request: unknown) =>
      database.query('select status_code, content, error_msg from net._http_response where id = $1', [
        request,
      ]);
    await expect(outcomeOf(id)).resolves.toEqual([
      { status_code: 201, content: 'GET /a?q=x%20y', error_msg: null },
    ]);
    await expect(outcomeOf(lost)).resolves.toEqual([
      { status_code: null, content: null, error_msg: expect.any(String) as string },
    ]);
    await expect(first(`select status from net._http_collect_response(${String(id)})`)).resolves.toBe(
      'SUCCESS',
    );
  });

  it('sends webhooks to the project, whose gateway has another name in a trigger', async () => {
    const sent: Request[] = [];
    const stop = await start((request) => {
      sent.push(request.clone());
      return Promise.resolve(new Response('ok'));
    });
    await database.query('insert into public.orders values (1)');
    await stop();
    const [request] = sent;
    expect([request?.url, request?.headers.get('x-a')]).toEqual([
      'http://127.0.0.1:1/functions/v1/order',
      'b',
    ]);
    await expect(request?.json()).resolves.toMatchObject({
      type: 'INSERT',
      schema: 'public',
      table: 'orders',
      record: { id: 1 },
      old_record: null,
    });
  });
});

describe('the replacement for pg_cron', () => {
  const at = (time: string) => Date.parse(`2026-02-${time}Z`);

  it.each([
    ['*/15 * * * *', '03T10:30:00', true],
    ['*/15 * * * *', '03T10:31:00', false],
    ['0 9-17/4 * * mon-fri', '03T13:00:59', true],
    ['0 9-17/4 * * mon-fri', '07T13:00:00', false],
    ['5 4 1 * sun', '01T04:05:00', true],
    ['5 4 2 * sun', '08T04:05:00', true],
    ['0 0 $ * *', '28T00:00:00', true],
    ['0 0 $ * *', '27T00:00:00', false],
    ['@daily', '03T00:00:00', true],
    ['0 0 * * 7', '08T00:00:00', true],
  ])('evaluates the schedule %s at %s: %s', (text, time, isDue) => {
    const schedule = parseCronSchedule(text);
    expect(schedule.type === 'minutes' && isDueAt(schedule, at(time))).toBe(isDue);
  });

  it.each(['61 * * * *', '* * * *', 'a * * * *', '*/0 * * * *', '60 seconds'])(
    'refuses the schedule %s',
    (text) => {
      expect(() => parseCronSchedule(text)).toThrow('is not a schedule of pg_cron');
    },
  );

  it('runs each due job once, and records the outcome', async () => {
    let nowMs = at('03T10:00:30');
    const runDueJobs = createCronJobs({ database, now: () => nowMs });
    await database.query(
      `select cron.schedule('each minute', '* * * * *', 'create table if not exists public.runs (); select 1')`,
    );
    await database.query(`select cron.schedule('broken', '10 seconds', 'select nope')`);
    await database.query(
      `select cron.schedule('each minute', '1 10 * * *', 'insert into public.orders values (99)')`,
    );
    await expect(database.query(`select cron.schedule('never', 'now')`)).rejects.toThrow(
      'invalid schedule: never',
    );
    for (const seconds of [31, 41, 61, 62]) {
      nowMs = at('03T10:00:00') + seconds * 1000;
      await runDueJobs();
    }
    await expect(
      database.query('select command, status, return_message from cron.job_run_details order by runid'),
    ).resolves.toEqual([
      { command: 'select nope', status: 'failed', return_message: 'ERROR: column "nope" does not exist' },
      { command: 'insert into public.orders values (99)', status: 'succeeded', return_message: '' },
      { command: 'select nope', status: 'failed', return_message: 'ERROR: column "nope" does not exist' },
    ]);
    const change = database.transaction(async (sql) => {
      await sql.query('set local role postgres');
      return sql.query('update cron.job set active = false');
    });
    await expect(change).rejects.toThrow('permission denied for table job');
    await database.query('select cron.alter_job(jobid, active := false) from cron.job');
    await expect(first('select bool_or(active) from cron.job')).resolves.toBe(false);
    nowMs = at('03T10:02:00');
    await runDueJobs();
    await expect(first('select count(*) from cron.job_run_details')).resolves.toBe(3);
    await expect(first(`select cron.unschedule('broken')`)).resolves.toBe(true);
    await expect(first('select count(*) from cron.job')).resolves.toBe(1);
  });

  it.each([
    ['a transaction that stays open', 'begin; create table public.half ()', 'succeeded'],
    ['a failed transaction', 'begin; create table public.half (); select nope', 'failed'],
    [
      'a role and settings',
      `set role anon; set search_path = auth; set statement_timeout = '9s'`,
      'succeeded',
    ],
    ['a temporary table and a lock', 'create temp table half (); select pg_advisory_lock(8)', 'succeeded'],
  ])('leaves nothing of a job to the next user of the session: %s', async (_, command, status) => {
    let nowMs = at('03T12:00:30');
    const runDueJobs = createCronJobs({ database, now: () => nowMs });
    await database.query(`select cron.schedule('careless', '* * * * *', $1)`, [command]);
    nowMs += 60_000;
    await runDueJobs();
    await expect(
      database.query(
        `select to_regclass('half') as half, current_user as role, current_setting('search_path') as path,
           current_setting('statement_timeout') as timeout, pg_advisory_unlock(8) as "isLocked",
           pg_current_xact_id_if_assigned() as "transaction",
           (select status from cron.job_run_details order by runid desc limit 1) as status`,
      ),
    ).resolves.toEqual([
      {
        half: null,
        role: 'supabase_admin',
        path: '"$user", public, extensions',
        timeout: '0',
        isLocked: false,
        transaction: null,
        status,
      },
    ]);
    await database.query(`select cron.unschedule('careless')`);
  });

  it("runs another user's job as the session's user", async () => {
    let nowMs = at('03T14:00:30');
    const runDueJobs = createCronJobs({ database, now: () => nowMs });
    await database.query(
      `select cron.schedule('of another', '* * * * *', $$
         do 'begin commit; raise exception ''%'', session_user; end' $$)`,
    );
    await database.query(`update cron.job set username = 'service_role' where jobname = 'of another'`);
    nowMs += 60_000;
    await runDueJobs();
    await expect(
      first('select return_message from cron.job_run_details order by runid desc limit 1'),
    ).resolves.toBe('ERROR: service_role');
    await database.query(`delete from cron.job where jobname = 'of another'`);
  });
});
