import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDataFolder } from '../src/project/data-folder.ts';
import { runPrinting } from './run-printing.ts';

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'vendor-words-'));
});
afterAll(() => rm(project, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());

/** Runs a command in a folder where no instance runs. */
const run = (...words: readonly string[]) => runPrinting(project, words);

it('a command to an instance that is still starting names its process', async () => {
  const folder = openDataFolder(join(project, '.local-supabase'));
  expect(await run('stop')).toEqual({
    code: 1,
    text: expect.stringContaining(`The process ${process.pid} uses`) as string,
  });
  folder.release();
  expect((await run('stop')).text).toContain('No local Supabase is running');
});

describe("the vendor's words", () => {
  it('select the commands of this CLI', async () => {
    expect(await run('db', 'reset')).toEqual({
      code: 0,
      text: 'The next start begins with the migrations and the seed.',
    });
    expect((await run('migration', 'up')).text).toContain('No local Supabase is running');
    expect((await run('test', 'db')).text).toContain('There is no folder');
  });

  it('select the commands of this CLI also among options, and with --local', async () => {
    const output = { code: 0, text: 'The next start begins with the migrations and the seed.' };
    expect(await run('--local', 'db', 'reset')).toEqual(output);
    expect(await run('--port', '0', 'db', '--in-memory', 'reset', '--local')).toEqual(output);
    expect((await run('--local', 'migration', 'new', '--in-memory', 'among_options')).text).toMatch(
      /^Wrote .*_among_options\.sql$/,
    );
    const unreachable = 'postgres://127.0.0.1:1/postgres';
    expect(
      (await run('gen', 'types', '--lang', 'typescript', '--local', '-s', 'public', '--db-url', unreachable))
        .text,
    ).toContain('The types cannot be read');
    expect(await run('gen', 'types', '--lang', 'go')).toMatchObject({
      code: 2,
      text: expect.stringContaining('--lang must be typescript') as string,
    });
  });

  it('are refused with an alternative among options that only the vendor has', async () => {
    expect((await run('db', 'push', '--dry-run', '--include-all')).text).toContain(
      'npx supabase db push --db-url URL',
    );
    expect((await run('--workdir', 'elsewhere', '--debug', 'db', 'pull', '-f', 'name')).text).toContain(
      'Docker',
    );
    expect((await run('--experimental', 'link', '--project-ref', 'abc')).text).toContain('npx supabase link');
  });

  it('are refused with an alternative where this CLI lacks the command', async () => {
    const ways = [
      [['db', 'push'], '--db-url'],
      [['migration', 'list'], '--db-url'],
      [['db', 'dump'], 'No local Supabase is running'],
      [['db', 'pull'], 'Docker'],
      [['link'], 'hosted projects'],
    ] as const;
    for (const [words, way] of ways)
      expect(await run(...words)).toEqual({ code: 1, text: expect.stringContaining(way) as string });
    expect((await run('dance')).code).toBe(2);
    expect((await run('reset', '--no-seed')).text).toContain('needs a running local Supabase');
  });

  it('write empty files, and keep existing ones', async () => {
    expect((await run('migration', 'new', 'add_todos')).text).toMatch(
      /^Wrote supabase\/migrations\/\d{14}_add_todos\.sql$/,
    );
    expect((await run('functions', 'new', 'hello')).text).toBe('Wrote supabase/functions/hello/index.ts');
    expect((await run('test', 'new', 'todos')).text).toBe('Wrote supabase/tests/todos_test.sql');
    expect(await run('test', 'new', 'todos')).toMatchObject({ code: 1 });
    expect(await run('migration', 'new', '../todos')).toMatchObject({ code: 2 });
    expect((await readdir(join(project, 'supabase'))).toSorted()).toEqual([
      'functions',
      'migrations',
      'tests',
    ]);
  });
});
