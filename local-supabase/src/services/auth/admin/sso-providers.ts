import { isEqualJson } from '../../../platform/json.ts';
import type { Sql } from '../../../database/database.ts';
import { type AuthContext, inTransaction, nowDate } from '../context.ts';
import { type Call, type JsonObject, sendJson, readParam } from '../http/call.ts';
import { badRequest, notFound, unprocessable } from '../http/errors.ts';
import { insertRow, isUuid, updateRow } from '../rows/rows.ts';
import { requireAdmin } from '../sessions/authentication.ts';
import type { SamlMetadata } from './saml-metadata.ts';
import { loadMetadata, parseSsoProvider, type SsoProviderParams } from './sso-provider-params.ts';

interface SamlRow {
  readonly id: string;
  readonly entity_id: string;
  readonly metadata_xml: string;
  readonly metadata_url: string | null;
  readonly attribute_mapping: JsonObject;
  readonly name_id_format: string | null;
}

/** A company's identity provider with its domains; `saml` is null for a provider that exists in the settings only. */
interface SsoProvider {
  readonly id: string;
  readonly resource_id: string | null;
  readonly disabled: boolean | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly saml: SamlRow | null;
  readonly domains: readonly string[];
}

const missing = (): Error => notFound('sso_provider_not_found', 'SSO Identity Provider not found');

async function findProviders(sql: Sql, condition: string, value: string): Promise<SsoProvider[]> {
  return sql.query<SsoProvider>(
    `select p.*, to_jsonb(s) as saml,
       array(select d.domain from auth.sso_domains d where d.sso_provider_id = p.id order by d.created_at, d.domain) as domains
     from auth.sso_providers p left join auth.saml_providers s on s.sso_provider_id = p.id
     where ${condition} order by p.created_at, p.id`,
    [value],
  );
}

async function loadProvider(sql: Sql, id: string): Promise<SsoProvider> {
  const [provider] = await findProviders(sql, 'p.id = $1', id);
  if (provider === undefined) throw missing();
  return provider;
}

/** The provider of the path, by its id or by `resource_<resource id>`. Throws 404 sso_provider_not_found. */
async function requireProvider(context: AuthContext, call: Call): Promise<SsoProvider> {
  const name = call.param('idp_id');
  const prefix = 'resource_';
  if (!name.startsWith(prefix)) {
    if (!isUuid(name)) throw missing();
    return loadProvider(context.database, name);
  }
  const resourceId = name.slice(prefix.length);
  const [provider] = await findProviders(context.database, 'p.resource_id = $1', resourceId);
  if (provider === undefined) throw missing();
  return provider;
}

function encodeSaml(saml: SamlRow | null, withXml: boolean): JsonObject {
  if (saml === null) return { entity_id: '', attribute_mapping: {} };
  const { entity_id, metadata_xml, metadata_url, attribute_mapping, name_id_format } = saml;
  return {
    entity_id,
    ...(withXml && { metadata_xml }),
    ...(metadata_url !== null && { metadata_url }),
    attribute_mapping,
    ...(name_id_format !== null && { name_id_format }),
  };
}

function encodeProvider(provider: SsoProvider, withXml = true): JsonObject {
  const { id, resource_id, disabled, saml, domains, created_at, updated_at } = provider;
  return {
    id,
    ...(resource_id !== null && { resource_id }),
    disabled,
    saml: encodeSaml(saml, withXml),
    domains: domains.map((domain) => ({ domain })),
    created_at,
    updated_at,
  };
}

/** GET /admin/sso/providers: all, without their metadata; filtered by `resource_id` or `resource_id_prefix`. */
export async function listSsoProviders(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const query = call.url.searchParams;
  const [resourceId, prefix] = [readParam(query, 'resource_id'), readParam(query, 'resource_id_prefix')];
  const found = await (resourceId === ''
    ? findProviders(context.database, `$1 = '' or p.resource_id like $1 || '%'`, prefix)
    : findProviders(context.database, 'p.resource_id = $1', resourceId));
  return sendJson(call, { items: found.map((provider) => encodeProvider(provider, false)) });
}

export async function readSsoProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  return sendJson(call, encodeProvider(await requireProvider(context, call)));
}

async function findOwner(sql: Sql, domain: string): Promise<string | undefined> {
  const [row] = await sql.query<{ sso_provider_id: string }>(
    'select sso_provider_id from auth.sso_domains where domain = $1',
    [domain],
  );
  return row?.sso_provider_id;
}

async function addDomains(
  sql: Sql,
  now: Date,
  providerId: string,
  domains: readonly string[],
): Promise<void> {
  for (const domain of domains)
    await insertRow(sql, 'auth.sso_domains', {
      id: crypto.randomUUID(),
      sso_provider_id: providerId,
      domain,
      created_at: now,
      updated_at: now,
    });
}

async function insertProvider(
  sql: Sql,
  now: Date,
  params: SsoProviderParams,
  metadata: SamlMetadata,
): Promise<string> {
  const times = { created_at: now, updated_at: now };
  const id = crypto.randomUUID();
  await insertRow(sql, 'auth.sso_providers', {
    id,
    resource_id: params.resourceId ?? null,
    disabled: params.disabled ?? null,
    ...times,
  });
  await insertRow(sql, 'auth.saml_providers', {
    id: crypto.randomUUID(),
    sso_provider_id: id,
    entity_id: metadata.entityId,
    metadata_xml: metadata.xml,
    metadata_url: params.metadataUrl || null,
    attribute_mapping: params.attributeMapping,
    name_id_format: params.nameIdFormat || null,
    ...times,
  });
  await addDomains(sql, now, id, params.domains ?? []);
  return id;
}

