import * as fc from 'fast-check';
import type { Database } from '../../src/database/database.ts';
import type { PgliteDatabase } from '../../src/database/pglite-database.ts';
import type { PostgRest } from '../../src/services/rest/postgrest.ts';
import type { RawRequest } from '../../src/services/rest/request/api-request.ts';
import { arbitraryRequest } from './arbitrary-request.ts';

export const MAX_MS = 5000;

/**
 * Sends generated requests. After each, checks that the session has the superuser's role and no transaction, and that
 * the next request gets a response.
 */
export async function fuzz(
  rest: PostgRest,
  database: PgliteDatabase,
  options: { readonly numRuns: number; readonly seed?: number },
): Promise<void> {
  const hasResponse = fc.asyncProperty(arbitraryRequest, pickRole, async (request, role) => {
    const startMs = performance.now();
    const response = await rest.handle(request, { role });
    const problem =
      wrongResponse(request, response.status, response.body) ??
      (performance.now() - startMs > MAX_MS ? 'slow' : undefined) ??
      (await leftBehind(database)) ??
      (await nextResponse(rest));
    if (problem !== undefined) throw new Error(`${request.method} ${request.target}: ${problem}`);
  });
  await fc.assert(hasResponse, {
    ...options,
    interruptAfterTimeLimit: 600_000,
    markInterruptAsFailure: true,
  });
}

const pickRole = fc.constantFrom('service_role', 'authenticated', 'anon');

function wrongResponse(
  { method }: RawRequest,
  status: number,
  body: string | Uint8Array,
): string | undefined {
  if (status < 200 || status > 599) return `status ${status}`;
  if (status < 400 || method === 'HEAD') return undefined;
  // PostgREST itself crashes on bytes that are not UTF-8 and on a relation's negative limit.
  if (status === 500 && body === 'Something went wrong') return undefined;
  const { code } = JSON.parse(body.toString()) as { readonly code?: unknown };
  return typeof code === 'string' && !code.startsWith('XX') ? undefined : `error ${body.toString()}`;
}

export async function leftBehind(database: Database): Promise<string | undefined> {
  // A local setting survives a statement only within an open transaction.
  await database.query(`select set_config('fuzz.mark', 'set', true)`);
  const [session] = await database.query<{ user: string; claims: string; mark: string }>(
    `select current_user as user, coalesce(current_setting('request.jwt.claims', true), '') as claims,
       coalesce(current_setting('fuzz.mark', true), '') as mark`,
  );
  const isClean = session?.user === 'supabase_admin' && session.claims === '' && session.mark === '';
  return isClean ? undefined : `left behind ${JSON.stringify(session)}`;
}

async function nextResponse(rest: PostgRest): Promise<string | undefined> {
  const next = { method: 'GET', target: '/z_labels?select=id&limit=1', headers: [], body: new Uint8Array() };
  const { status } = await rest.handle(next, { role: 'service_role' });
  return status === 200 ? undefined : `the next request got ${status}`;
}
