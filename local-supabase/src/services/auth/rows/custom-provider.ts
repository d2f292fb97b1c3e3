import type { Sql } from '../../../database/database.ts';
import type { JsonObject } from '../http/call.ts';
import type { Values } from './rows.ts';

/** A row of auth.custom_oauth_providers: a provider that an administrator added. */
export interface CustomProvider {
  readonly id: string;
  readonly provider_type: 'oauth2' | 'oidc';
  /** `custom:…`, the name under which clients sign in. */
  readonly identifier: string;
  readonly name: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly acceptable_client_ids: readonly string[];
  readonly scopes: readonly string[];
  readonly pkce_enabled: boolean;
  readonly attribute_mapping: JsonObject;
  readonly custom_claims_allowlist: readonly string[];
  readonly authorization_params: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  readonly email_optional: boolean;
  readonly issuer: string | null;
  readonly discovery_url: string | null;
  readonly skip_nonce_check: boolean;
  readonly cached_discovery: JsonObject | null;
  readonly authorization_url: string | null;
  readonly token_url: string | null;
  readonly userinfo_url: string | null;
  readonly jwks_uri: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const customPrefix = 'custom:';

export async function findCustomProvider(sql: Sql, identifier: string): Promise<CustomProvider | undefined> {
  const [provider] = await sql.query<CustomProvider>(
    'select * from auth.custom_oauth_providers where identifier = $1',
    [identifier],
  );
  return provider;
}

const listColumns = new Set(['acceptable_client_ids', 'scopes', 'custom_claims_allowlist']);

const encodeList = (items: readonly string[]): string =>
  `{${items.map((item) => `"${item.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;

/** Encodes column values for writing. */
export const encodeCustomProviderValues = (values: Partial<CustomProvider>): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      listColumns.has(name) ? encodeList(value as readonly string[]) : value,
    ]),
  );

const present = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Encodes a provider for responses, without its secret. */
export function encodeCustomProvider(provider: CustomProvider): JsonObject {
  const { id, provider_type, identifier, name, client_id } = provider;
  return {
    id,
    provider_type,
    identifier,
    name,
    client_id,
    acceptable_client_ids: provider.acceptable_client_ids,
    scopes: provider.scopes,
    pkce_enabled: provider.pkce_enabled,
    attribute_mapping: provider.attribute_mapping,
    custom_claims_allowlist: provider.custom_claims_allowlist,
    authorization_params: provider.authorization_params,
    enabled: provider.enabled,
    email_optional: provider.email_optional,
    ...present({ issuer: provider.issuer, discovery_url: provider.discovery_url }),
    skip_nonce_check: provider.skip_nonce_check,
    ...present({
      discovery_document: provider.cached_discovery,
      authorization_url: provider.authorization_url,
      token_url: provider.token_url,
      userinfo_url: provider.userinfo_url,
      jwks_uri: provider.jwks_uri,
    }),
    created_at: provider.created_at,
    updated_at: provider.updated_at,
  };
}
