import { mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalSupabase } from '../src/server/server.ts';
import { StartError } from '../src/platform/start-error.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-supabase-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('an embedded Supabase in a folder', () => {
  it('takes over the lock of a crashed server, and admits one server at a time', async () => {
    await writeFile(join(folder, 'lock'), '999999999');
    const supabase = await createLocalSupabase({ config: false, dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
    await expect(createLocalSupabase({ config: false, dataDir: folder })).rejects.toThrow(
      `The data folder ${folder} is in use by the process ${process.pid}`,
    );
    await supabase.close();
  });

  it('takes over the lock of an earlier container with the same process number', async () => {
    await writeFile(join(folder, 'lock'), `${process.pid} ${Date.now() - 86_400_000}`);
    const supabase = await createLocalSupabase({ config: false, dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
    await supabase.close();
  });

  it.runIf(process.platform === 'linux')(
    'takes over the lock of an earlier container with the number of another running process',
    async () => {
      await writeFile(join(folder, 'lock'), `${process.ppid} ${Date.now() - 86_400_000} another-boot/1`);
      const supabase = await createLocalSupabase({ config: false, dataDir: folder });
      await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
      const own = await readFile(join(folder, 'lock'), 'utf8');
      await supabase.close();
      const mark = own.split(' ')[2];
      expect(mark).toMatch(/^[0-9a-f-]{36}\/\d+$/);
    },
  );

  it.each([true, false])(
    'loads extensions that psql created, after a restart too (in a thread: %s)',
    async (databaseThread) => {
      const first = await createLocalSupabase({ config: false, dataDir: folder, databaseThread });
      await first.database.exec('create extension hstore; create extension pg_cron');
      await first.close();
      const second = await createLocalSupabase({ config: false, dataDir: folder, databaseThread });
      await expect(
        second.database.query(
          `select 'a=>1'::hstore -> 'a' as value, to_regclass('cron.job') is not null as cron`,
        ),
      ).resolves.toEqual([{ value: '1', cron: true }]);
      await second.close();
    },
  );

  it("starts from scratch if the first start was killed while it wrote the database's files", async () => {
    await mkdir(join(folder, 'postgres'));
    await writeFile(join(folder, 'postgres/PG_VERSION'), '17');
    await writeFile(join(folder, 'postgres.creating'), '');
    const supabase = await createLocalSupabase({ config: false, dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
    await supabase.close();
    await expect(readdir(folder)).resolves.not.toContain('postgres.creating');
  });

  it('reports in one line that the keys or the database are corrupt', async () => {
    await (await createLocalSupabase({ config: false, dataDir: folder })).close();
    const keys = await readFile(join(folder, 'keys.json'));
    for (const [file, content] of [
      ['keys.json', '{"keys":'],
      ['postgres/global/pg_control', 'garbage'],
    ] as const) {
      await writeFile(join(folder, 'keys.json'), keys);
      await writeFile(join(folder, file), content);
      const problem = await createLocalSupabase({ config: false, dataDir: folder }).catch(
        (error: unknown) => error,
      );
      expect(problem).toBeInstanceOf(StartError);
      expect((problem as StartError).message).toMatch(
        /^[^\n]*corrupt[^\n]* Nothing was changed\. To continue[^\n]* rename [^\n]*$/,
      );
      await expect(readdir(folder)).resolves.not.toContain('lock');
    }
  });

  it.each([false, true])(
    'reports PostgreSQL’s reason when its log is lost (in a thread: %s)',
    async (databaseThread) => {
      await (await createLocalSupabase({ config: false, dataDir: folder })).close();
      await rm(join(folder, 'postgres/pg_wal'), { recursive: true });
      await mkdir(join(folder, 'postgres/pg_wal'));
      await expect(createLocalSupabase({ config: false, dataDir: folder, databaseThread })).rejects.toThrow(
        /cannot be read and may be corrupt: could not locate a valid checkpoint record at [^\n]*\. Nothing was changed/,
      );
    },
  );

  it('serves the rest of a table with a damaged page after `set zero_damaged_pages`', async () => {
    const first = await createLocalSupabase({ config: false, dataDir: folder });
    await first.database.exec(`create table public.kept as select i as id, repeat('x', 100) as text
      from generate_series(1, 500) i; checkpoint`);
    const [kept] = await first.database.query<{ path: string }>(
      `select pg_relation_filepath('public.kept') as path`,
    );
    await first.close();
    const file = await open(join(folder, 'postgres', kept?.path ?? ''), 'r+');
    await file.write(Buffer.alloc(8192, 'Z'), 0, 8192, 8192);
    await file.close();
    const second = await createLocalSupabase({ config: false, dataDir: folder });
    const count = () =>
      second.database.query<{ rows: number }>('select count(*)::int as rows from public.kept');
    await expect(count()).rejects.toThrow(/^invalid page in block 1 of relation/);
    await second.database.exec('set zero_damaged_pages = on');
    const [rest] = await count();
    expect(rest?.rows).toBeGreaterThan(400);
    expect(rest?.rows).toBeLessThan(500);
    await second.close();
  });
});
