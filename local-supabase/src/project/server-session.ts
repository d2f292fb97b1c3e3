import { Client, types, type QueryArrayResult, type QueryResult } from 'pg';
import type { QueryOptions, Results, Transaction } from '@electric-sql/pglite';
import { toDatabaseCrash, type DatabaseCrash } from '../database/database-crash.ts';
import type { PipelineResult, TextRow } from '../database/protocol.ts';
import type { RemoteSession } from '../database/postgres-session.ts';
import { resultParsers } from '../database/result-parsers.ts';

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

/**
 * A session of a real PostgreSQL, instead of the embedded one.
 *
 * @throws {Error} if the server is unreachable, or the user is not a superuser: the services assume the roles of their
 * callers.
 */
export async function startServerSession(url: string): Promise<RemoteSession> {
  const client = new Client({ connectionString: url, types: valueTypes, application_name: 'local-supabase' });
  let crash: DatabaseCrash | undefined;
  let isClosing = false;
  client.on('error', (problem) => {
    crash ??= toDatabaseCrash(problem);
  });
  client.on('end', () => {
    if (!isClosing) crash ??= toDatabaseCrash(new Error('the connection ended'));
  });
  await client.connect();
  const listeners = new Map<string, Set<(payload: string) => void>>();
  client.on('notification', ({ channel, payload }) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload ?? '');
  });
  const own = await client.query<{ pid: number; is_superuser: boolean }>(
    `select pg_backend_pid() as pid, current_setting('is_superuser')::boolean as is_superuser`,
  );
  const [self] = own.rows;
  if (!self?.is_superuser) {
    isClosing = true;
    await client.end();
    throw new Error(
      'The user of --database-url has to be a superuser: the services take the roles of their callers',
    );
  }
  const alive = async <T>(task: () => Promise<T>): Promise<T> => {
    if (crash) throw crash;
    try {
      return await task();
    } catch (problem) {
      throw crash ?? problem;
    }
  };
  const query: RemoteSession['query'] = <T>(
    text: string,
    params: unknown[] = [],
    options: QueryOptions = {},
  ) =>
    alive(async () => {
      const values = params.map(toParameter);
      if (options.rowMode !== 'array') return resultsOf<T>(await client.query({ text, values }));
      return resultsOf<T>(await client.query({ text, values, rowMode: 'array' }));
    });
  const exec: RemoteSession['exec'] = (text, { rowMode } = {}) =>
    alive(async () => {
      const answer = rowMode === 'array' ? client.query({ text, rowMode }) : client.query(text);
      return [await answer].flat().map((one) => resultsOf(one));
    });
  return {
    isRemote: true,
    query,
    exec,
    pipeline: (statements) =>
      alive(async () => {
        const results: PipelineResult[] = [];
        for (const { text, values } of statements)
          results.push(
            textResult(
              await client.query({ text, values: [...(values ?? [])], rowMode: 'array', types: textTypes }),
            ),
          );
        return results;
      }),
    execProtocol: () => refuse('A message of the protocol'),
    async transaction(task) {
      await exec('begin');
      try {
        const result = await task({ query, exec } as Transaction);
        await exec('commit');
        return result;
      } catch (problem) {
        if (!crash) await exec('rollback');
        throw problem;
      }
    },
    async listen(channel, listener) {
      const name = channel.startsWith('"')
        ? channel.slice(1, -1).replaceAll('""', '"')
        : channel.toLowerCase();
      const others = listeners.get(name) ?? new Set();
      listeners.set(name, others.add(listener));
      await exec(`listen ${channel}`);
      return async () => {
        others.delete(listener);
        if (others.size === 0) await exec(`unlisten ${channel}`);
      };
    },
    dumpDataDir: () => refuse('A dump of the files'),
    // A server's extensions come from its files.
    writeFiles: () => Promise.resolve(),
    setAhead: (byMs) => (byMs === 0 ? Promise.resolve() : refuse('Moving the clock of SQL')),
    crash: () => crash,
    async cancel() {
      const other = new Client({ connectionString: url });
      await other.connect();
      await other.query('select pg_cancel_backend($1)', [self.pid]);
      await other.end();
    },
    async terminate() {
      crash ??= toDatabaseCrash(new Error('it was ended while a statement ran'));
      isClosing = true;
      await client.end();
    },
    async close() {
      isClosing = true;
      await client.end();
    },
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
