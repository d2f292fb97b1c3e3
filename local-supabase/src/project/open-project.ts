import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { openDatabase } from './open-database.ts';
import type { DatabaseOptions, OpenDatabase } from './open-database.ts';
import { SchemaError } from './run-script.ts';
import { createTokenKeys } from '../keys/keys.ts';
import type { ApiKeySettings, TokenKeys } from '../keys/keys.ts';
import { createMailbox } from '../mailbox/mailbox.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import { StartError } from '../http/start-error.ts';

/** The parts of a project, restored from its folder, or new and in memory without a folder. */
export interface OpenProject extends OpenDatabase {
  readonly keys: TokenKeys;
  readonly mailbox: Mailbox;
}

/** @throws {StartError} if the project's SQL is refused, or the folder's data cannot be used. */
export async function openProject(
  folder: DataFolder | undefined,
  now: () => number,
  options: Omit<DatabaseOptions, 'dataDir'> & { readonly apiKeys?: ApiKeySettings | undefined } = {},
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
  options: Omit<DatabaseOptions, 'dataDir'>,
): Promise<OpenDatabase> {
  try {
    if (dataDir === undefined) return await openDatabase(options);
    mkdirSync(dataDir, { recursive: true });
    return await openDatabase({ ...options, dataDir });
  } catch (problem) {
    if (problem instanceof StartError) throw problem;
    if (problem instanceof SchemaError) throw new StartError(explain(problem, dataDir), problem);
    if (dataDir === undefined) throw problem;
    const reason = problem instanceof Error ? problem.message.split('\n')[0] : String(problem);
    throw new StartError(
      `The data folder ${dataDir} cannot be read, it may be corrupt: ${reason}. Keep a copy of it; to begin anew without its data: local-supabase reset`,
      problem,
    );
  }
}

/** A refused migration leaves the rows of an existing database as they are. */
const explain = ({ message }: SchemaError, dataDir: string | undefined): string =>
  dataDir === undefined || !existsSync(join(dataDir, 'PG_VERSION'))
    ? message
    : `${message}\nThe data in ${dataDir} is kept.`;
