import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../../local-supabase/http/http-server.ts';
import { createLocalSupabase } from '../../local-supabase/server.ts';
import type { LocalSupabase, LocalSupabaseOptions } from '../../local-supabase/server.ts';
import { StartError } from '../../local-supabase/project/start-error.ts';
import { ada, requestApi, signIn } from '../support/local-supabase.ts';

const running = new Set<LocalSupabase>();
let folder: string;

async function start(options: LocalSupabaseOptions = {}): Promise<LocalSupabase> {
  const supabase = await createLocalSupabase(options);
  running.add(supabase);
  return supabase;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-supabase-'));
});
afterEach(async () => {
  for (const supabase of running) await supabase.close();
  running.clear();
  await rm(folder, { recursive: true, force: true });
});

describe('an embedded Supabase that is closed', () => {
  it('answers or refuses requests in flight, refuses later ones, and reports no error', async () => {
    const reported: unknown[] = [];
    const supabase = await start({ report: (problem) => reported.push(problem) });
    supabase.faults.add({ path: '/auth', latencyMs: 900 });
    const paths = ['/rest/v1/notifications', '/storage/v1/bucket', '/auth/v1/settings'];
    const ask = () => Promise.all(paths.map(async (path) => (await requestApi(supabase, path)).status));
    const [before, closing] = [ask(), supabase.close()];
    const during = ask();
    await closing;
    const [rows, buckets, slow] = await before;
    expect([401, 503]).toContain(rows);
    expect([200, 503]).toContain(buckets);
    expect([slow, await during, await ask(), reported]).toEqual([503, [503, 503, 503], [503, 503, 503], []]);
  });
});

describe('an embedded Supabase in a folder', { timeout: 60_000 }, () => {
  it('keeps accounts, rows, tokens and mail across a restart', async () => {
    const first = await start({ dataDir: folder });
    const token = await signIn(first, ada.email);
    await first.database.query('delete from notifications where recipient_id = $1', [ada.id]);
    await first.mailbox.send({ to: 'ada@example.com', subject: 'Kept', html: '' });
    await first.close();

    const second = await start({ dataDir: folder });
    const response = await requestApi(second, '/rest/v1/notifications', { token });
    await expect(response.json()).resolves.toEqual([]);
    expect(second.mailbox.messages().map(({ subject }) => subject)).toEqual(['Kept']);
    await expect(signIn(second, ada.email)).resolves.toBeTypeOf('string');
  });

  it('belongs to one server at a time', async () => {
    await start({ dataDir: folder });
    await expect(createLocalSupabase({ dataDir: folder })).rejects.toThrow(
      `The data folder ${folder} is in use by the process ${process.pid}`,
    );
  });

  it('takes over the lock of a crashed server', async () => {
    await writeFile(join(folder, 'lock'), '999999999');
    const supabase = await start({ dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });

  it('gets the migrations that it lacks', async () => {
    const first = await start({ dataDir: folder });
    await first.database.exec(
      `drop publication supabase_realtime;
       delete from supabase_migrations.schema_migrations where name = 'realtime'`,
    );
    await first.close();
    const second = await start({ dataDir: folder });
    const published = await second.database.query(
      `select tablename from pg_publication_tables where pubname = 'supabase_realtime' order by 1`,
    );
    expect(published.map(({ tablename }) => tablename)).toEqual([
      'notification_bulk_changes',
      'notification_preferences',
      'notifications',
    ]);
  });

  it.each([
    ['the database', async (dir: string) => writeFile(join(dir, 'postgres/global/pg_control'), 'garbage')],
    ['the keys', async (dir: string) => writeFile(join(dir, 'keys.json'), '{"keys":')],
  ])('says in one line that %s is corrupt', async (_, damage) => {
    await (await start({ dataDir: folder })).close();
    await damage(folder);
    const problem = await createLocalSupabase({ dataDir: folder }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(StartError);
    expect((problem as StartError).message).toMatch(/^[^\n]*corrupt[^\n]*npm run reset$/);
    await expect(readdir(folder)).resolves.not.toContain('lock');
  });

  it('reports in one line that it is not writable', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const problem = await createLocalSupabase({ dataDir: join(file, 'data') }).catch(
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(StartError);
    expect((problem as StartError).message).toMatch(/^The data folder [^\n]+ cannot be written: [^\n]+$/);
  });
});

describe('the ports', () => {
  it('report in one line that they are taken, and leave nothing running', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(createLocalSupabase({ port, dataDir: folder })).rejects.toThrow(
      `Port ${port} is taken by another program`,
    );
    await expect(readdir(folder)).resolves.not.toContain('lock');
    other.close();
  });

  it('answer 500 for an internal error, even when the request had a body', async () => {
    const complain = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('Inside');
    const server = await listen(0, async () => Promise.reject(failure));
    for (const init of [{}, { method: 'POST', body: '{}' }]) {
      const response = await fetch(server.url, init);
      expect([response.status, await response.json()]).toEqual([
        500,
        { message: 'An unexpected error occurred' },
      ]);
    }
    expect(complain.mock.calls).toEqual([[failure], [failure]]);
    complain.mockRestore();
    await server.close();
  });

  it('serve the same responses as the in-process fetch', async () => {
    const supabase = await start({ port: 0 });
    const headers = { apikey: supabase.anonKey };
    const path = '/auth/v1/settings';
    const [outside, inside] = await Promise.all([
      fetch(supabase.url + path, { headers }),
      supabase.fetch(supabase.url + path, { headers }),
    ]);
    await expect(outside.json()).resolves.toEqual(await inside.json());
  });
});

describe('several embedded Supabases', { timeout: 60_000 }, () => {
  it('are isolated from each other', async () => {
    const [one, two] = await Promise.all([start(), start({ seed: false })]);
    await expect(one.database.query('select id from auth.users')).resolves.toHaveLength(2);
    await expect(two.database.query('select id from auth.users')).resolves.toEqual([]);
    const token = await signIn(one, ada.email);
    expect((await requestApi(two, '/rest/v1/notifications', { token })).status).toBe(401);
  });
});

describe('the in-process fetch', () => {
  it('ends when it is aborted', async () => {
    const supabase = await start();
    supabase.faults.add({ latencyMs: 60_000 });
    const abort = new AbortController();
    const asked = supabase.fetch(`${supabase.url}/auth/v1/settings`, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  it('returns a redirect to another origin', async () => {
    const supabase = await start();
    const response = await supabase.fetch(`${supabase.url}/auth/v1/verify?token=none&type=signup`);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^http:\/\/localhost:5173\/?[?#]error=/);
  });
});

describe('an embedded Supabase in production', () => {
  it('refuses to start', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    try {
      await expect(start()).rejects.toThrow(StartError);
      await expect(start()).rejects.toThrow('does not start with NODE_ENV=production');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
