import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { metadataOf, ssoProviders, withOrganization } from './organization.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, locationOf, type WireResponse } from '../../target/wire.ts';

const audit = auditsOf('auth');
const options = {
  source: 'protocol/auth.md#administration',
  needs: ['service-key'],
  since: '1.0.0',
} as const;
const ofSso = { ...options, source: 'protocol/auth.md#single-sign-on' } as const;

const entryMembers = ({ json }: WireResponse, member: string): readonly unknown[] =>
  (json as readonly unknown[]).map((entry) => at(entry, 'payload', member));

const customProviders = '/custom-providers';
const custom = {
  provider_type: 'oauth2',
  name: 'Audit',
  client_id: 'audit-client',
  client_secret: 'audit-secret',
  authorization_url: 'https://example.com/authorize',
  token_url: 'https://example.com/token',
  userinfo_url: 'https://example.com/userinfo',
  scopes: ['audit'],
} as const;

/** Adds a custom provider, and removes it after `task`. @throws NotRunError if the target takes none. */
async function withCustomProvider(
  context: AuditContext,
  task: (identifier: string, created: WireResponse) => Promise<void>,
): Promise<void> {
  const identifier = `custom:${context.run.newName()}`;
  const created = await context.admin('POST', customProviders, { ...custom, identifier });
  if (created.status === 404) throw new NotRunError('the target takes no custom providers');
  if (/Unable to resolve/.test(created.text)) throw new NotRunError('the target resolves no host names');
  assertStatus(created, 201);
  try {
    await task(identifier, created);
  } finally {
    await context.admin('DELETE', `${customProviders}/${identifier}`);
  }
}

