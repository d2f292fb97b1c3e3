import { RESET_EMBEDDED } from '../database/connect.ts';
import type { PostgresSession } from '../database/postgres-session.ts';
import { message, splitMessages, type Message } from './messages.ts';

/** What a client has set in its session, to be set again at its next turn. */
export interface ClientSession {
  /** Names and values of changed settings, the role last. */
  settings: readonly (readonly [string, string])[];
  /** The unnamed statement, which any other client replaces. */
  unnamed: Buffer | undefined;
  /** The messages that prepared the named statements, by the name that they have in PostgreSQL's session. */
  readonly statements: Map<string, Buffer>;
  /** Where the statements are prepared; another client, or a crash, may have removed them since. None before the first turn. */
  preparedIn: string | undefined;
}

export interface Answer {
  readonly bytes: Buffer;
  /** `I` idle, `T` in a transaction, `E` in a failed one; none before the end of an answer. */
  readonly status: string | undefined;
  readonly isError: boolean;
}

/**
 * Sends messages to PostgreSQL. Notifications stay here: they are for the services that listen.
 *
 * @param answered types of messages that are left out of the answer.
 */
export async function send(
  pglite: PostgresSession,
  bytes: Buffer,
  answered: ReadonlySet<string> = new Set(),
): Promise<Answer> {
  const { data } = await pglite.execProtocol(bytes, { throwOnError: false });
  const messages = splitMessages(data);
  return {
    bytes: Buffer.concat(
      messages.filter(({ type }) => type !== 'A' && !answered.has(type)).map((one) => one.bytes),
    ),
    status: messages.findLast(isReady)?.bytes.toString('latin1', 5),
    isError: messages.some(({ type }) => type === 'E'),
  };
}

const isReady = ({ type }: Message): boolean => type === 'Z';

/** The settings that a client may change for its session, as they are; `role` is not in the view. */
const CHANGED_SETTINGS = `
  select name, setting from pg_settings
  where source = 'session' and context in ('user', 'superuser') and name not like 'transaction%'
  union all select 'role', current_setting('role')`;

/** Reads the settings of a client, and gives the session back as the services expect it. */
export async function leaveSession(pglite: PostgresSession, client: ClientSession): Promise<void> {
  const { rows } = await pglite.query<{ name: string; setting: string }>(CHANGED_SETTINGS);
  client.settings = rows.map(({ name, setting }) => [name, setting]);
  await pglite.exec(RESET_EMBEDDED);
}

/**
 * Sets what the client had set at the end of its last turn.
 *
 * @param place names the session and what prepared statements it can have.
 */
export async function enterSession(
  pglite: PostgresSession,
  client: ClientSession,
  place: string,
): Promise<void> {
  for (const [name, value] of client.settings)
    await pglite.query('select set_config($1, $2, false)', [name, value]);
  const lost =
    client.preparedIn === undefined || client.preparedIn === place ? [] : client.statements.values();
  client.preparedIn = place;
  for (const parse of [...lost, ...(client.unnamed ? [client.unnamed] : [])])
    await send(pglite, Buffer.concat([parse, message('S')]));
}
