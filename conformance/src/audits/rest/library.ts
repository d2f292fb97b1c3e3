import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { scaleDeadline } from '../../target/deadlines.ts';
import { shareInRun } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';
import { at, type WireRequest, type WireResponse } from '../../target/wire.ts';
import { CREATE_LIBRARY } from '../../schema/library-sql.ts';
import { asService } from './callers.ts';

const loadingMs = 30_000;
const pauseMs = 100;

/** Sends an anonymous request about the objects of the library: `/books` is the table `conformance_books`. */
export type Library = (method: string, path: string, request?: WireRequest) => Promise<WireResponse>;

/**
 * Creates the library's tables and functions with the access to the database, and waits until the REST service has
 * read them. `removeRun` removes them.
 *
 * @throws NotRunError on a target whose database is not the audits' to change.
 */
export const openLibrary = shareInRun(async (context: AuditContext): Promise<Library> => {
  if (context.target.createsTables !== true)
    throw new NotRunError('no tables may be created there without --apply-schema');
  await context.query(CREATE_LIBRARY);
  const send: Library = (method, path, request) =>
    context.rest.send(method, path.replace(/^(\/rpc)?\//, '$1/conformance_'), request);
  const limitMs = scaleDeadline(loadingMs);
  for (const startedMs = performance.now(); ;) {
    const tables = await send('GET', '/titles', { query: { limit: '0' } });
    const functions = await send('POST', '/rpc/add', { body: { a: 1 } });
    if (tables.status === 200 && functions.status === 200) return send;
    if (performance.now() - startedMs > limitMs)
      assert.fail(
        `the REST service knows new tables and functions within ${limitMs} ms`,
        `${tables.status} ${functions.status}`,
      );
    await delay(pauseMs);
  }
});

const headerNames = [
  'content-location',
  'content-profile',
  'content-range',
  'content-type',
  'location',
  'preference-applied',
  'proxy-status',
  'www-authenticate',
];

/** The headers of the REST service in a response. */
export function serviceHeadersOf({ headers }: WireResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headerNames.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The major version of PostgREST, from the description of the schema; undefined if the server does not tell. */
const readVersion = shareInRun(async (context: AuditContext): Promise<number | undefined> => {
  if (context.target.serviceKey === null) return undefined;
  const { json } = await asService(context)('GET', '/');
  const [, major] = /^(\d+)\./.exec(String(at(json, 'info', 'version'))) ?? [];
  return major === undefined ? undefined : Number(major);
});

/** @throws NotRunError unless the server tells that it is PostgREST of at least this major version. */
export async function requireVersion(context: AuditContext, least: number): Promise<void> {
  const version = await readVersion(context);
  if (version === undefined) throw new NotRunError('the version of the REST service is unknown');
  if (version < least) throw new NotRunError(`the REST service is older than version ${least}`);
}
