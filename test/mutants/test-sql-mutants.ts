/**
 * `npm run test:mutants:sql -- --seed 1 --count 100`: draws mutants of the migrations' SQL by a seed, runs the tests that
 * call the changed object with each, and lists the mutants that no test notices.
 */
import * as fc from 'fast-check';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createLocalSupabase } from 'local-supabase';
import { startVitest } from 'vitest/node';
import { mutantsOf, sqlObjects } from './sql-mutants.ts';
import type { SqlMutant, SqlObject } from './sql-mutants.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    /** Only mutants of objects whose name contains it. */
    only: { type: 'string', default: '' },
    /** The maximum number of test files for one mutant. */
    files: { type: 'string', default: '12' },
    /** Only the mutants of the draw with these numbers, separated by commas. */
    ids: { type: 'string' },
    /** The test files, separated by commas. Default: those that call the changed object. */
    tests: { type: 'string' },
  },
});
const folder = 'test-results/sql-mutants';
const callsFolder = `${folder}/calls`;

const testFiles = ['test/supabase', 'test/integration', 'inbox-sender/test'].flatMap((path) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.test.ts') && !name.includes('.nightly.'))
    .map((name) => `${path}/${name}`)
    .filter((file) => readFileSync(file, 'utf8').includes('useLocalSupabase')),
);
const migrations = readdirSync('supabase/migrations').filter((name) => name.endsWith('.sql'));
const objects = migrations.flatMap((name) =>
  sqlObjects(name, readFileSync(`supabase/migrations/${name}`, 'utf8')),
);

/** Run by the migrations alone: another definition in a migrated database changes nothing. */
const ofMigrations = new Set(['function private.hide_statistics', 'function private.require_assurance_on']);

/** The first mutants of the order that PostgreSQL accepts. */
async function draw(): Promise<readonly SqlMutant[]> {
  const supabase = await createLocalSupabase({ config: false });
  const drawn: SqlMutant[] = [];
  const candidates = objects
    .filter(({ name }) => name.includes(values.only) && !ofMigrations.has(name))
    .flatMap(mutantsOf);
  const all = { minLength: candidates.length };
  const [order = []] = fc.sample(fc.shuffledSubarray(candidates, all), {
    seed: Number(values.seed),
    numRuns: 1,
  });
  for (const mutant of order) {
    if (drawn.length === Number(values.count)) break;
    const isAccepted = await supabase.database.exec(`begin; ${mutant.sql}; rollback`).then(
      () => true,
      () => false,
    );
    if (isAccepted) drawn.push(mutant);
    else await supabase.database.exec('rollback');
  }
  await supabase.close();
  return drawn;
}

/** The tests of a file; null: all. */
interface Tests {
  readonly file: string;
  readonly names: readonly string[] | null;
}

/** A file of Vitest that runs tests of other files until one fails. `hooks` are statements about their databases. */
const specOf = (files: readonly Tests[], id: string, hooks: string) => `
  import { writeFileSync } from 'node:fs';
  import { afterEach, beforeAll, beforeEach, describe } from 'vitest';
  import { databaseHooks } from '../../test/support/local-supabase.ts';
  const nameOf = (task) => (task.suite ? nameOf(task.suite) + ' > ' : '') + task.name;
  const names = ${JSON.stringify(files)}.map(({ file, names }) => names ?? file);
  const isChosen = (name) => names.some((chosen) => (Array.isArray(chosen) ? chosen.includes(name) : name.startsWith(chosen)));
  let hasFailed = false;
  beforeEach((context) => { if (hasFailed || !isChosen(nameOf(context.task))) context.skip(); });
  afterEach(({ task }) => { hasFailed ||= task.result?.state === 'fail'; });
  ${hooks}
  ${files.map(({ file }) => `describe('${file}', async () => { await import('../../${file}?${id}'); });`).join('\n')}`;

/** Runs the generated files. */
async function run(onEnd: (id: string, failure: string | undefined) => void): Promise<void> {
  const vitest = await startVitest('test', [], {
    config: false,
    watch: false,
    silent: true,
    isolate: false,
    include: [`${folder}/*.test.ts`],
    testTimeout: 90_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
    reporters: [
      {
        onTestModuleEnd: (module) => {
          const [failed] = module.children.allTests('failed');
          const failure = module.state() === 'passed' ? undefined : (failed?.fullName ?? 'no test');
          onEnd(module.moduleId.replace(/^.*\/|\.test\.ts$/g, ''), failure);
        },
      },
    ],
  });
  await vitest.close();
}

function clean(): void {
  mkdirSync(callsFolder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith('.test.ts')) rmSync(`${folder}/${name}`);
}

