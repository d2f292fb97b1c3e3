import { type Endpoint, encodeUuid, get, post } from '../wire/endpoints.ts';
import type { CallOptions, Send } from '../wire/request.ts';
import { parseNoContent } from '../wire/responses.ts';
import { type TypeOf, listOf, nullish, object, optional, string } from '../../platform/schema.ts';

const client = object({
  client_id: string,
  /** Only in responses that create the secret; the service stores its hash. */
  client_secret: optional(string),
  client_name: nullish(string),
  /** `public` or `confidential`. */
  client_type: string,
  token_endpoint_auth_method: string,
  /** `manual`, or `dynamic` where the application registered itself (RFC 7591). */
  registration_type: string,
  client_uri: nullish(string),
  logo_uri: nullish(string),
  redirect_uris: listOf(string),
  grant_types: listOf(string),
  created_at: string,
  updated_at: string,
});
const parseClients = object({ clients: optional(listOf(client)) });

/** An OAuth 2.1 client of this service. */
export type OAuthClient = TypeOf<typeof client>;

/** What an administrator may set on an application. An omitted member stays unchanged. */
export interface OAuthClientAttributes {
  /** The name on the consent page. */
  readonly name?: string | undefined;
  /** The application's page. */
  readonly uri?: string | undefined;
  /** The application's picture. */
  readonly logoUri?: string | undefined;
  /** Up to 10 redirect URIs, https or local, compared exactly. */
  readonly redirectUris?: readonly string[] | undefined;
  /** Default for a new one: both. */
  readonly grantTypes?: readonly ('authorization_code' | 'refresh_token')[] | undefined;
  /** `none` for an application that cannot keep a secret, such as a page. Default for a new one: `client_secret_basic`. */
  readonly tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | 'client_secret_post' | undefined;
}

interface OfClient {
  /** The application's id, a UUID. */
  readonly clientId: string;
}

/** The applications of the OAuth server. Every method throws an `AuthError`; `feature_disabled` where the project has none. */
export interface AdminOAuthClients {
  /** Returns all applications, the newest first. */
  listOAuthClients(options?: CallOptions): Promise<readonly OAuthClient[]>;
  /** Registers an application. Only this response contains its secret. @throws {AuthError} `validation_failed` */
  createOAuthClient(
    attributes: OAuthClientAttributes & { readonly redirectUris: readonly string[] },
    options?: CallOptions,
  ): Promise<OAuthClient>;
  /** Returns an application. @throws {AuthError} `oauth_client_not_found` */
  getOAuthClient(request: OfClient, options?: CallOptions): Promise<OAuthClient>;
  /** Changes an application. @throws {AuthError} `oauth_client_not_found`, `validation_failed` */
  updateOAuthClient(request: OfClient & OAuthClientAttributes, options?: CallOptions): Promise<OAuthClient>;
  /** Removes an application. Its sessions become unusable. @throws {AuthError} `oauth_client_not_found` */
  deleteOAuthClient(request: OfClient, options?: CallOptions): Promise<void>;
  /**
   * Replaces the secret. Only this response contains the new one. @throws {AuthError} `validation_failed` for a public
   * application
   */
  regenerateOAuthClientSecret(request: OfClient, options?: CallOptions): Promise<OAuthClient>;
}

export function createAdminOAuthClients(send: Send): AdminOAuthClients {
  const pathOf = ({ clientId }: OfClient) => `/admin/oauth/clients/${encodeUuid('clientId', clientId)}`;
  return {
    listOAuthClients: async (options) =>
      send(get('/admin/oauth/clients'), (body) => parseClients(body).clients ?? [], options),
    createOAuthClient: async (attributes, options) =>
      send(post('/admin/oauth/clients', encodeAttributes(attributes)), client, options),
    getOAuthClient: async (request, options) => send(get(pathOf(request)), client, options),
    updateOAuthClient: async (request, options) => {
      const endpoint = { method: 'PUT', path: pathOf(request), body: encodeAttributes(request) } as const;
      return send(endpoint, client, options);
    },
    deleteOAuthClient: async (request, options) =>
      send({ method: 'DELETE', path: pathOf(request) }, parseNoContent, options),
    regenerateOAuthClientSecret: async (request, options) =>
      send(post(`${pathOf(request)}/regenerate_secret`, {}), client, options),
  };
}

function encodeAttributes(attributes: OAuthClientAttributes): NonNullable<Endpoint['body']> {
  const { name, uri, logoUri, redirectUris, grantTypes, tokenEndpointAuthMethod } = attributes;
  return {
    client_name: name,
    client_uri: uri,
    logo_uri: logoUri,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    token_endpoint_auth_method: tokenEndpointAuthMethod,
  };
}