/** The audit log, and the providers that an administrator adds. */
export const adminProviderAudits: readonly Audit[] = [
  audit(
    'AUTH-831',
    'the audit log has who did what, newest first, and is searched by author, action and type',
    options,
    async (context) => {
      const user = await context.newUser();
      await context.auth.send('PUT', '/user', { token: user.accessToken, body: { data: { a: 1 } } });
      const search = (query: string) => context.admin('GET', `/audit?query=${encodeURIComponent(query)}`);
      const own = await search(`author:${user.email}`);
      assertStatus(own, 200);
      if ((own.json as readonly unknown[]).length === 0) throw new NotRunError('the audit log is disabled');
      assert.deepEqual(
        entryMembers(own, 'action').slice(0, 2),
        ['user_modified', 'login'],
        'the last actions',
      );
      assert.deepEqual(entryMembers(own, 'log_type').slice(0, 2), ['user', 'account'], 'their types');
      assert.deepEqual(
        [at(own.json, 0, 'payload', 'actor_id'), at(own.json, 0, 'payload', 'actor_username')],
        [user.id, user.email],
        'actor_id and actor_username of the last entry',
      );
      assert.ok(Number(own.headers.get('x-total-count')) >= 2, 'X-Total-Count counts the entries');
      assert.ok(
        entryMembers(await search('action:login'), 'action').every((one) => one === 'login'),
        'the logins',
      );
      const types = entryMembers(await search('type:account'), 'log_type');
      assert.ok(
        types.every((type) => type === 'account'),
        'the entries of a type',
        types.join(),
      );
      for (const query of ['ip:127.0.0.1', 'action'])
        assertError(await search(query), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-832',
    'a custom provider is added without showing its secret, listed by its type, changed and removed',
    options,
    (context) =>
      withCustomProvider(context, async (identifier, created) => {
        const path = `${customProviders}/${identifier}`;
        const members = {
          identifier,
          enabled: true,
          pkce_enabled: true,
          ...custom,
          client_secret: undefined,
        };
        const { json } = await context.admin('GET', path);
        for (const [member, value] of Object.entries(members)) {
          assert.deepEqual(at(created.json, member), value, `${member} of the response`);
          assert.deepEqual(at(json, member), value, `${member} of the provider`);
        }
        const identifiersOf = async (type: string) => {
          const listed = await context.admin('GET', `${customProviders}?type=${type}`);
          return (at(listed.json, 'providers') as readonly unknown[]).map((one) => at(one, 'identifier'));
        };
        assert.ok((await identifiersOf('oauth2')).includes(identifier), 'the provider is listed by its type');
        assert.ok(!(await identifiersOf('oidc')).includes(identifier), 'another type does not list it');
        const changed = await context.admin('PUT', path, { name: 'Renamed' });
        assert.deepEqual(
          [at(changed.json, 'name'), at(changed.json, 'client_id')],
          ['Renamed', 'audit-client'],
          'name and client_id of the changed provider',
        );
        assertStatus(await context.admin('DELETE', path), 204);
        assertError(await context.admin('GET', path), 404, 'custom_provider_not_found');
      }),
  ),
  audit(
    'AUTH-833',
    'a custom provider signs in with its client and its scopes while it is enabled',
    options,
    (context) =>
      withCustomProvider(context, async (provider) => {
        const begin = () =>
          context.auth.send('GET', '/authorize', { query: { provider, ...context.newPkce().challenge } });
        const begun = await begin();
        assertStatus(begun, 302);
        const sent = locationOf(begun).searchParams;
        assert.deepEqual(
          [sent.get('client_id'), sent.get('scope')],
          ['audit-client', 'audit'],
          'client_id and scope of the redirect',
        );
        await context.admin('PUT', `${customProviders}/${provider}`, { enabled: false });
        assertError(await begin(), 400, 'validation_failed');
      }),
  ),
  audit(
    'AUTH-834',
    'a custom provider without a member that it needs, or with an unsafe one, is refused',
    options,
    (context) =>
      withCustomProvider(context, async (identifier) => {
        const other = `${identifier}-other`;
        const wrong = [
          { identifier: 'other' },
          { identifier: '' },
          { provider_type: 'saml' },
          { provider_type: 'oidc' },
          { name: '' },
          { client_id: '' },
          { client_secret: '' },
          { token_url: '' },
          { userinfo_url: '' },
          { authorization_url: 'http://example.com/authorize' },
          { token_url: 'https://localhost/token' },
          { token_url: 'https://192.168.0.1/token' },
          { userinfo_url: 'https://169.254.169.254/userinfo' },
          { authorization_params: { prompt: 'login', state: 'own' } },
          { attribute_mapping: { name: 'name', role: 'role' } },
          { custom_claims_allowlist: ['team', ' '] },
        ];
        for (const change of wrong)
          assertError(
            await context.admin('POST', customProviders, { ...custom, identifier: other, ...change }),
            400,
            'validation_failed',
          );
        assertError(await context.admin('POST', customProviders, { ...custom, identifier }), 400, 'conflict');
        assertError(await context.admin('GET', `${customProviders}?type=saml`), 400, 'validation_failed');
        assertError(await context.admin('GET', `${customProviders}/google`), 400, 'validation_failed');
      }),
  ),
  audit(
    'AUTH-714',
    'an identity provider is added with its domains, listed without its metadata, changed and removed',
    ofSso,
    (context) =>
      withOrganization(context, async ({ id, entityId, domain, created }) => {
        const path = `${ssoProviders}/${id}`;
        const { json } = await context.admin('GET', path);
        for (const provider of [created.json, json])
          assert.deepEqual(
            [
              at(provider, 'saml', 'entity_id'),
              at(provider, 'saml', 'metadata_xml'),
              at(provider, 'saml', 'attribute_mapping', 'keys', 'name', 'name'),
              at(provider, 'domains', 0, 'domain'),
            ],
            [entityId, metadataOf(entityId), 'displayName', domain],
            'entity_id, metadata_xml, the mapping and the domain',
          );
        const items = at((await context.admin('GET', ssoProviders)).json, 'items') as readonly unknown[];
        const listed = items.find((item) => at(item, 'id') === id);
        assert.deepEqual(
          [at(listed, 'saml', 'entity_id'), at(listed, 'saml', 'metadata_xml')],
          [entityId, undefined],
          'entity_id and metadata_xml in the list',
        );
        const domains = [`a.${domain}`, `b.${domain}`];
        const changed = await context.admin('PUT', path, { domains });
        const left = at(changed.json, 'domains') as readonly unknown[];
        assert.deepEqual(
          left.map((one) => String(at(one, 'domain'))).toSorted(),
          domains,
          'the changed domains',
        );
        assert.equal(at(changed.json, 'saml', 'entity_id'), entityId, 'entity_id of the changed provider');
        const removed = await context.admin('DELETE', path);
        assert.equal(at(removed.json, 'id'), id, 'id of the removed provider');
        assertError(await context.admin('GET', path), 404, 'sso_provider_not_found');
      }),
  ),
  audit(
    'AUTH-715',
    'an identity provider with wrong metadata, or with what another one has, is refused',
    ofSso,
    (context) =>
      withOrganization(context, async ({ id, entityId, domain }) => {
        const create = (body: object) => context.admin('POST', ssoProviders, { type: 'saml', ...body });
        const other = metadataOf(`${entityId}/other`);
        const wrong = [
          { type: 'oidc', metadata_xml: other },
          {},
          { metadata_xml: other, metadata_url: 'https://example.com/metadata' },
          { metadata_url: 'http://example.com/metadata' },
          { metadata_xml: other.replace(/ entityID="[^"]*"/, '') },
          { metadata_xml: other.replace(/<IDPSSODescriptor.*<\/IDPSSODescriptor>/, '') },
          { metadata_xml: other, name_id_format: 'unknown' },
        ];
        for (const body of wrong) assertError(await create(body), 400, 'validation_failed');
        const same = await create({ metadata_xml: metadataOf(entityId) });
        assertError(same, 422, 'saml_idp_already_exists');
        const taken = await create({ metadata_xml: other, domains: [`new.${domain}`, domain] });
        assertError(taken, 400, 'sso_domain_already_exists');
        const replaced = await context.admin('PUT', `${ssoProviders}/${id}`, { metadata_xml: other });
        assertError(replaced, 400, 'saml_entity_id_mismatch');
        assertError(await context.admin('GET', `${ssoProviders}/no-uuid`), 404, 'sso_provider_not_found');
      }),
  ),
];
