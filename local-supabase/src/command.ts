import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LocalSupabaseOptions } from './project/options.ts';
import { readProjectConfig } from './project/project-config.ts';
import { StartError } from './http/start-error.ts';
import { supabaseFolder } from './project/project-folder.ts';
import { realisticTiming } from './realtime/settings.ts';
import { createLocalSupabase, type LocalSupabase } from './server.ts';
import { typesOf } from './types/types-command.ts';

const usage = `local-supabase start [options]
local-supabase types [--url postgres://…] [--schema a,b]

start: starts the services of a Supabase project until Ctrl-C, and prints their URLs and keys.
types: prints the database's types for TypeScript, those of the migrations or of the database at --url.

  --project FOLDER     the folder that contains supabase/; default the working directory
  --port N             the API's port; default 54321
  --mailbox-port N     the port of the page with received mails; default 54324
  --data-dir FOLDER    where the data is kept; default .local-supabase in the project's folder
  --in-memory          keep nothing`;

const options = {
  project: { type: 'string', default: '.' },
  port: { type: 'string', default: '54321' },
  'mailbox-port': { type: 'string', default: '54324' },
  'data-dir': { type: 'string' },
  'in-memory': { type: 'boolean', default: false },
  url: { type: 'string' },
  schema: { type: 'string', default: 'public' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Runs the command line `local-supabase …`.
 *
 * @returns the process's exit code: 0 after Ctrl-C or --help, 1 where the project cannot start, 2 for other arguments.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) {
      console.log(usage);
      return 0;
    }
    const [command] = positionals;
    if (positionals.length !== 1 || (command !== 'start' && command !== 'types'))
      throw new TypeError('Expected a command: start or types');
    if (command === 'types') {
      const { url, project, schema } = values;
      process.stdout.write(await typesOf({ url, project, schemas: schema.split(',') }));
      return 0;
    }
    const supabase = await createLocalSupabase(readOptions(values));
    console.log(describe(supabase));
    await stopSignal();
    await supabase.close();
    return 0;
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

interface Values {
  readonly project: string;
  readonly port: string;
  readonly 'mailbox-port': string;
  readonly 'data-dir'?: string | undefined;
  readonly 'in-memory': boolean;
}

function readOptions(values: Values): LocalSupabaseOptions {
  const project = resolve(values.project);
  const folder = supabaseFolder(project);
  if (!existsSync(folder))
    throw new StartError(
      `There is no folder ${fileURLToPath(folder)}: --project names the folder that contains supabase/`,
    );
  const { options: settings, withoutEffect } = readConfig(project);
  if (withoutEffect.length > 0)
    console.warn(`supabase/config.toml: no effect on the local Supabase: ${withoutEffect.join(', ')}`);
  return {
    ...settings,
    project,
    port: readPort(values.port),
    mailboxPort: readPort(values['mailbox-port']),
    ...(!values['in-memory'] && { dataDir: resolve(values['data-dir'] ?? join(project, '.local-supabase')) }),
    realtime: realisticTiming,
  };
}

function readConfig(project: string): ReturnType<typeof readProjectConfig> {
  try {
    return readProjectConfig({ project });
  } catch (problem) {
    throw new StartError(problem instanceof Error ? problem.message : String(problem), problem);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError(`"${text}" is no port`);
  return port;
}

function describe({
  url,
  mailboxUrl,
  anonKey,
  publishableKey,
  serviceRoleKey,
  secretKey,
}: LocalSupabase): string {
  const lines = [
    ['API URL', url],
    ['Mailbox', mailboxUrl ?? ''],
    ['Publishable key', publishableKey],
    ['Secret key', secretKey],
    ['anon key', anonKey],
    ['service_role key', serviceRoleKey],
  ];
  return [...lines.map(([name = '', value]) => `  ${name.padEnd(16)} ${value}`), '', '  Ctrl-C stops.'].join(
    '\n',
  );
}

function stopSignal(): Promise<void> {
  return new Promise((resolveSignal) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolveSignal());
  });
}
