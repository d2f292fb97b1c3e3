import { mkdirSync } from 'node:fs';
import type { DataFolder } from './data-folder.ts';
import { openDatabase } from './open-database.ts';
import type { OpenDatabase } from './open-database.ts';
import { SchemaError } from './schema.ts';
import { createTokenKeys } from '../keys/keys.ts';
import type { TokenKeys } from '../keys/keys.ts';
import { createMailbox } from '../mailbox/mailbox.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import { StartError } from '../http/start-error.ts';

/** The parts of a project, restored from its folder, or new and in memory without a folder. */
export interface OpenProject extends OpenDatabase {
  readonly keys: TokenKeys;
  readonly mailbox: Mailbox;
}

const ADVICE = 'Empty it with: npm run reset';

/** @throws {StartError} if the folder's data cannot be used. */
export async function openProject(
  folder: DataFolder | undefined,
  seed: boolean,
  now: () => number,
  project?: URL,
): Promise<OpenProject> {
  const keys = await createTokenKeys({
    now,
    saved: folder?.keys.load(),
    onChange: (saved) => Promise.resolve(folder?.keys.save(saved)),
  });
  const mailbox = createMailbox({ now, initial: folder?.mails.load() ?? [] });
  if (folder) mailbox.subscribe(() => folder.mails.save(mailbox.messages()));
  return { keys, mailbox, ...(await open(folder?.databaseDir, seed, project)) };
}

async function open(
  dataDir: string | undefined,
  seed: boolean,
  project: URL | undefined,
): Promise<OpenDatabase> {
  if (dataDir === undefined) return openDatabase({ seed, project });
  try {
    mkdirSync(dataDir, { recursive: true });
    return await openDatabase({ dataDir, seed, project });
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message.split('\n')[0] : String(problem);
    if (problem instanceof SchemaError) {
      throw new StartError(
        `The data folder ${dataDir} is from another version: ${reason}. Start that version to use its data, or empty the folder with: npm run reset`,
        problem,
      );
    }
    throw new StartError(
      `The data folder ${dataDir} cannot be read, it may be corrupt: ${reason}. ${ADVICE}`,
      problem,
    );
  }
}
