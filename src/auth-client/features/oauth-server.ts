import type { AuthClient } from '../auth-client.ts';
import { callAsUser } from '../calls/user-call.ts';
import { encodeId, encodeUuid, get } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseNoContent } from '../wire/responses.ts';
import {
  type Schema,
  type TypeOf,
  listOf,
  nullish,
  object,
  optional,
  string,
} from '../../platform/schema.ts';

/** URL schemes that can run code in the page that follows the link. */
const unsafeSchemes: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'javascript:',
  'vbscript:',
]);

/** The scheme with its colon; empty if the text is not a URL. React Native lacks `URL.canParse`. */
function schemeOf(address: string): string {
  try {
    return new URL(address).protocol;
  } catch {
    return '';
  }
}

/** Rejects unsafe schemes. GoTrue splits the list of redirect URIs at commas after its checks, so any scheme can occur. */
const target: Schema<string> = (value, path = 'body') => {
  const address = string(value, path);
  const scheme = schemeOf(address);
  if (scheme && !unsafeSchemes.has(scheme)) return address;
  throw new TypeError(`Unexpected ${path}`);
};

const client = object({
  /** The application's id, a UUID. */
  id: string,
  /** The application's name. Anyone can register any name: show the address of `redirectUri`, too. */
  name: nullish(string),
  /** The page of the application, by http or https. */
  uri: nullish(string),
  /** The URL of the application's logo (http or https). */
  logo_uri: nullish(string),
});
const authorization = object({
  authorization_id: string,
  redirect_uri: target,
  client,
  user: object({ id: string, email: nullish(string) }),
  scope: string,
});
const redirect = object({ redirect_url: target });
/** If an earlier consent covers the request, the response has only a `redirect_url`. */
const parseAuthorization = object({ redirect_url: optional(target) });
const parseGrants = listOf(object({ client, scopes: listOf(string), granted_at: string }));

/** An OAuth 2.1 client of this service. */
export type OAuthApplication = TypeOf<typeof client>;

/** An application's request to the signed-in user, or the redirect if the user has already granted it. */
export type Authorization =
  | {
      /** Null: the user has to decide. */
      readonly redirectUrl: null;
      /** The application that requests access. */
      readonly application: OAuthApplication;
      /** The scopes, such as `openid`, `email` and `profile`. */
      readonly scopes: readonly string[];
      /** The redirect URI of the application, without a query. */
      readonly redirectUri: string;
      /** The account that the application will see. */
      readonly user: { readonly id: string; readonly email: string | null };
    }
  | { readonly redirectUrl: string };

/** A user's grant to an application. */
export interface OAuthGrant {
  /** The application that may use the account. */
  readonly application: OAuthApplication;
  /** The scopes, such as `openid`, `email` and `profile`. */
  readonly scopes: readonly string[];
  /** The time of the grant in milliseconds since the epoch. */
  readonly grantedAtMs: number;
}

interface OfAuthorization {
  /** The parameter `authorization_id` of the consent page's address. */
  readonly authorizationId: string;
}

/** Consent of the signed-in user to other applications. Every method throws an `AuthError`. */
export interface OAuthServer {
  /**
   * Returns an application's request and binds it to the user.
   *
   * @throws {AuthError} `missing-session`; `oauth_authorization_not_found`, also for one of another user and after ten
   *   minutes; `validation_failed` if it was decided already; `not-the-service` if it leads to an address that would act in
   *   the page.
   */
  getAuthorization(request: OfAuthorization, options?: CallOptions): Promise<Authorization>;
  /** Grants the request; then navigate to `redirectUrl`. @throws {AuthError} as `getAuthorization` */
  approveAuthorization(
    request: OfAuthorization,
    options?: CallOptions,
  ): Promise<{ readonly redirectUrl: string }>;
  /**
   * Denies the request; then navigate to `redirectUrl`, which informs the application. @throws {AuthError} as
   * `getAuthorization`
   */
  denyAuthorization(
    request: OfAuthorization,
    options?: CallOptions,
  ): Promise<{ readonly redirectUrl: string }>;
  /** Returns the user's grants, newest first. @throws {AuthError} `missing-session`, `feature_disabled` */
  listGrants(options?: CallOptions): Promise<readonly OAuthGrant[]>;
  /** Revokes a grant, which ends the application's sessions. @throws {AuthError} `oauth_consent_not_found` */
  revokeGrant(request: { readonly clientId: string }, options?: CallOptions): Promise<void>;
}

/**
 * Adds the consent to a client, for the page that `[auth.oauth_server]` of the project names.
 *
 * @see https://supabase.com/docs/guides/auth/oauth-server
 * @example
 * ```ts
 * import { createOAuthServer } from 'supabase-protocol-clients/auth-client/oauth-server';
 *
 * const oauthServer = createOAuthServer(auth);
 * const authorizationId = new URLSearchParams(location.search).get('authorization_id') ?? '';
 * const asked = await oauthServer.getAuthorization({ authorizationId });
 * if (asked.redirectUrl !== null) location.assign(asked.redirectUrl);
 * else console.log(`${asked.application.name} asks for ${asked.scopes.join(', ')}`);
 * ```
 */
export function createOAuthServer({ core }: AuthClient): OAuthServer {
  const pathOf = (id: string) => `/oauth/authorizations/${encodeId('authorizationId', id)}`;
  const decide = async (id: string, action: 'approve' | 'deny', options?: CallOptions) => {
    const endpoint = { method: 'POST', path: `${pathOf(id)}/consent`, body: { action } } as const;
    const { redirect_url: redirectUrl } = await callAsUser(core, endpoint, redirect, options);
    return { redirectUrl };
  };
  return {
    getAuthorization: async ({ authorizationId }, options) =>
      callAsUser(core, get(pathOf(authorizationId)), describeAuthorization, options),
    approveAuthorization: async ({ authorizationId }, options) => decide(authorizationId, 'approve', options),
    denyAuthorization: async ({ authorizationId }, options) => decide(authorizationId, 'deny', options),
    listGrants: async (options) =>
      callAsUser(
        core,
        get('/user/oauth/grants'),
        (body) =>
          parseGrants(body).map(({ granted_at: grantedAt, ...grant }) => ({
            application: describeApplication(grant.client),
            scopes: grant.scopes,
            grantedAtMs: Date.parse(grantedAt),
          })),
        options,
      ),
    async revokeGrant({ clientId }, options) {
      encodeUuid('clientId', clientId);
      const endpoint = {
        method: 'DELETE',
        path: '/user/oauth/grants',
        query: { client_id: clientId },
      } as const;
      await callAsUser(core, endpoint, parseNoContent, options);
    },
  };
}

function describeAuthorization(body: unknown): Authorization {
  const { redirect_url: redirectUrl } = parseAuthorization(body);
  if (redirectUrl !== undefined) return { redirectUrl };
  const { redirect_uri: redirectUri, scope, user, client: application } = authorization(body);
  return {
    redirectUrl: null,
    application: describeApplication(application),
    scopes: scope.split(' ').filter(Boolean),
    redirectUri,
    user: { id: user.id, email: user.email ?? null },
  };
}

/** Removes unsafe URLs, because the application chooses them. */
function describeApplication(application: OAuthApplication): OAuthApplication {
  const isWeb = (address: string) => /^https?:$/.test(schemeOf(address));
  const { uri, logo_uri: logo } = application;
  return { ...application, uri: uri && isWeb(uri) ? uri : null, logo_uri: logo && isWeb(logo) ? logo : null };
}
