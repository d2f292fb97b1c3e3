import { sha256 } from '@noble/hashes/sha2.js';

import { encodeBase64Url } from '../../../platform/base64.ts';
import { encodeUtf8, isEqualText } from '../../../platform/bytes.ts';
import type { Sql } from '../../../database/database.ts';
import type { JsonObject } from '../http/call.ts';
import { isUuid } from './rows.ts';

/** How a client proves its identity to POST /oauth/token (RFC 7591 section 2). */
export const tokenAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type TokenAuthMethod = (typeof tokenAuthMethods)[number];

/** A row of auth.oauth_clients: an application that signs its users in through this service. */
export interface OAuthClient {
  readonly id: string;
  /** The SHA-256 hash of the secret in base64url; null for a public client. */
  readonly client_secret_hash: string | null;
  readonly registration_type: 'dynamic' | 'manual';
  readonly client_type: 'public' | 'confidential';
  readonly token_endpoint_auth_method: TokenAuthMethod;
  /** Separated by commas. */
  readonly redirect_uris: string;
  /** Separated by commas. */
  readonly grant_types: string;
  readonly client_name: string | null;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Finds a client that is not deleted. */
export async function findOAuthClient(sql: Sql, id: string): Promise<OAuthClient | undefined> {
  if (!isUuid(id)) return undefined;
  const [client] = await sql.query<OAuthClient>(
    'select * from auth.oauth_clients where id = $1 and deleted_at is null',
    [id],
  );
  return client;
}

export const redirectUrisOf = (client: OAuthClient): readonly string[] => client.redirect_uris.split(',');

export const hashClientSecret = (secret: string): string => encodeBase64Url(sha256(encodeUtf8(secret)));

export const isClientSecret = (client: OAuthClient, secret: string): boolean =>
  isEqualText(client.client_secret_hash ?? '', hashClientSecret(secret));

/** Drops members with an empty value. */
const present = (fields: Readonly<Record<string, string | null>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value));

/** Encodes a client for administrators and for itself; `secret` is included only when it is new. */
export function encodeOAuthClient(client: OAuthClient, secret = ''): JsonObject {
  return {
    client_id: client.id,
    ...present({ client_secret: secret }),
    client_type: client.client_type,
    redirect_uris: redirectUrisOf(client),
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    grant_types: client.grant_types.split(','),
    response_types: ['code'],
    ...present({
      client_name: client.client_name,
      client_uri: client.client_uri,
      logo_uri: client.logo_uri,
    }),
    registration_type: client.registration_type,
    created_at: client.created_at,
    updated_at: client.updated_at,
  };
}

/** Encodes the part of a client that users see. */
export const describeOAuthClient = (
  client: Pick<OAuthClient, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>,
): JsonObject => ({
  id: client.id,
  ...present({ name: client.client_name, uri: client.client_uri, logo_uri: client.logo_uri }),
});
