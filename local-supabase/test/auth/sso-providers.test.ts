import { beforeAll, describe, expect, it } from 'vitest';

import { type AuthResponse, type AuthWorld, openAuthWorld } from './auth-world.ts';

const path = '/admin/sso/providers';
const documentOf = (entityId: string): string =>
  `<?xml version="1.0"?><!-- <x> --><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
     <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
       <md:SingleSignOnService Location='https://idp.example/sso?a=1&amp;b=2'/>
     </md:IDPSSODescriptor>
   </md:EntityDescriptor>`;
const email = { keys: { email: { name: 'mail' } } };

let world: AuthWorld;
let first: AuthResponse;
const asAdmin = async (method: string, to: string, body?: unknown): Promise<AuthResponse> =>
  world.ask(method, to, body, { token: world.keys.serviceRoleKey });
const failureOf = async (response: Promise<AuthResponse>) => {
  const { status, body } = await response;
  return [status, body.code, body.message];
};

beforeAll(async () => {
  world = await openAuthWorld({}, undefined, {
    report: () => undefined,
    transport: {
      fetch: async (request) =>
        request.url.endsWith('/gone')
          ? new Response(null, { status: 410 })
          : new Response(documentOf('https://fetched.example')),
      sleep: async () => undefined,
    },
  });
  first = await asAdmin('POST', path, {
    type: 'saml',
    metadata_xml: documentOf('https://idp.example?a=1&amp;b=2'),
    domains: ['first.example', 'second.example'],
    attribute_mapping: email,
    resource_id: 'team-1',
  });
});

describe("a company's identity provider", () => {
  it('is created, read by either id, and signs in by its domains', async () => {
    const { status, body } = first;
    expect([status, body]).toEqual([
      201,
      {
        id: body.id,
        resource_id: 'team-1',
        disabled: null,
        saml: {
          entity_id: 'https://idp.example?a=1&b=2',
          metadata_xml: documentOf('https://idp.example?a=1&amp;b=2'),
          attribute_mapping: email,
        },
        domains: [{ domain: 'first.example' }, { domain: 'second.example' }],
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    for (const name of [body.id, 'resource_team-1'])
      expect((await asAdmin('GET', `${path}/${name}`)).body).toEqual(body);
    const { items } = (await asAdmin('GET', `${path}?resource_id_prefix=team`)).body as unknown as {
      readonly items: readonly { readonly id: string; readonly saml: object }[];
    };
    expect(items.map(({ id }) => id)).toEqual([body.id]);
    expect(items[0]?.saml).not.toHaveProperty('metadata_xml');
    const signIn = { domain: 'second.example', skip_http_redirect: true };
    expect((await world.post('/sso', signIn)).body.url).toContain(`/test-provider/sso/${body.id}`);
  });

  it('accepts new domains, mapping and state, but only metadata of the same entity', async () => {
    const url = 'https://fetched.example/metadata';
    const { body: created } = await asAdmin('POST', path, { type: 'saml', metadata_url: url });
    const one = `${path}/${created.id}`;
    const domains = ['third.example'];
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    const changes = { domains, attribute_mapping: email, name_id_format: format, disabled: true };
    expect((await asAdmin('PUT', one, changes)).body).toMatchObject({
      disabled: true,
      saml: { metadata_url: url, attribute_mapping: email, name_id_format: format },
      domains: [{ domain: 'third.example' }],
    });
    expect(await failureOf(world.post('/sso', { domain: 'third.example' }))).toEqual([
      404,
      'sso_provider_disabled',
      'SSO Provider is currently disabled',
    ]);
    const other = { metadata_xml: documentOf('https://other.example') };
    expect(await failureOf(asAdmin('PUT', one, other))).toEqual([
      400,
      'saml_entity_id_mismatch',
      "SAML Metadata can be updated only if the EntityID matches for the provider; expected 'https://fetched.example' but got 'https://other.example'",
    ]);
    expect(await failureOf(asAdmin('PUT', one, { domains: ['first.example'] }))).toEqual([
      400,
      'sso_domain_already_exists',
      `SSO domain 'first.example' already assigned to another provider (${first.body.id})`,
    ]);
    const persistent = { name_id_format: format.replace('transient', 'persistent') };
    expect((await asAdmin('PUT', one, persistent)).body).toMatchObject({ saml: { name_id_format: format } });
    expect(await failureOf(asAdmin('PUT', one, { resource_id: 'TEAM-1' }))).toEqual([
      422,
      'conflict',
      'Updating SSO provider failed, likely due to a conflict. Try again?',
    ]);
    expect((await asAdmin('PUT', one, { domains: [] })).body).toMatchObject({ domains: [], disabled: true });
    expect((await asAdmin('DELETE', one)).body.id).toBe(created.id);
    expect(await failureOf(asAdmin('GET', one))).toEqual([
      404,
      'sso_provider_not_found',
      'SSO Identity Provider not found',
    ]);
  });

  const xml = documentOf('https://new.example');
  it.each([
    [{ type: 'oidc' }, 400, "Only 'saml' supported for SSO provider type"],
    [{ metadata_xml: '' }, 400, 'Either metadata_xml or metadata_url must be set'],
    [{ metadata_url: 'https://a.example' }, 400, 'Only one of metadata_xml or metadata_url needs to be set'],
    [{ metadata_xml: '', metadata_url: 'http://a.example' }, 400, 'metadata_url is not a HTTPS URL'],
    [{ metadata_xml: xml.replace('entityID', 'name') }, 400, 'SAML Metadata does not contain an EntityID'],
    [
      { metadata_xml: xml.replaceAll('IDPSSO', 'SPSSO') },
      400,
      'SAML Metadata does not contain any IDPSSODescriptor',
    ],
    [
      { metadata_xml: xml.slice(0, -5) },
      500,
      'Unexpected failure, please check server logs for more information',
    ],
    [
      { metadata_xml: documentOf('https://idp.example?a=1&amp;b=2') },
      422,
      'SAML Identity Provider with this EntityID (https://idp.example?a=1&b=2) already exists',
    ],
    [
      { metadata_xml: '', metadata_url: 'https://a.example/gone' },
      400,
      "HTTP 410 error fetching SAML Metadata from URL 'https://a.example/gone'",
    ],
  ])('is refused with %j', async (wrong, status, message) => {
    const response = await asAdmin('POST', path, { type: 'saml', metadata_xml: xml, ...wrong });
    expect([response.status, response.body.message]).toEqual([status, message]);
  });

  it('can read the metadata of this service', async () => {
    const { headers, body } = await world.get('/sso/saml/metadata?download=true');
    const { text } = body as unknown as { readonly text: string };
    expect(headers.get('content-type')).toBe('application/xml');
    expect(headers.get('content-disposition')).toBe('attachment; filename="metadata.xml"');
    expect(text).toContain(
      'validUntil="2031-01-01T00:00:00Z" entityID="http://project.test/auth/v1/sso/saml/metadata"',
    );
    expect(text).toContain('Location="http://project.test/auth/v1/sso/saml/acs" index="1"');
  });
});
