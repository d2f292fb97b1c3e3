import { type Endpoint, encodeId, get, post } from '../wire/endpoints.ts';
import type { CallOptions, Send } from '../wire/request.ts';
import { parseNoContent } from '../wire/responses.ts';
import { type TypeOf, boolean, listOf, nullish, object, record, string } from '../../platform/schema.ts';

const provider = object({
  id: string,
  /** `custom:…`, the `provider` of `signInWithOAuth`. */
  identifier: string,
  /** `oidc` or `oauth2`. */
  provider_type: string,
  name: string,
  client_id: string,
  acceptable_client_ids: nullish(listOf(string)),
  scopes: nullish(listOf(string)),
  custom_claims_allowlist: nullish(listOf(string)),
  pkce_enabled: boolean,
  enabled: boolean,
  email_optional: boolean,
  attribute_mapping: nullish(record),
  authorization_params: nullish(record),
  issuer: nullish(string),
  discovery_url: nullish(string),
  /** What the service read from the issuer (OpenID Connect Discovery). */
  discovery_document: nullish(record),
  skip_nonce_check: nullish(boolean),
  authorization_url: nullish(string),
  token_url: nullish(string),
  userinfo_url: nullish(string),
  jwks_uri: nullish(string),
  created_at: string,
  updated_at: string,
});
const parseProviders = object({ providers: listOf(provider) });

/** An identity provider that an administrator added, without its secret. */
export type CustomProvider = TypeOf<typeof provider>;

/** What an administrator may set on a provider. An omitted member stays unchanged. */
export interface CustomProviderAttributes {
  /** The displayed name. */
  readonly name?: string | undefined;
  /** The client ID that the provider assigned to this project. */
  readonly clientId?: string | undefined;
  /** The client secret that the provider assigned to this project. No response contains it. */
  readonly clientSecret?: string | undefined;
  /** Further accepted audiences of ID tokens. Default: none. */
  readonly acceptableClientIds?: readonly string[] | undefined;
  /** The requested scopes. Default for `oidc`: `openid`. */
  readonly scopes?: readonly string[] | undefined;
  /** Claims that are copied to the user's `custom_claims`. Default: none. */
  readonly customClaimsAllowlist?: readonly string[] | undefined;
  /** Default true. */
  readonly pkceEnabled?: boolean | undefined;
  /** Default true. */
  readonly enabled?: boolean | undefined;
  /** Whether an account without an email address may sign in. Default false. */
  readonly emailOptional?: boolean | undefined;
  /** Maps the provider's fields to the user's. Default: the fields of OpenID Connect. */
  readonly attributeMapping?: object | undefined;
  /** Further query parameters of the authorization URL. */
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
  /** For `oidc`: the issuer. The service reads its discovery document. */
  readonly issuer?: string | undefined;
  /** The URL of the discovery document. Default: the issuer's well-known URL. */
  readonly discoveryUrl?: string | undefined;
  /** Set it for a provider that omits the nonce from its ID tokens. Default false. */
  readonly skipNonceCheck?: boolean | undefined;
  /** For `oauth2`: the authorization endpoint. */
  readonly authorizationUrl?: string | undefined;
  /** For `oauth2`: the token endpoint. */
  readonly tokenUrl?: string | undefined;
  /** For `oauth2`: the userinfo endpoint. */
  readonly userinfoUrl?: string | undefined;
  /** The URL of the provider's key set, if it signs its tokens. Default: none. */
  readonly jwksUri?: string | undefined;
}

/** The argument of `createProvider`. */
export interface NewCustomProvider extends CustomProviderAttributes {
  /** OpenID Connect, or OAuth 2.0 with explicit endpoints. */
  readonly providerType: 'oidc' | 'oauth2';
  /** `custom:` and a name of your choice. */
  readonly identifier: `custom:${string}`;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface OfProvider {
  readonly identifier: string;
}

/** The identity providers that a project adds to the built-in ones. Every method throws an `AuthError`. */
export interface AdminProviders {
  /** Returns all providers, the newest first. Default `providerType`: both. */
  listProviders(
    request?: { readonly providerType?: 'oidc' | 'oauth2' },
    options?: CallOptions,
  ): Promise<readonly CustomProvider[]>;
  /** Adds a provider. @throws {AuthError} `conflict`, `validation_failed`, `over_custom_provider_quota` */
  createProvider(provider: NewCustomProvider, options?: CallOptions): Promise<CustomProvider>;
  /** Returns a provider. @throws {AuthError} `custom_provider_not_found` */
  getProvider(request: OfProvider, options?: CallOptions): Promise<CustomProvider>;
  /** Changes a provider. @throws {AuthError} `custom_provider_not_found`, `validation_failed` */
  updateProvider(
    request: OfProvider & CustomProviderAttributes,
    options?: CallOptions,
  ): Promise<CustomProvider>;
  /** Removes a provider. Its identities remain, but can no longer sign in. @throws {AuthError} `custom_provider_not_found` */
  deleteProvider(request: OfProvider, options?: CallOptions): Promise<void>;
}

export function createAdminProviders(send: Send): AdminProviders {
  const pathOf = (identifier: string) => `/admin/custom-providers/${encodeId('identifier', identifier)}`;
  return {
    listProviders: async ({ providerType } = {}, options) =>
      send(
        get('/admin/custom-providers', { type: providerType }),
        (body) => parseProviders(body).providers,
        options,
      ),
    createProvider: async (attributes, options) =>
      send(post('/admin/custom-providers', encodeAttributes(attributes)), provider, options),
    getProvider: async ({ identifier }, options) => send(get(pathOf(identifier)), provider, options),
    updateProvider: async ({ identifier, ...attributes }, options) => {
      const body = encodeAttributes(attributes);
      return send({ method: 'PUT', path: pathOf(identifier), body }, provider, options);
    },
    deleteProvider: async ({ identifier }, options) =>
      send({ method: 'DELETE', path: pathOf(identifier) }, parseNoContent, options),
  };
}

/** The wire uses the names of the attributes in snake_case. */
const encodeAttributes = (attributes: object): NonNullable<Endpoint['body']> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
