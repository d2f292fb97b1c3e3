import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffSchemas } from '../src/command/diff-command.ts';

const TIMEOUT_MS = 120_000;
const command = fileURLToPath(new URL('../bin/local-supabase.js', import.meta.url));
let project: string;

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, 'supabase', path)), { recursive: true });
    await writeFile(join(project, 'supabase', path), text);
  }
}

const FIRST = 'create table public.todos (id int primary key, title text not null);';

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'diff-'));
  await write({ 'migrations/0001_first.sql': FIRST });
});
afterAll(() => rm(project, { recursive: true }));

const diff = () => diffSchemas(pathToFileURL(`${project}/supabase/`));

describe('the difference of schema files and migrations', { timeout: TIMEOUT_MS }, () => {
  it('needs schema files', async () => {
    await expect(diff()).rejects.toThrow('There are no schema files: write them into supabase/schemas');
  });

  it('is nothing for the same schema', async () => {
    await write({ 'schemas/todos.sql': FIRST });
    expect(await diff()).toEqual({ migrations: [], notes: [] });
  });

  it('is a migration that makes the schema, and names policies of the services', async () => {
    await write({
      'schemas/todos.sql': `create type public.state as enum ('open', 'done');
        create table public.todos (id int primary key, title text not null, state public.state not null default 'open');
        alter table public.todos enable row level security;
        create policy own on public.todos using (state = 'open');
        alter publication supabase_realtime add table public.todos;
        create function public.added() returns trigger language plpgsql as $$ begin return new; end $$;
        create trigger added after insert on auth.users for each row execute function public.added();
        create policy mine on storage.objects for select using (bucket_id = 'mine');`,
    });
    const { notes } = await diff();
    expect(notes).toEqual([
      'The policy mine on storage.objects differs: policies on tables of the services are not compared, write its migration',
    ]);
    const { status, stdout } = spawnSync(
      process.execPath,
      [command, 'db', 'diff', '-f', 'state', '--project', project],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Wrote supabase\/migrations\/\d{14}_state\.sql\n$/) as string,
    });
    const [, name = ''] = (await readdir(join(project, 'supabase/migrations'))).toSorted();
    const sql = await readFile(join(project, 'supabase/migrations', name), 'utf8');
    expect(sql).not.toContain('realtime_capture');
    expect((await diff()).migrations).toEqual([]);
  });
});
