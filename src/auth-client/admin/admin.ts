/** Administration of users, with a project's secret key: for servers and scripts, never for pages. */
import { createPlatform } from '../../platform/browser-platform.ts';
import type { Log } from '../../platform/log.ts';
import type { Platform } from '../../platform/platform.ts';
import { listOf } from '../../platform/schema.ts';
import { duration, rangeProblem } from '../../platform/number-options.ts';
import { isReadableByUsers, secretKeyProblem } from '../../platform/secret-key.ts';
import { bearerOf, serviceUrl } from '../../platform/service.ts';
import { AuthError } from '../errors.ts';
import { type Passkey, parsePasskeys } from '../features/passkeys.ts';
import { encodeUuid, get } from '../wire/endpoints.ts';
import { type CallOptions, type Send, createSend } from '../wire/request.ts';
import { type Factor, parseFactor, parseNoContent } from '../wire/responses.ts';
import { type AdminLinks, createAdminLinks } from './links.ts';
import { type AdminOAuthClients, createAdminOAuthClients } from './oauth-clients.ts';
import { type AdminProviders, createAdminProviders } from './providers.ts';
import { type AdminUsers, createAdminUsers, userPath } from './users.ts';

export type { GeneratedLink, LinkRequest } from './links.ts';
export type { OAuthClient, OAuthClientAttributes } from './oauth-clients.ts';
export type { CustomProvider, CustomProviderAttributes, NewCustomProvider } from './providers.ts';
export type { NewUser, UserAttributes, UserInvitation, UserList, UserPage } from './users.ts';

/** The options of `createAdminClient`. */
export interface AdminClientOptions {
  /** The project's URL (http or https), without `/auth/v1`. */
  readonly url: string;
  /** The project's secret key (`sb_secret_…`), or its older service key. It grants every right in the project. */
  readonly secretKey: string;
  /** Default: the runtime's own. */
  readonly platform?: Pick<Platform, 'fetch' | 'clock'> | undefined;
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Deadline of a call in milliseconds. Default 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Receives an event per request, without tokens, bodies or queries. Default: none. */
  readonly log?: Log | undefined;
  /** Returns the `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: (() => string | null) | undefined;
}

/** Administration of a project's users, applications and identity providers. Every method throws an `AuthError`. */
export interface AdminClient extends AdminUsers, AdminLinks, AdminOAuthClients, AdminProviders {
  /** Ends the sessions of a user, by one of the user's access tokens. Default `scope`: `global`, which ends all. */
  signOut(
    request: { readonly accessToken: string; readonly scope?: 'global' | 'local' | 'others' },
    options?: CallOptions,
  ): Promise<void>;
  /** Returns the second factors of a user, also unverified ones. @throws {AuthError} `user_not_found` */
  listFactors(request: OfUser, options?: CallOptions): Promise<readonly Factor[]>;
  /** Removes a second factor, for example of a lost phone. @throws {AuthError} `user_not_found`, `mfa_factor_not_found` */
  deleteFactor(request: OfUser & { readonly factorId: string }, options?: CallOptions): Promise<void>;
  /** Returns the passkeys of a user. @throws {AuthError} `user_not_found` */
  listPasskeys(request: OfUser, options?: CallOptions): Promise<readonly Passkey[]>;
  /** Removes a passkey. @throws {AuthError} `user_not_found`; `validation_failed` with `status` 404 if there is no such passkey */
  deletePasskey(request: OfUser & { readonly passkeyId: string }, options?: CallOptions): Promise<void>;
}

interface OfUser {
  readonly userId: string;
}

/**
 * Creates a client that administers users. It holds no session and sends nothing before the first call.
 *
 * @throws {AuthError} `invalid-options`, also for a publishable key; `unsupported-runtime` in a page or an app, whose users
 * could read the key.
 * @see https://supabase.com/docs/reference/javascript/admin-api
 * @example
 * ```ts
 * import { createAdminClient } from 'supabase-protocol-clients/admin';
 *
 * const admin = createAdminClient({ url, secretKey: apiKey });
 * const { id: userId } = await admin.createUser({ email: 'linus@example.com', isEmailConfirmed: true });
 * for await (const users of admin.users()) console.log(users.map(({ email }) => email));
 * await admin.deleteUser({ userId });
 * ```
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { url, secretKey, platform = createPlatform() } = options;
  if (isReadableByUsers())
    throw new AuthError('unsupported-runtime', 'A secret key in a page or an app could be read by its users');
  const problem = secretKeyProblem(options) ?? rangeProblem(options, { timeoutMs: duration });
  if (problem) throw new AuthError('invalid-options', problem);
  const sendAs = createSend({ ...options, platform, baseUrl: serviceUrl(url, 'auth'), apiKey: secretKey });
  const accessToken = bearerOf(secretKey);
  const send: Send = (endpoint, parse, call) =>
    sendAs(endpoint, parse, { ...(accessToken && { accessToken }), ...call });
  return {
    ...createAdminUsers(send),
    ...createAdminLinks(send),
    ...createAdminOAuthClients(send),
    ...createAdminProviders(send),
    async signOut({ accessToken: usersToken, scope = 'global' }, call) {
      const endpoint = { method: 'POST', path: '/logout', query: { scope } } as const;
      await send(endpoint, parseNoContent, { ...call, accessToken: usersToken });
    },
    listFactors: async ({ userId }, call) => send(get(`${userPath(userId)}/factors`), parseFactors, call),
    async deleteFactor({ userId, factorId }, call) {
      const path = `${userPath(userId)}/factors/${encodeUuid('factorId', factorId)}`;
      await send({ method: 'DELETE', path }, parseFactor, call);
    },
    listPasskeys: async ({ userId }, call) => send(get(`${userPath(userId)}/passkeys`), parsePasskeys, call),
    async deletePasskey({ userId, passkeyId }, call) {
      const path = `${userPath(userId)}/passkeys/${encodeUuid('passkeyId', passkeyId)}`;
      await send({ method: 'DELETE', path }, parseNoContent, call);
    },
  };
}

const parseFactors = listOf(parseFactor);
