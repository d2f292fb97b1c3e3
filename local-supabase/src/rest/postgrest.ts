import { STACK_DEPTH_EXCEEDED } from '../database/database-error.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import type { Claims } from '../keys/keys.ts';
import { answerError, answerOptions, answerRequest, inVersion, targetNameWarning } from './answer/answer.ts';
import type { Answer } from './answer/answer.ts';
import { answerDescription } from './answer/describe-schema.ts';
import { RestError } from './request/errors.ts';
import { createCatalogCache } from './catalog/catalog-cache.ts';
import type { Catalog } from './catalog/catalog.ts';
import { planRequest } from './plan/plan-request.ts';
import { parseApiRequest } from './request/api-request.ts';
import type { RawRequest } from './request/api-request.ts';
import { parsePreferences } from './request/preferences.ts';
import { DEFAULT_REST_SETTINGS } from './settings.ts';
import type { RestSettings } from './settings.ts';
import { runTransaction } from './transaction.ts';
import type { TransactionOptions } from './transaction.ts';

/** PostgREST's interface to the database. */
export interface PostgRest {
  /** @param claims of the caller's verified token; its `role` becomes the role in the database. */
  answer(request: RawRequest, claims: Claims): Promise<Answer>;
  close(): Promise<void>;
}

export interface PostgRestOptions {
  readonly database: PgliteDatabase;
  readonly settings?: Partial<RestSettings>;
}

/** Every request has the database's one session for itself, from the look at the catalog to the end of its transaction. */
export async function createPostgRest({ database, settings: given }: PostgRestOptions): Promise<PostgRest> {
  const settings: RestSettings = { ...DEFAULT_REST_SETTINGS, ...given };
  const cache = await createCatalogCache(database, settings);
  return {
    answer: (raw, claims) =>
      database.exclusive(async () => {
        try {
          return await respond(raw, claims, settings, database, await cache.current());
        } catch (problem) {
          if (problem instanceof RestError) return answerError(problem);
          if (problem instanceof RangeError) return answerError(tooDeep());
          throw problem;
        }
      }),
    close: cache.close,
  };
}

async function respond(
  raw: RawRequest,
  claims: Claims,
  settings: RestSettings,
  database: PgliteDatabase,
  catalog: Catalog,
): Promise<Answer> {
  const { schemas, extraSearchPath, anonymousRole, allowsTransactionEnd, version } = settings;
  const prefer = raw.headers.filter(([name]) => name === 'prefer').map(([, value]) => value);
  const preferences = parsePreferences(
    prefer.length === 0 ? undefined : prefer.join(','),
    version === 14 ? catalog.timezones : null,
    allowsTransactionEnd,
  );
  const request = parseApiRequest(raw, schemas, preferences);
  const maxRows = settings.maxRows === null ? null : BigInt(settings.maxRows);
  const plan = planRequest(request, catalog, { ...settings, maxRows });
  if (plan.kind === 'options') return inVersion(version, answerOptions(plan.allow));
  const options: TransactionOptions = {
    database,
    catalog,
    claims,
    role: roleOf(claims, anonymousRole),
    anonymousRole,
    extraSearchPath,
    maxRows,
    nowMs: () => performance.now(),
  };
  if (plan.kind === 'describe-schema') {
    const answer = await answerDescription(request, options, plan.headersOnly, version);
    return inVersion(version, answer);
  }
  const answer = answerRequest(plan, request, await runTransaction(plan, request, options));
  return inVersion(version, answer, targetNameWarning(plan.read));
}

/** A role that is not a text counts as its JSON. */
function roleOf(claims: Claims, anonymousRole: string): string {
  const role: unknown = claims.role;
  if (role === undefined) return anonymousRole;
  return typeof role === 'string' ? role : JSON.stringify(role);
}

/** The error for a request that is nested too deeply for the parser's stack: PostgreSQL's for such a statement. */
const tooDeep = (): RestError => new RestError(500, STACK_DEPTH_EXCEEDED);
