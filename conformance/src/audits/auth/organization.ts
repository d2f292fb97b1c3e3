import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, textAt, type WireResponse } from '../../target/wire.ts';

export const ssoProviders = '/sso/providers';

/** The SAML metadata of an identity provider with one page to sign in. */
export const metadataOf = (entityId: string): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${new URL('/sso', entityId).href}"></SingleSignOnService></IDPSSODescriptor></EntityDescriptor>`;

export interface Organization {
  readonly id: string;
  readonly entityId: string;
  readonly domain: string;
  readonly created: WireResponse;
}

/** @throws NotRunError without SAML. */
export async function requireSaml({ auth }: AuditContext): Promise<void> {
  const settings = await auth.send('GET', '/settings');
  if (at(settings.json, 'saml_enabled') !== true) throw new NotRunError('SAML is disabled');
}

/** Adds the identity provider of an organization, and removes it after `task`. @throws NotRunError without SAML. */
export async function withOrganization(
  context: AuditContext,
  task: (organization: Organization) => Promise<void>,
  fields: object = {},
): Promise<void> {
  await requireSaml(context);
  const domain = `${context.run.newName()}.example.com`;
  const entityId = `https://${domain}/metadata`;
  const attribute_mapping = { keys: { name: { name: 'displayName' } } };
  const body = { type: 'saml', metadata_xml: metadataOf(entityId), domains: [domain], attribute_mapping };
  const created = await context.admin('POST', ssoProviders, { ...body, ...fields });
  assertStatus(created, 201);
  const id = textAt(created, 'id');
  try {
    await task({ id, entityId, domain, created });
  } finally {
    await context.admin('DELETE', `${ssoProviders}/${id}`);
  }
}