export async function createSsoProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const { database } = context;
  const params = parseSsoProvider(await call.json(), true);
  const metadata = await loadMetadata(context, params);
  if (metadata === null) throw new Error('The parameters of a new provider name no metadata');
  const [known] = await database.query('select 1 from auth.saml_providers where entity_id = $1', [
    metadata.entityId,
  ]);
  if (known !== undefined)
    throw unprocessable(
      'saml_idp_already_exists',
      `SAML Identity Provider with this EntityID (${metadata.entityId}) already exists`,
    );
  for (const domain of params.domains ?? []) {
    const owner = await findOwner(database, domain);
    if (owner !== undefined)
      throw badRequest(
        'sso_domain_already_exists',
        `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner})`,
      );
  }
  const provider = await inTransaction(context, async ({ sql }) =>
    loadProvider(sql, await insertProvider(sql, nowDate(context), params, metadata)),
  );
  return sendJson(call, encodeProvider(provider), 201);
}

function checkEntity(saml: SamlRow | null, metadata: SamlMetadata | null): void {
  const expected = saml?.entity_id ?? '';
  if (metadata === null || metadata.entityId === expected) return;
  throw badRequest(
    'saml_entity_id_mismatch',
    `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${expected}' but got '${metadata.entityId}'`,
  );
}

/** The domains that the provider does not have yet. Throws 400 sso_domain_already_exists. */
async function findNewDomains(sql: Sql, id: string, domains: readonly string[]): Promise<readonly string[]> {
  const fresh: string[] = [];
  for (const domain of domains) {
    const owner = await findOwner(sql, domain);
    if (owner !== undefined && owner !== id)
      throw badRequest(
        'sso_domain_already_exists',
        `SSO domain '${domain}' already assigned to another provider (${owner})`,
      );
    if (owner === undefined) fresh.push(domain);
  }
  return fresh;
}

/** The changes of the SAML row. GoTrue stores the format, or its absence, only together with another change of the row. */
function samlChangesOf(
  saml: SamlRow,
  params: SsoProviderParams,
  metadata: SamlMetadata | null,
): JsonObject | null {
  const { attributeMapping, metadataUrl, nameIdFormat } = params;
  const hasNewMapping = 'keys' in attributeMapping && !isEqualJson(attributeMapping, saml.attribute_mapping);
  if (metadata === null && !hasNewMapping) return null;
  return {
    ...(metadata !== null && { metadata_xml: metadata.xml }),
    ...(metadataUrl !== '' && { metadata_url: metadataUrl }),
    ...(hasNewMapping && { attribute_mapping: attributeMapping }),
    name_id_format: nameIdFormat || null,
  };
}

async function applyParams(
  sql: Sql,
  now: Date,
  provider: SsoProvider,
  params: SsoProviderParams,
  metadata: SamlMetadata | null,
  newDomains: readonly string[],
): Promise<SsoProvider> {
  const { resourceId, disabled, domains } = params;
  const { id, saml } = provider;
  const samlChanges = saml && samlChangesOf(saml, params, metadata);
  const gone = domains === undefined ? [] : provider.domains.filter((domain) => !domains.includes(domain));
  const own = {
    ...(resourceId !== undefined && { resource_id: resourceId || null }),
    ...(disabled !== undefined && { disabled }),
  };
  const isUnchanged =
    !samlChanges &&
    params.nameIdFormat === (saml?.name_id_format ?? '') &&
    gone.length + newDomains.length === 0 &&
    isEqualJson(provider, { ...provider, ...own });
  if (isUnchanged) return provider;
  await updateRow(sql, 'auth.sso_providers', id, { ...own, updated_at: now });
  for (const domain of gone)
    await sql.query('delete from auth.sso_domains where sso_provider_id = $1 and domain = $2', [id, domain]);
  await addDomains(sql, now, id, newDomains);
  if (samlChanges) await updateRow(sql, 'auth.saml_providers', saml.id, { ...samlChanges, updated_at: now });
  return loadProvider(sql, id);
}

/** PUT /admin/sso/providers/:idp_id: changes the given fields. */
export async function updateSsoProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const provider = await requireProvider(context, call);
  const params = parseSsoProvider(await call.json(), false);
  const metadata = await loadMetadata(context, params);
  checkEntity(provider.saml, metadata);
  const newDomains = await findNewDomains(context.database, provider.id, params.domains ?? []);
  const updated = await inTransaction(context, async ({ sql }) =>
    applyParams(sql, nowDate(context), provider, params, metadata, newDomains),
  ).catch((cause: unknown) => {
    context.report(cause);
    throw unprocessable('conflict', 'Updating SSO provider failed, likely due to a conflict. Try again?');
  });
  return sendJson(call, encodeProvider(updated));
}

/** DELETE /admin/sso/providers/:idp_id: returns the deleted provider. */
export async function deleteSsoProvider(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const provider = await requireProvider(context, call);
  await context.database.query('delete from auth.sso_providers where id = $1', [provider.id]);
  return sendJson(call, encodeProvider(provider));
}
