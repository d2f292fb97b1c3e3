import { Client, types, type QueryArrayResult, type QueryResult } from 'pg';
import type { QueryOptions, Results } from '@electric-sql/pglite';
import { toDatabaseCrash, type DatabaseCrash } from '../database/database-crash.ts';
import type { PipelineResult, TextRow } from '../database/protocol.ts';
import type { RemoteSession } from '../database/postgres-session.ts';
import { resultParsers } from '../database/result-parsers.ts';
import { inTransaction, Listeners } from './remote-session.ts';

type Parse = (value: string) => unknown;

/** Types that the driver would convert to its own objects. */
const INTERVAL = 1186;
const POINT = 600;
const CIRCLE = 718;
const asText: Parse = (value) => value;
const parsers: Readonly<Record<number, Parse>> = {
  ...(resultParsers as Readonly<Record<number, Parse>>),
  [INTERVAL]: asText,
  [POINT]: asText,
  [CIRCLE]: asText,
};
const valueTypes = {
  getTypeParser: (type: number): Parse => parsers[type] ?? (types.getTypeParser(type) as Parse),
};
const textTypes = { getTypeParser: () => asText };

/** @throws {Error} for operations that PostgreSQL in WebAssembly supports and a client of a server does not. */
const refuse = (what: string): Promise<never> =>
  Promise.reject(new Error(`${what} is not possible with --database-url: it needs the embedded PostgreSQL`));

/** The connection of a session, which fails every call after its end. */
class Connection {
  readonly client: Client;
  readonly listeners = new Listeners();
  readonly #url: string;
  #crash: DatabaseCrash | undefined;
  #isClosing = false;
  #pid = 0;

  constructor(url: string) {
    this.#url = url;
    this.client = new Client({
      connectionString: url,
      types: valueTypes,
      application_name: 'local-supabase',
    });
    this.client.on('error', (problem) => this.#fail(problem));
    this.client.on('end', () => {
      if (!this.#isClosing) this.#fail(new Error('the connection ended'));
    });
    this.client.on('notification', ({ channel, payload }) => this.listeners.notify(channel, payload ?? ''));
  }

  async open(): Promise<void> {
    await this.client.connect();
    const own = await this.client.query<{ pid: number; is_superuser: boolean }>(
      `select pg_backend_pid() as pid, current_setting('is_superuser')::boolean as is_superuser`,
    );
    const [self] = own.rows;
    if (!self?.is_superuser) {
      await this.close();
      throw new Error(
        'The user of --database-url has to be a superuser: the services take the roles of their callers',
      );
    }
    this.#pid = self.pid;
  }

  #fail(problem: Error): void {
    this.#crash ??= toDatabaseCrash(problem);
  }

  readonly crash = (): DatabaseCrash | undefined => this.#crash;

  async whileAlive<T>(task: () => Promise<T>): Promise<T> {
    if (this.#crash) throw this.#crash;
    try {
      return await task();
    } catch (problem) {
      throw this.#crash ?? problem;
    }
  }

  async cancel(): Promise<void> {
    const other = new Client({ connectionString: this.#url });
    await other.connect();
    await other.query('select pg_cancel_backend($1)', [this.#pid]);
    await other.end();
  }

  async terminate(): Promise<void> {
    this.#fail(new Error('the database was terminated during a statement'));
    await this.close();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.client.end();
  }
}

/**
 * A session of a real PostgreSQL, instead of the embedded one.
 *
 * @throws {Error} if the server is unreachable, or the user is not a superuser: the services assume the roles of their
 * callers.
 */
export async function startServerSession(url: string): Promise<RemoteSession> {
  const connection = new Connection(url);
  await connection.open();
  const { client, crash, listeners } = connection;
  const query: RemoteSession['query'] = <T>(
    text: string,
    params: unknown[] = [],
    options: QueryOptions = {},
  ) =>
    connection.whileAlive(async () => {
      const values = params.map(toParameter);
      if (options.rowMode !== 'array') return resultsOf<T>(await client.query({ text, values }));
      return resultsOf<T>(await client.query({ text, values, rowMode: 'array' }));
    });
  const exec: RemoteSession['exec'] = (text, { rowMode } = {}) =>
    connection.whileAlive(async () => {
      const results = rowMode === 'array' ? client.query({ text, rowMode }) : client.query(text);
      return [await results].flat().map((one) => resultsOf(one));
    });
  return {
    isRemote: true,
    query,
    exec,
    pipeline: (statements) =>
      connection.whileAlive(async () => {
        const results: PipelineResult[] = [];
        for (const { text, values = [] } of statements) {
          const statement = { text, values: [...values], rowMode: 'array' as const, types: textTypes };
          results.push(textResult(await client.query(statement)));
        }
        return results;
      }),
    execProtocol: () => refuse('A message of the protocol'),
    transaction: (task) => inTransaction({ query, exec, crash }, task),
    listen: (channel, listener) =>
      listeners.add(channel, listener, {
        listen: () => exec(`listen ${channel}`),
        unlisten: () => exec(`unlisten ${channel}`),
      }),
    dumpDataDir: () => refuse('A dump of the files'),
    // A server's extensions come from its files.
    writeFiles: () => Promise.resolve(),
    setAhead: (byMs) => (byMs === 0 ? Promise.resolve() : refuse('Moving the clock of SQL')),
    crash,
    cancel: () => connection.cancel(),
    terminate: () => connection.terminate(),
    close: () => connection.close(),
  };
}

/** The driver writes a list as a PostgreSQL array, and other values as text or JSON. */
const toParameter = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

function resultsOf<T>({ rows, fields, rowCount }: QueryResult | QueryArrayResult): Results<T> {
  return {
    rows: rows as T[],
    fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })),
    affectedRows: rowCount ?? 0,
  };
}

const textResult = ({ rows, fields }: QueryArrayResult): PipelineResult => ({
  types: fields.map(({ dataTypeID }) => dataTypeID),
  rows: rows as TextRow[],
});
