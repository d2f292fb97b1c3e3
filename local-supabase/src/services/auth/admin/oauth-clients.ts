import { createSecret } from '../../../platform/random.ts';
import { type AuthContext, nowDate } from '../context.ts';
import { type Call, type JsonObject, sendJson } from '../http/call.ts';
import { AuthHttpError, forbidden, invalid, notFound } from '../http/errors.ts';
import {
  encodeOAuthClient,
  findOAuthClient,
  hashClientSecret,
  type OAuthClient,
} from '../rows/oauth-client.ts';
import { insertRow, isUuid, updateRow, type Values } from '../rows/rows.ts';
import { requireAdmin } from '../sessions/authentication.ts';
import { changesOfClient, completeRegistration, readOAuthClientParams } from './oauth-client-params.ts';

const table = 'auth.oauth_clients';

const secretBytes = 32;

/** Throws 404 feature_disabled unless the project is an OAuth server. */
export function requireOAuthServer({ settings }: AuthContext): void {
  if (!settings.oauthServerEnabled) throw notFound('feature_disabled', 'OAuth server is disabled');
}

async function requireOAuthAdmin(context: AuthContext, call: Call): Promise<void> {
  await requireAdmin(context, call);
  requireOAuthServer(context);
}

async function requireClient(context: AuthContext, call: Call): Promise<OAuthClient> {
  await requireOAuthAdmin(context, call);
  const id = call.param('client_id');
  if (!isUuid(id)) throw invalid('invalid client_id format');
  const client = await findOAuthClient(context.database, id);
  if (client === undefined) throw notFound('oauth_client_not_found', 'OAuth client not found');
  return client;
}

async function updateClient(
  context: AuthContext,
  { id }: OAuthClient,
  changes: Values,
): Promise<OAuthClient> {
  const values = { ...changes, updated_at: nowDate(context) };
  return updateRow<OAuthClient>(context.database, table, id, values);
}

/** Registers a client by the request's body and returns it with its secret. Throws 400 bad_json, validation_failed. */
export async function registerClient(
  context: AuthContext,
  call: Call,
  type: OAuthClient['registration_type'],
): Promise<JsonObject> {
  const params = await readOAuthClientParams(call);
  try {
    const { redirectUris, grantTypes, clientType, authMethod } = completeRegistration(params);
    const secret = clientType === 'confidential' ? createSecret(secretBytes) : '';
    const now = nowDate(context);
    const client = await insertRow<OAuthClient>(context.database, table, {
      id: crypto.randomUUID(),
      registration_type: type,
      client_type: clientType,
      token_endpoint_auth_method: authMethod,
      client_secret_hash: secret === '' ? null : hashClientSecret(secret),
      redirect_uris: redirectUris.join(','),
      grant_types: grantTypes.join(','),
      client_name: params.name || null,
      client_uri: params.uri || null,
      logo_uri: params.logoUri || null,
      created_at: now,
      updated_at: now,
    });
    return encodeOAuthClient(client, secret);
  } catch (error) {
    // GoTrue wraps the error of a rejected field in another error, with the status in the message.
    if (error instanceof AuthHttpError) throw invalid(`${error.status}: ${error.message}`, error);
    throw error;
  }
}

/** POST /oauth/clients/register (RFC 7591): 201 and the client with its secret. */
export async function registerDynamicClient(context: AuthContext, call: Call): Promise<Response> {
  if (!context.settings.oauthDynamicRegistrationEnabled)
    throw forbidden(
      'oauth_dynamic_client_registration_disabled',
      'Dynamic client registration is not enabled',
    );
  return sendJson(call, await registerClient(context, call, 'dynamic'), 201);
}

/** POST /admin/oauth/clients: 201 and the client with its secret. */
export async function createOAuthClient(context: AuthContext, call: Call): Promise<Response> {
  await requireOAuthAdmin(context, call);
  return sendJson(call, await registerClient(context, call, 'manual'), 201);
}

/** GET /admin/oauth/clients: all, newest first; `{}` when the project has no client. */
export async function listOAuthClients(context: AuthContext, call: Call): Promise<Response> {
  await requireOAuthAdmin(context, call);
  const clients = await context.database.query<OAuthClient>(
    `select * from ${table} where deleted_at is null order by created_at desc`,
  );
  const encoded = clients.map((client) => encodeOAuthClient(client));
  return sendJson(call, encoded.length === 0 ? {} : { clients: encoded });
}

export async function readOAuthClient(context: AuthContext, call: Call): Promise<Response> {
  return sendJson(call, encodeOAuthClient(await requireClient(context, call)));
}

/** PUT /admin/oauth/clients/:client_id: changes the given fields; the type stays. */
export async function updateOAuthClient(context: AuthContext, call: Call): Promise<Response> {
  const client = await requireClient(context, call);
  const changes = changesOfClient(client, await readOAuthClientParams(call));
  return sendJson(call, encodeOAuthClient(await updateClient(context, client, changes)));
}

/** DELETE /admin/oauth/clients/:client_id: 204. Keeps the row and the sessions, but the client cannot use them. */
export async function deleteOAuthClient(context: AuthContext, call: Call): Promise<Response> {
  const client = await requireClient(context, call);
  await updateClient(context, client, { deleted_at: nowDate(context) });
  return new Response(null, { status: 204 });
}

/** POST /admin/oauth/clients/:client_id/regenerate_secret. Throws 400 validation_failed for a public client. */
export async function regenerateClientSecret(context: AuthContext, call: Call): Promise<Response> {
  const client = await requireClient(context, call);
  if (client.client_type === 'public') throw invalid('Cannot regenerate secret for public client');
  const secret = createSecret(secretBytes);
  const updated = await updateClient(context, client, { client_secret_hash: hashClientSecret(secret) });
  return sendJson(call, encodeOAuthClient(updated, secret));
}
