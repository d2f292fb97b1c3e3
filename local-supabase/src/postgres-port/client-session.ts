import { become } from '../database/connect.ts';
import { hasSqlState } from '../database/database-error.ts';
import type { PostgresSession } from '../database/postgres-session.ts';
import { message, splitMessages, type Message } from './messages.ts';

/** The session state of a client, restored at its next turn. */
export interface ClientSession {
  /** The role that the client has signed in as. */
  user: string;
  /** Names and values of changed settings; the session's user, the role and the timeout last. */
  settings: readonly (readonly [string, string])[];
  /** The parse message of the unnamed statement, which other clients replace. */
  unnamed: Buffer | undefined;
  /** The parse messages of the named statements, by their name in PostgreSQL's session. */
  readonly statements: Map<string, Buffer>;
  /**
   * The place where the statements were prepared; another client or a crash may have removed them since. Undefined
   * before the first turn.
   */
  preparedIn: string | undefined;
}

export interface PortResponse {
  readonly bytes: Buffer;
  /** `I` idle, `T` in a transaction, `E` in a failed one; undefined before the response is complete. */
  readonly status: string | undefined;
  readonly isError: boolean;
}

/**
 * Sends messages to PostgreSQL and returns the response without notifications, which are for the services.
 *
 * @param sentTypes message types to omit from the response.
 */
export async function send(
  pglite: PostgresSession,
  bytes: Buffer,
  sentTypes: ReadonlySet<string> = new Set(),
): Promise<PortResponse> {
  const { data } = await pglite.execProtocol(bytes, { throwOnError: false });
  const messages = splitMessages(data);
  return {
    bytes: Buffer.concat(
      messages.filter(({ type }) => type !== 'A' && !sentTypes.has(type)).map((one) => one.bytes),
    ),
    status: messages.findLast(isReady)?.bytes.toString('latin1', 5),
    isError: messages.some(({ type }) => type === 'E'),
  };
}

const isReady = ({ type }: Message): boolean => type === 'Z';

/** The settings that a client has changed in its session; the view lacks the users. */
const CHANGED_SETTINGS = `
  select name, setting from pg_catalog.pg_settings
  where source = 'session' and context in ('user', 'superuser') and name not like 'transaction%'
    and name <> 'statement_timeout'
  union all select 'session_authorization', session_user
  union all select 'role', current_setting('role')`;

const READ_SETTINGS = `
  select 'statement_timeout' as name, current_setting('statement_timeout') as setting;
  set statement_timeout = 0; ${CHANGED_SETTINGS}`;
/** A timeout of a millisecond may end the statement that reads it. */
const MAX_READS = 50;

/** Saves the settings of a client, before the session is given back. */
export async function saveSettings(pglite: PostgresSession, client: ClientSession): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [timeout, , others] = await pglite.exec(READ_SETTINGS);
      // Restore the timeout last, so that it does not end the statements that restore the others.
      const rows = [...(others?.rows ?? []), ...(timeout?.rows ?? [])] as { name: string; setting: string }[];
      client.settings = rows.map(({ name, setting }) => [name, setting]);
      return;
    } catch (problem) {
      if (!hasSqlState(problem, '57014') || attempt === MAX_READS) throw problem;
    }
  }
}

/**
 * Restores the state from the end of the client's last turn.
 *
 * @param sessionKey identifies the session and the prepared statements that it can contain.
 */
export async function restoreSession(
  pglite: PostgresSession,
  client: ClientSession,
  sessionKey: string,
): Promise<void> {
  if (client.settings.length === 0) await become(pglite, client.user);
  // Keep the order: the other settings may need the superuser of the services.
  for (const [name, value] of client.settings)
    await pglite.query('select set_config($1, $2, false)', [name, value]);
  const lost =
    client.preparedIn === undefined || client.preparedIn === sessionKey ? [] : client.statements.values();
  client.preparedIn = sessionKey;
  for (const parse of [...lost, ...(client.unnamed ? [client.unnamed] : [])])
    await send(pglite, Buffer.concat([parse, message('S')]));
}
