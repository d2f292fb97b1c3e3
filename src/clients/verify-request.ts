import type { AuthClient } from '../auth-client/auth-client.ts';
import { AuthError } from '../auth-client/errors.ts';
import { type ClaimsOptions, createClaims, type VerifiedClaims } from '../auth-client/features/claims.ts';
import { createPlatform } from '../platform/browser-platform.ts';
import type { Platform } from '../platform/platform.ts';
import { createRestClient, type RestClient, type UnknownDatabase } from '../rest-client/index.ts';
import {
  createRequestCookies,
  createServerClients,
  type ServerClients,
  type ServerClientsOptions,
} from './server-clients.ts';
import { serviceOptions } from './service-options.ts';

/**
 * The sender of a request. `user`: signed in here, by a bearer token or by the session's cookies; `application`: an OAuth 2.1
 * client with a user's consent; `service`: the holder of the secret key; `publishable`: the holder of the publishable key
 * only.
 */
export type Caller = 'user' | 'application' | 'service' | 'publishable';

/** The options of `verifyRequest`; `issuer` and `audience` are those that a token must name. */
export interface VerifyRequestOptions extends Omit<ServerClientsOptions, 'cookies'>, ClaimsOptions {
  /** The callers that are allowed. */
  readonly allow: Caller | readonly Caller[];
  /** The project's secret key (`sb_secret_…`), or its older service key; without it no caller is `service`. */
  readonly secretKey?: string | undefined;
  /** The headers of the response, which get the cookies of a renewed session. Default: the cookies are read only. */
  readonly responseHeaders?: Headers | undefined;
}

/** A request whose sender is known, and the clients that act as the sender. */
export interface VerifiedRequest<Database = UnknownDatabase> extends Omit<ServerClients<Database>, 'auth'> {
  /** The sender, one of the allowed callers. */
  readonly caller: Caller;
  /** The verified claims of the token; null for the holder of a key. */
  readonly claims: VerifiedClaims | null;
}

/**
 * Identifies the sender of a request by `Authorization`, `apikey` and the session's cookies, in this order, and returns
 * clients that act as the sender. Cookies alone do not distinguish a form of another site from yours: leave their `SameSite`
 * at `Lax`, or check `Origin`, before a request changes something.
 *
 * @throws {AuthError} `no_authorization`, with the `status` to send: 401 without valid credentials (`cause` says why), 403
 *   for a caller who is not allowed; as the request for the project's keys fails; `invalid-options`
 * @example
 * ```ts
 * import { verifyRequest } from 'supabase-protocol-clients/server';
 *
 * export async function handle(request: Request): Promise<Response> {
 *   const { claims, rest } = await verifyRequest<Database>(request, { url, apiKey, allow: 'user' });
 *   const unread = await rest.from('notifications').count().eq('status', 'unread');
 *   return Response.json({ user: claims?.sub, unread });
 * }
 * ```
 */
export async function verifyRequest<Database = UnknownDatabase>(
  request: Request,
  options: VerifyRequestOptions,
): Promise<VerifiedRequest<Database>> {
  const verified = await identify<Database>(request, options);
  const allowed: readonly Caller[] = [options.allow].flat();
  if (allowed.includes(verified.caller)) return verified;
  throw refusal(`The caller ${verified.caller} is not allowed here`, 403);
}

async function identify<Database>(
  request: Request,
  { secretKey, responseHeaders, allow: _allow, issuer, audience, ...options }: VerifyRequestOptions,
): Promise<VerifiedRequest<Database>> {
  const { url, apiKey } = options;
  const parties = { issuer, audience };
  const platform = options.platform ?? createPlatform();
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const given = [bearer, request.headers.get('apikey')].filter((text) => typeof text === 'string');
  const as = (key: string, token: string | null) => {
    const shared = { url, apiKey: key, ...serviceOptions(options, options.rest, platform) };
    const connection = { ...shared, getAccessToken: async () => token };
    const rest = createRestClient({ ...options.rest, ...connection }) as unknown as RestClient<Database>;
    return { rest, connection };
  };
  if (secretKey && (await includesSecret(platform, given, secretKey)))
    return { caller: 'service', claims: null, ...as(secretKey, null) };
  const cookies = createRequestCookies(request, responseHeaders ?? new Headers());
  const { auth, rest, connection } = createServerClients<Database>({ ...options, cookies });
  if (bearer !== undefined && bearer !== apiKey) {
    const claims = await claimsOf(auth, bearer, parties);
    return { caller: callerOf(claims), claims, ...as(apiKey, bearer) };
  }
  const token = await auth.getAccessToken();
  if (token !== null) {
    const claims = await claimsOf(auth, token, parties);
    return { caller: callerOf(claims), claims, rest, connection };
  }
  if (given.includes(apiKey)) return { caller: 'publishable', claims: null, ...as(apiKey, null) };
  throw refusal('The request has no credentials', 401);
}

/** Verified claims of a user's token. @throws {AuthError} */
async function claimsOf(
  auth: AuthClient,
  accessToken: string,
  parties: ClaimsOptions,
): Promise<VerifiedClaims> {
  const claims = await createClaims(auth, parties)
    .getClaims({ accessToken })
    .catch((cause: unknown) => {
      throw concernsToken(cause) ? refusal('The token is refused', 401, cause) : cause;
    });
  if (claims?.['role'] !== 'authenticated') throw refusal('The token is not a user’s', 401);
  return claims;
}

/** Whether the token failed verification, here or by the server: a failed request, a rate limit or an outage says nothing about it. */
const concernsToken = (problem: unknown): boolean =>
  problem instanceof AuthError &&
  (problem.status === null
    ? tokenProblems.has(problem.code)
    : problem.status < 429 && problem.code !== 'not-the-service');

const tokenProblems: ReadonlySet<string> = new Set(['token-expired', 'invalid-signature', 'invalid-token']);

const callerOf = (claims: VerifiedClaims): Caller =>
  claims['client_id'] === undefined ? 'user' : 'application';

/** Compares hashes, so that the duration reveals nothing about the key. */
async function includesSecret(
  { sha256 }: Platform,
  given: readonly string[],
  secretKey: string,
): Promise<boolean> {
  const hash = (text: string) => sha256(new TextEncoder().encode(text));
  const wanted = await hash(secretKey);
  const hashes = await Promise.all(given.map(hash));
  return hashes.some((bytes) => bytes.reduce((all, byte, at) => all | (byte ^ (wanted[at] ?? 0)), 0) === 0);
}

const refusal = (message: string, status: 401 | 403, cause?: unknown): AuthError =>
  new AuthError('no_authorization', message, { status, ...(cause !== undefined && { cause }) });