/** How often a test calls each function; under the name `setup`, what runs before the tests of a file. */
type Calls = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The calls of each test file, counted by PostgreSQL in a run without mutants. */
async function countCalls(): Promise<ReadonlyMap<string, Calls>> {
  const path = (file: string) => `${callsFolder}/${file.replaceAll('/', '-')}.json`;
  const changedMs = (file: string) => (existsSync(file) ? statSync(file).mtimeMs : 0);
  const schemaMs = Math.max(...migrations.map((name) => changedMs(`supabase/migrations/${name}`)));
  const uncounted = testFiles.filter((file) => changedMs(path(file)) < Math.max(schemaMs, changedMs(file)));
  clean();
  for (const file of uncounted) {
    const hooks = `
      const calls = {};
      let [database, counted] = [undefined, {}];
      const count = async (name) => {
        await database?.exec("set track_functions = 'all'; select pg_stat_force_next_flush()");
        const rows = (await database?.query("select schemaname || '.' || funcname as name, sum(calls)::int as calls from pg_stat_user_functions group by 1")) ?? [];
        const now = Object.fromEntries(rows.map((row) => [row.name, row.calls]));
        const added = Object.entries(now).map(([key, count]) => [key, count - (counted[key] ?? 0)]).filter(([, count]) => count > 0);
        calls[name] = { ...calls[name], ...Object.fromEntries(added) };
        counted = now;
      };
      beforeAll(() => {
        databaseHooks.begin = async (begun) => { database = begun; counted = {}; await count('start'); delete calls.start; };
        databaseHooks.end = async () => { database = undefined; writeFileSync('${path(file)}', JSON.stringify(calls)); };
      });
      beforeEach(() => count('setup'));
      afterEach(({ task }) => count(nameOf(task)));`;
    writeFileSync(
      `${folder}/${file.replaceAll(/\W/g, '-')}.test.ts`,
      specOf([{ file, names: null }], 'calls', hooks),
    );
  }
  if (uncounted.length > 0)
    await run((id, failure) => {
      if (failure !== undefined) throw new Error(`${id} fails without a mutant: ${failure}`);
    });
  return new Map(testFiles.map((file) => [file, JSON.parse(readFileSync(path(file), 'utf8')) as Calls]));
}

/** The tests that use an object, those of the files first that use rare functions of its migration. */
function testsOf(object: SqlObject, calls: ReadonlyMap<string, Calls>): readonly Tests[] {
  const functionOf = ({ name, sql }: SqlObject) =>
    /execute function ([\w.]+)/.exec(sql)?.[1] ?? name.split(' ')[1] ?? '';
  const usersOf = (file: string, functions: readonly string[]) =>
    Object.entries(calls.get(file) ?? {})
      .filter(([, called]) => functions.some((name) => name in called))
      .map(([test]) => test);
  const using = (functions: readonly string[]) =>
    testFiles.flatMap((file) => {
      const users = usersOf(file, functions);
      return users.length === 0 ? [] : [{ file, names: users.includes('setup') ? null : users }];
    });
  const own = functionOf(object);
  const isRefusing = /\braise\b|\brefuse_/.test(object.sql);
  const direct = using([own]);
  // PostgreSQL inlines some functions of the language SQL: then the calls of their callers count.
  const callers = objects.filter((other) => other !== object && other.sql.includes(own)).map(functionOf);
  const found = direct.length > 0 ? direct : using(callers);
  const rarities = objects
    .filter(({ file }) => file === object.file)
    .map((neighbor) => using([functionOf(neighbor)]).map(({ file }) => file));
  const weight = (file: string) =>
    rarities.reduce((sum, files) => sum + (files.includes(file) ? 1 / files.length : 0), 0);
  return (
    (found.length > 0 ? found : testFiles.map((file) => ({ file, names: null })))
      .toSorted((a, b) => weight(b.file) - weight(a.file))
      .slice(0, Number(values.files))
      // PostgreSQL does not count a call that fails, so files run whole where it may be what a test expects.
      .map(({ file, names }, rank) => ({ file, names: rank < 3 || isRefusing ? null : names }))
  );
}

const calls = await countCalls();
const mutants = await draw();
const ids = values.ids?.split(',').map(Number) ?? [...mutants.keys()];
clean();
for (const index of ids) {
  const mutant = mutants[index];
  if (!mutant) continue;
  const sql = JSON.stringify(`${mutant.sql}; set statement_timeout = '30s'`);
  const hooks = `beforeAll(() => { databaseHooks.begin = (database) => database.exec(${sql}); delete databaseHooks.end; });`;
  const tests =
    values.tests?.split(',').map((file) => ({ file, names: null })) ?? testsOf(mutant.object, calls);
  writeFileSync(`${folder}/${index}.test.ts`, specOf(tests, `mutant=${index}`, hooks));
}
let noticed = 0;
await run((id, failure) => {
  const mutant = mutants[Number(id)];
  if (!mutant) return;
  if (failure !== undefined) noticed += 1;
  const { object, line, before, after } = mutant;
  const change = `${before.replaceAll(/\s+/g, ' ')} → ${after}`;
  console.log(
    `${failure === undefined ? 'survived' : 'noticed '} ${id} ${object.file}:${line} ${object.name}: ${change}${failure === undefined ? '' : ` [${failure}]`}`,
  );
});
console.log(`${noticed} of ${ids.length} mutants are noticed`);
