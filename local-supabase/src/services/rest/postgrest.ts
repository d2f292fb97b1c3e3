import { STACK_DEPTH_EXCEEDED } from '../../database/database-error.ts';
import type { PgliteDatabase } from '../../database/pglite-database.ts';
import type { Claims } from '../../keys/keys.ts';
import {
  errorResponse,
  optionsResponse,
  respondToRequest,
  inVersion,
  targetNameWarning,
} from './response/response.ts';
import type { RestResponse } from './response/response.ts';
import { respondWithSchema } from './response/describe-schema.ts';
import { RequestCrash, RestError } from './request/errors.ts';
import { createConfigurationCache } from './configuration-cache.ts';
import type { Configuration } from './configuration-cache.ts';
import { planRequest } from './plan/plan-request.ts';
import { parseApiRequest } from './request/api-request.ts';
import type { RawRequest } from './request/api-request.ts';
import { parsePreferences } from './request/preferences.ts';
import { assertAudience, readPath, roleOf } from './request/token-claims.ts';
import { DEFAULT_REST_SETTINGS } from './settings.ts';
import type { RestSettings } from './settings.ts';
import { runTransaction } from './transaction.ts';
import type { TransactionOptions } from './transaction.ts';

export interface PostgRest {
  /** @param claims the claims of the caller's verified token; `role` becomes the database role. */
  handle(request: RawRequest, claims: Claims): Promise<RestResponse>;
  close(): Promise<void>;
}

export interface PostgRestOptions {
  readonly database: PgliteDatabase;
  /** The settings of the database role `authenticator` override these. */
  readonly settings?: Partial<RestSettings>;
  /** Receives the error of a database setting that is malformed after `notify pgrst, 'reload config'`. */
  readonly report?: (problem: unknown) => void;
}

/** Each request uses the database's only session exclusively, from reading the catalog to the end of its transaction. */
export async function createPostgRest(options: PostgRestOptions): Promise<PostgRest> {
  const { database, settings: given, report = () => undefined } = options;
  const settings: RestSettings = { ...DEFAULT_REST_SETTINGS, ...given };
  // Reports a malformed path at the start instead of at the first request.
  readPath({}, settings.roleClaimKey);
  const cache = await createConfigurationCache(database, settings, report);
  return {
    handle: (raw, claims) =>
      database.exclusive(async () => {
        try {
          return await respond(raw, claims, database, await cache.current());
        } catch (problem) {
          if (problem instanceof RestError) return errorResponse(problem);
          if (problem instanceof RequestCrash) return crashResponse;
          if (problem instanceof RangeError) return errorResponse(tooDeep());
          throw problem;
        }
      }),
    close: cache.close,
  };
}

async function respond(
  raw: RawRequest,
  claims: Claims,
  database: PgliteDatabase,
  { settings, catalog, timezones }: Configuration,
): Promise<RestResponse> {
  const { extraSearchPath, anonymousRole, preRequest, allowsTransactionEnd, version } = settings;
  const preferred = raw.headers.filter(([name]) => name === 'prefer').map(([, value]) => value);
  const prefer = preferred.length === 0 ? undefined : preferred.join(',');
  const checksTimezone = version === 14 && prefer?.includes('timezone') === true;
  const preferences = parsePreferences(
    prefer,
    checksTimezone ? await timezones() : null,
    allowsTransactionEnd,
  );
  assertAudience(claims, settings.audience);
  const timing = startTiming();
  const request = parseApiRequest(raw, settings, preferences);
  timing.mark('parse');
  const maxRows = settings.maxRows === null ? null : BigInt(settings.maxRows);
  const plan = planRequest(request, catalog, { ...settings, maxRows });
  timing.mark('plan');
  const withTiming = (response: RestResponse): RestResponse =>
    settings.sendsTiming
      ? { ...response, headers: [...response.headers, ['server-timing', timing.header()]] }
      : response;
  if (plan.type === 'options') return withTiming(inVersion(version, optionsResponse(plan.allow)));
  const options: TransactionOptions = {
    database,
    catalog,
    claims,
    role: roleOf(claims, settings.roleClaimKey, anonymousRole),
    anonymousRole,
    extraSearchPath,
    preRequest,
    maxRows,
    rollsBack: settings.rollsBack,
    refusesUnfilteredWrites: settings.refusesUnfilteredWrites,
  };
  if (plan.type === 'describe-schema') {
    const response = await respondWithSchema(request, options, plan.headersOnly, settings);
    timing.mark('transaction');
    return withTiming(inVersion(version, response));
  }
  const row = await runTransaction(plan, request, options);
  timing.mark('transaction');
  return withTiming(inVersion(version, respondToRequest(plan, request, row), targetNameWarning(plan.read)));
}

/** Measures the phases of a request for the header `Server-Timing`. The token was already verified. */
function startTiming() {
  const phases: string[] = ['jwt;dur=0.0'];
  let sinceMs = performance.now();
  const mark = (phase: 'parse' | 'plan' | 'transaction' | 'response') => {
    const nowMs = performance.now();
    phases.push(`${phase};dur=${(nowMs - sinceMs).toFixed(1)}`);
    sinceMs = nowMs;
  };
  return {
    mark,
    header() {
      mark('response');
      return phases.join(', ');
    },
  };
}

/** The response of PostgREST's web server when PostgREST itself fails. */
const crashResponse: RestResponse = {
  status: 500,
  headers: [['content-type', 'text/plain; charset=utf-8']],
  body: 'Something went wrong',
};

/** The error for a request whose nesting exceeds the parser's stack; PostgreSQL has the same for statements. */
const tooDeep = (): RestError => new RestError(500, STACK_DEPTH_EXCEEDED);
