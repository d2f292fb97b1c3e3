import { type Endpoint, encodeId, get, post } from '../wire/endpoints.ts';
import type { CallOptions, Send } from '../wire/request.ts';
import { parseNoContent } from '../wire/responses.ts';
import { type TypeOf, boolean, listOf, nullish, object, record, string } from '../../platform/schema.ts';

const provider = object({
  id: string,
  /** `custom:…`, what `signInWithOAuth` takes. */
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

/** What an administrator may set on a provider; a member that is left out stays as it is. */
export interface CustomProviderAttributes {
  /** What people see. */
  readonly name?: string | undefined;
  /** What the provider knows this project by. */
  readonly clientId?: string | undefined;
  /** The secret that the provider gave to this project; no answer has it. */
  readonly clientSecret?: string | undefined;
  /** Further audiences whose ID tokens count. Default: none. */
  readonly acceptableClientIds?: readonly string[] | undefined;
  /** What is asked for. Default for `oidc`: `openid`. */
  readonly scopes?: readonly string[] | undefined;
  /** Claims that are copied to the user's `custom_claims`. Default: none. */
  readonly customClaimsAllowlist?: readonly string[] | undefined;
  /** Default true. */
  readonly pkceEnabled?: boolean | undefined;
  /** Default true. */
  readonly enabled?: boolean | undefined;
  /** Whether an account without an email address may sign in. Default false. */
  readonly emailOptional?: boolean | undefined;
  /** The user's field for a field of the provider. Default: OpenID's own. */
  readonly attributeMapping?: object | undefined;
  /** Further parameters of the provider's address. */
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
  /** For `oidc`: the issuer, whose discovery document the service reads. */
  readonly issuer?: string | undefined;
  /** Where that document is. Default: the issuer's well-known address. */
  readonly discoveryUrl?: string | undefined;
  /** For a provider that leaves the nonce out of its ID tokens. Default false. */
  readonly skipNonceCheck?: boolean | undefined;
  /** For `oauth2`: where people sign in. */
  readonly authorizationUrl?: string | undefined;
  /** For `oauth2`: where a code is exchanged. */
  readonly tokenUrl?: string | undefined;
  /** For `oauth2`: where the account is described. */
  readonly userinfoUrl?: string | undefined;
  /** The provider's keys, where its tokens are signed. Default: none. */
  readonly jwksUri?: string | undefined;
}

/** What `createProvider` takes. */
export interface NewCustomProvider extends CustomProviderAttributes {
  /** OpenID Connect, or OAuth 2.0 with endpoints of its own. */
  readonly providerType: 'oidc' | 'oauth2';
  /** `custom:` and a name of yours. */
  readonly identifier: `custom:${string}`;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface OfProvider {
  readonly identifier: string;
}

/** The identity providers that a project adds to the service's own. Every method throws an `AuthError`. */
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
  /** Removes a provider; its identities stay, but sign nobody in. @throws {AuthError} `custom_provider_not_found` */
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

/** The wire's names are those of the attributes, in snake_case. */
const encodeAttributes = (attributes: object): NonNullable<Endpoint['body']> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
