import { type AuthContext, nowDate } from '../context.ts';
import { type Call, type JsonObject, sendJson, readParam } from '../http/call.ts';
import { badRequest, internal, invalid, notFound } from '../http/errors.ts';
import {
  type CustomProvider,
  encodeCustomProvider,
  encodeCustomProviderValues,
  findCustomProvider,
} from '../rows/custom-provider.ts';
import { insertRow, updateRow } from '../rows/rows.ts';
import { requireAdmin } from '../sessions/authentication.ts';
import {
  checkIdentifier,
  checkMappings,
  checkProviderUrls,
  checkRequired,
  parseCustomProvider,
  valuesForType,
} from './custom-provider-params.ts';

/** Requires an administrator and the feature. Throws 404 feature_disabled. */
async function requireCustomProviders(context: AuthContext, call: Call): Promise<void> {
  await requireAdmin(context, call);
  if (!context.settings.customProvidersEnabled)
    throw notFound('feature_disabled', 'Custom OAuth providers are disabled');
}

const readIdentifier = (call: Call): string => {
  const identifier = call.param('identifier');
  checkIdentifier(identifier);
  return identifier;
};

async function requireProvider(context: AuthContext, call: Call): Promise<CustomProvider> {
  const provider = await findCustomProvider(context.database, readIdentifier(call));
  if (provider === undefined) throw notFound('custom_provider_not_found', 'Custom OAuth provider not found');
  return provider;
}

/** The discovery document of an OpenID provider. Its endpoints are those of the test provider, under its own issuer. */
function describeProvider(call: Call, issuer: string, identifier: string): JsonObject {
  const base = `${call.authUrl}/test-provider/${identifier}`;
  return {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
  };
}

/** GET /admin/custom-providers: all, newest first; `type=oauth2|oidc` selects. */
export async function listCustomProviders(context: AuthContext, call: Call): Promise<Response> {
  await requireCustomProviders(context, call);
  const type = readParam(call.url.searchParams, 'type');
  if (!['', 'oauth2', 'oidc'].includes(type)) throw invalid("type must be either 'oauth2' or 'oidc'");
  const providers = await context.database.query<CustomProvider>(
    `select * from auth.custom_oauth_providers where $1 in ('', provider_type) order by created_at desc`,
    [type],
  );
  return sendJson(call, { providers: providers.map((provider) => encodeCustomProvider(provider)) });
}

export async function readCustomProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireCustomProviders(context, call);
  return sendJson(call, encodeCustomProvider(await requireProvider(context, call)));
}

async function checkQuota({ database, settings }: AuthContext): Promise<void> {
  if (settings.maxCustomProviders === 0) return;
  const [row] = await database.query<{ count: number }>('select count(*) from auth.custom_oauth_providers');
  if ((row?.count ?? 0) >= settings.maxCustomProviders)
    throw badRequest('over_custom_provider_quota', 'Maximum number of custom OAuth/OIDC providers reached');
}

export async function createCustomProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireCustomProviders(context, call);
  const params = parseCustomProvider(await call.json());
  checkRequired(params);
  const { type, identifier, values } = params;
  checkMappings(values);
  await checkQuota(context);
  checkProviderUrls(type, values);
  if (await findCustomProvider(context.database, identifier))
    throw badRequest('conflict', 'A custom OAuth provider with this identifier already exists');
  const now = nowDate(context);
  const { issuer } = values;
  const isOpenId = type === 'oidc' && issuer !== undefined && issuer !== null;
  const provider = await insertRow<CustomProvider>(context.database, 'auth.custom_oauth_providers', {
    id: crypto.randomUUID(),
    provider_type: type,
    identifier,
    created_at: now,
    updated_at: now,
    ...(isOpenId && {
      scopes: '{openid}',
      cached_discovery: describeProvider(call, issuer, identifier),
      discovery_cached_at: now,
    }),
    ...encodeCustomProviderValues(valuesForType(type, params)),
  }).catch((cause: unknown) => {
    throw internal('Error creating custom OAuth provider', cause);
  });
  return sendJson(call, encodeCustomProvider(provider), 201);
}

/** PUT /admin/custom-providers/:identifier: changes the given fields; type and identifier stay. */
export async function updateCustomProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireCustomProviders(context, call);
  const identifier = readIdentifier(call);
  const params = parseCustomProvider(await call.json());
  checkMappings(params.values);
  const { id, provider_type: type } = await requireProvider(context, call);
  checkProviderUrls(type, params.values);
  const now = nowDate(context);
  const { issuer } = params.values;
  const updated = await updateRow<CustomProvider>(context.database, 'auth.custom_oauth_providers', id, {
    ...encodeCustomProviderValues(valuesForType(type, params)),
    ...(type === 'oidc' &&
      issuer && {
        cached_discovery: describeProvider(call, issuer, identifier),
        discovery_cached_at: now,
      }),
    updated_at: now,
  }).catch((cause: unknown) => {
    throw internal('Error updating custom OAuth provider', cause);
  });
  return sendJson(call, encodeCustomProvider(updated));
}

export async function deleteCustomProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireCustomProviders(context, call);
  const { id } = await requireProvider(context, call);
  await context.database.query('delete from auth.custom_oauth_providers where id = $1', [id]);
  return new Response(null, { status: 204 });
}
