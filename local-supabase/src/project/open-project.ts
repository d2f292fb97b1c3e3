import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { openClusterDatabase } from './open-cluster-database.ts';
import { openDatabase } from './open-database.ts';
import type { DatabaseOptions, OpenDatabase } from './open-database.ts';
import { openServerDatabase } from './open-server-database.ts';
import { SchemaError } from './run-script.ts';
import type { PostgresVersion } from '../database/cluster/binaries.ts';
import { createTokenKeys } from '../keys/keys.ts';
import type { ApiKeySettings, TokenKeys } from '../keys/keys.ts';
import { createMailbox } from '../mail/mailbox.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import { StartError } from '../platform/start-error.ts';

/** The parts of a project, restored from its folder, or new and in memory without a folder. */
export interface OpenProject extends OpenDatabase {
  readonly keys: TokenKeys;
  readonly mailbox: Mailbox;
}

export interface ProjectOptions extends Omit<DatabaseOptions, 'dataDir'> {
  readonly apiKeys?: ApiKeySettings | undefined;
  /** The URL of a real PostgreSQL. Default: the embedded one. */
  readonly databaseUrl?: string | undefined;
  /** The version of a PostgreSQL beside the services, and its port; 0 takes a free one. Default: the embedded one. */
  readonly postgres?: { readonly version: PostgresVersion; readonly port: number } | undefined;
}

/** @throws {StartError} if the project's SQL is rejected, or the folder's data cannot be used. */
export async function openProject(
  folder: DataFolder | undefined,
  now: () => number,
  options: ProjectOptions = {},
): Promise<OpenProject> {
  const keys = await createTokenKeys({
    now,
    apiKeys: options.apiKeys,
    saved: folder?.keys.load(),
    onChange: (saved) => Promise.resolve(folder?.keys.save(saved)),
  });
  const mailbox = createMailbox({ now, initial: folder?.mails.load() ?? [] });
  if (folder) mailbox.subscribe(() => folder.mails.save(mailbox.messages()));
  return { keys, mailbox, ...(await open(folder?.databaseDir, options)) };
}

async function open(
  dataDir: string | undefined,
  { databaseUrl, postgres, ...options }: ProjectOptions,
): Promise<OpenDatabase> {
  try {
    if (databaseUrl !== undefined) return await openServerDatabase(databaseUrl, options);
    if (postgres !== undefined)
      return await openClusterDatabase({
        ...options,
        postgres: postgres.version,
        port: postgres.port,
        dataDir: dataDir && `${dataDir}-${postgres.version}`,
      });
    if (dataDir === undefined) return await openDatabase(options);
    mkdirSync(dataDir, { recursive: true });
    return await openDatabase({ ...options, dataDir });
  } catch (problem) {
    if (problem instanceof StartError) throw problem;
    if (problem instanceof SchemaError)
      throw new StartError(explain(problem, databaseUrl === undefined ? dataDir : undefined), problem);
    if (dataDir === undefined || databaseUrl !== undefined || postgres !== undefined) throw problem;
    const reason = problem instanceof Error ? problem.message.split('\n')[0] : String(problem);
    throw new StartError(
      `The database in ${dataDir} cannot be read and may be corrupt: ${reason}. Nothing was changed. To continue, rename that folder and start again. The database then has the migrations and the seed, but not its rows and accounts; keys and mails remain`,
      problem,
    );
  }
}

/** The error for a rejected migration, which does not change the rows of an existing database. */
const explain = ({ message }: SchemaError, dataDir: string | undefined): string =>
  dataDir === undefined || !existsSync(join(dataDir, 'PG_VERSION'))
    ? message
    : `${message}\nThe data in ${dataDir} is kept.`;
