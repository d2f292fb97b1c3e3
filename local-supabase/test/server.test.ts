import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../src/http/http-server.ts';
import { createOwnHosts } from '../src/http/own-host.ts';
import { createLocalSupabase } from '../src/server/server.ts';
import type { LocalSupabaseOptions } from '../src/project/options.ts';
import type { LocalSupabase } from '../src/server/server.ts';
import { StartError } from '../src/platform/start-error.ts';
import { ada, requestApi, signIn, useLocalSupabase } from '../../test/support/local-supabase.ts';

const running = new Set<LocalSupabase>();
let folder: string;

async function start(options: LocalSupabaseOptions = {}): Promise<LocalSupabase> {
  const supabase = await createLocalSupabase({ config: false, ...options });
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
  it('completes or rejects requests in flight, rejects later ones, and reports no error', async () => {
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

describe('an embedded Supabase with PostgreSQL in a thread', () => {
  it('starts, as the commands and the Vite plugin start it', async () => {
    const supabase = await start({ databaseThread: true });
    expect(await supabase.database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('an embedded Supabase in a folder', { timeout: 60_000 }, () => {
  it('keeps accounts, rows, tokens and mail across a restart', async () => {
    const dataDir = join(folder, 'of-a-team', 'data');
    const first = await start({ dataDir });
    // Only the owner may read keys, mails and password hashes.
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(dataDir, '.gitignore'), 'utf8')).toBe('*\n');
    const token = await signIn(first, ada.email);
    await first.database.query('delete from notifications where recipient_id = $1', [ada.id]);
    await first.mailbox.send({ to: 'ada@example.com', subject: 'Kept', html: '' });
    await first.close();

    const second = await start({ dataDir });
    const response = await requestApi(second, '/rest/v1/notifications', { token });
    await expect(response.json()).resolves.toEqual([]);
    expect(second.mailbox.messages().map(({ subject }) => subject)).toEqual(['Kept']);
    await expect(signIn(second, ada.email)).resolves.toBeTypeOf('string');
  });

  it('reports in one line that it is not writable', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const problem = await createLocalSupabase({ config: false, dataDir: join(file, 'data') }).catch(
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
    await expect(createLocalSupabase({ config: false, port, dataDir: folder })).rejects.toThrow(
      `Port ${port} is taken by another program`,
    );
    await expect(readdir(folder)).resolves.not.toContain('lock');
    other.close();
  });

  it('respond 500 to an internal error, even if the request had a body', async () => {
    const complain = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('Inside');
    const server = await listen(0, createOwnHosts(), async () => Promise.reject(failure));
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
});

describe('one of several embedded Supabases', { timeout: 60_000 }, () => {
  const shared = useLocalSupabase({ port: 0 });

  it('serves the same responses on its port as in process', async () => {
    const { url, anonKey, fetch: fetchInProcess } = shared();
    const path = '/auth/v1/settings';
    const headers = { apikey: anonKey };
    const [outside, inside] = await Promise.all([
      fetch(url + path, { headers }),
      fetchInProcess(url + path, { headers }),
    ]);
    await expect(outside.json()).resolves.toEqual(await inside.json());
  });

  it('keeps an idle connection open for 75 seconds', async () => {
    const { headers } = await fetch(`${shared().url}/auth/v1/health`);
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('ends an in-process request that is aborted', async () => {
    shared().faults.add({ latencyMs: 60_000 });
    const abort = new AbortController();
    const pending = shared().fetch(`${shared().url}/auth/v1/settings`, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    await shared().faults.clear();
  });

  it('returns a redirect to another origin', async () => {
    const response = await shared().fetch(`${shared().url}/auth/v1/verify?token=none&type=signup`);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^http:\/\/localhost:5173\/?[?#]error=/);
  });

  it('is isolated from the others', async () => {
    const other = await start();
    await other.database.exec('delete from auth.users');
    await expect(shared().database.query('select id from auth.users')).resolves.toHaveLength(2);
    const token = await signIn(shared(), ada.email);
    expect((await requestApi(other, '/rest/v1/notifications', { token })).status).toBe(401);
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
