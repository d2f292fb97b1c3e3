import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { metadataOf, ssoProviders, withOrganization } from './organization.ts';
import { searchAuditLog } from './audit-log.ts';
import { assertRefusal } from './hook-call.ts';
import { NotRunError } from '../../target/target.ts';
import { enrollTotp } from './totp.ts';
import {
  assertError,
  assertStatus,
  at,
  jwtPartOf,
  locationOf,
  type WireResponse,
} from '../../target/wire.ts';

const audit = auditsOf('auth');
const options = {
  source: 'protocol/auth.md#administration',
  needs: ['service-key'],
  since: '1.0.0',
} as const;
const ofSso = { ...options, source: 'protocol/auth.md#single-sign-on' } as const;

const entryMembers = ({ json }: WireResponse, member: string): readonly unknown[] =>
  (json as readonly unknown[]).map((entry) => at(entry, 'payload', member));

/** Prints an object with its members in alphabetical order. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );

const customProviders = '/custom-providers';
const custom = {
  provider_type: 'oauth2',
  name: 'Audit',
  client_id: 'audit-client',
  client_secret: 'audit-secret',
  // An address of TEST-NET-3 (RFC 5737), which a server need not resolve.
  authorization_url: 'https://203.0.113.1/authorize',
  token_url: 'https://203.0.113.1/token',
  userinfo_url: 'https://203.0.113.1/userinfo',
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

/** Acts as a new user in each way that the audit log records for a mailed address. */
async function actAsUser(context: AuditContext) {
  const { auth } = context;
  const [email, password] = [context.newEmail(), 'Secret-1 of the log'];
  const post = (path: string, body: object, token?: string) =>
    auth.send('POST', path, { body, ...(token === undefined ? {} : { token }) });
  const signUp = () => post('/signup', { email, password, data: { full_name: 'Ada' } });
  const signedUp = await signUp();
  assertStatus(signedUp, 200);
  await post('/verify', { type: 'signup', email, token: await context.mailedCode(email) });
  await signUp();
  const session = await context.signIn(email, password);
  const refresh_token = String(at(session.json, 'refresh_token'));
  const refreshed = await auth.send('POST', '/token', {
    query: { grant_type: 'refresh_token' },
    body: { refresh_token },
  });
  const token = String(at(refreshed.json, 'access_token'));
  await auth.send('PUT', '/user', { token, body: { data: { a: 1 } } });
  await auth.send('GET', '/reauthenticate', { token });
  await context.mail(email);
  await post('/recover', { email });
  await post('/verify', { type: 'recovery', email, token: await context.mailedCode(email) });
  const enrolled = await post('/factors', { factor_type: 'totp', friendly_name: 'log' }, token);
  const factor_id = String(at(enrolled.json, 'id'));
  await post(`/factors/${factor_id}/challenge`, {}, token);
  await auth.send('DELETE', `/factors/${factor_id}`, { token });
  await post('/logout', {}, token);
  // A refresh revokes a token of twelve characters; a counter advances.
  const hasCounter = refresh_token.length > 12;
  return { id: at(signedUp.json, 'id'), email, token, factor_id, hasCounter };
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
      await searchAuditLog(context, `author:${user.email}`);
      const own = await search(`author:${user.email}`);
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
        const isPrivate = 'URL cannot resolve to private network addresses';
        const isLinkLocal = 'URL cannot resolve to link-local addresses';
        const wrong: readonly (readonly [object, string])[] = [
          [{ identifier: 'other' }, "identifier must start with 'custom:' prefix, e.g. 'custom:other'"],
          [{ identifier: '' }, 'identifier is required'],
          [{ provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
          [{ provider_type: 'oidc' }, 'issuer is required for OIDC providers'],
          [{ name: '' }, 'name is required'],
          [{ client_id: '' }, 'client_id is required'],
          [{ client_secret: '' }, 'client_secret is required'],
          [{ authorization_url: '' }, 'authorization_url is required for OAuth2 providers'],
          [{ token_url: '' }, 'token_url is required for OAuth2 providers'],
          [{ userinfo_url: '' }, 'userinfo_url is required for OAuth2 providers'],
          [{ authorization_url: 'https://[::1' }, 'Invalid URL format'],
          [{ authorization_url: 'http://203.0.113.1/authorize' }, 'URL must use HTTPS'],
          [{ authorization_url: 'https:///authorize' }, 'URL must have a valid hostname'],
          [
            { authorization_url: 'https://localhost/token' },
            'URL cannot point to localhost or loopback addresses',
          ],
          [{ authorization_url: 'https://192.168.0.1/token' }, isPrivate],
          [{ authorization_url: 'https://127.1.2.3/token' }, 'URL cannot resolve to loopback addresses'],
          [{ authorization_url: 'https://10.1.2.3/token' }, isPrivate],
          [{ authorization_url: 'https://172.16.1.2/token' }, isPrivate],
          [{ authorization_url: 'https://[fe80::1]/token' }, isLinkLocal],
          [{ authorization_url: 'https://[fd00::1]/token' }, isPrivate],
          [{ authorization_url: 'https://169.254.169.254/userinfo' }, isLinkLocal],
          [{ token_url: 'http://203.0.113.1/' }, 'URL must use HTTPS'],
          [{ userinfo_url: 'http://203.0.113.1/' }, 'URL must use HTTPS'],
          [{ jwks_uri: 'http://203.0.113.1/' }, 'URL must use HTTPS'],
          [
            { authorization_params: { prompt: 'login', state: 'own' } },
            'Cannot override reserved OAuth parameter: state',
          ],
          [{ authorization_params: { prompt: 1 } }, 'Authorization parameter "prompt" must be a string'],
          [
            { attribute_mapping: { name: 'name', role: 'role' } },
            'Cannot map to protected system field: role',
          ],
          [
            { custom_claims_allowlist: ['team', ' '] },
            'custom_claims_allowlist entries must be non-empty strings',
          ],
        ];
        for (const [change, message] of wrong) {
          const body = { ...custom, identifier: other, ...change };
          assertRefusal(
            await context.admin('POST', customProviders, body),
            400,
            'validation_failed',
            message,
          );
        }
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
        const replaced = await context.admin('PUT', path, { metadata_xml: metadataOf(entityId) });
        assertStatus(replaced, 200);
        assert.equal(at(replaced.json, 'saml', 'entity_id'), entityId, 'entity_id with the same metadata');
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
        const formats = ['2.0:nameid-format:persistent', '1.1:nameid-format:emailAddress'];
        const wrong: readonly (readonly [object, string])[] = [
          [{ type: 'oidc', metadata_xml: other }, "Only 'saml' supported for SSO provider type"],
          [{}, 'Either metadata_xml or metadata_url must be set'],
          [
            { metadata_xml: other, metadata_url: 'https://example.com/metadata' },
            'Only one of metadata_xml or metadata_url needs to be set',
          ],
          [{ metadata_url: 'http://example.com/metadata' }, 'metadata_url is not a HTTPS URL'],
          [
            { metadata_xml: other.replace(/ entityID="[^"]*"/, '') },
            'SAML Metadata does not contain an EntityID',
          ],
          [
            { metadata_xml: other.replace(/<IDPSSODescriptor.*<\/IDPSSODescriptor>/, '') },
            'SAML Metadata does not contain any IDPSSODescriptor',
          ],
        ];
        for (const [body, message] of wrong)
          assertRefusal(await create(body), 400, 'validation_failed', message);
        const format = await create({ metadata_xml: other, name_id_format: 'unknown' });
        assertError(format, 400, 'validation_failed');
        for (const name of formats)
          assert.ok(format.text.includes(`urn:oasis:names:tc:SAML:${name}`), `the refusal names ${name}`);
        assertRefusal(
          await create({ metadata_xml: metadataOf(entityId) }),
          422,
          'saml_idp_already_exists',
          `SAML Identity Provider with this EntityID (${entityId}) already exists`,
        );
        assertRefusal(
          await create({ metadata_xml: other, domains: [`new.${domain}`, domain] }),
          400,
          'sso_domain_already_exists',
          `SSO Domain '${domain}' is already assigned to an SSO identity provider (${id})`,
        );
        assertRefusal(
          await context.admin('PUT', `${ssoProviders}/${id}`, { metadata_xml: other }),
          400,
          'saml_entity_id_mismatch',
          `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${entityId}' but got '${entityId}/other'`,
        );
        const resource_id = context.run.newName();
        const second = await create({ metadata_xml: other, resource_id });
        assertStatus(second, 201);
        const conflict = await context.admin('PUT', `${ssoProviders}/${id}`, { resource_id });
        await context.admin('DELETE', `${ssoProviders}/${String(at(second.json, 'id'))}`);
        assertRefusal(
          conflict,
          422,
          'conflict',
          'Updating SSO provider failed, likely due to a conflict. Try again?',
        );
        assertError(await context.admin('GET', `${ssoProviders}/no-uuid`), 404, 'sso_provider_not_found');
      }),
  ),
  audit(
    'AUTH-1238',
    'the audit log has who changed and removed the factor of a user',
    options,
    async (context) => {
      const { id, email, accessToken } = await context.newUser();
      const factor = await enrollTotp(context, accessToken);
      const path = `/users/${id}/factors/${factor.id}`;
      assertStatus(await context.admin('PUT', path, { friendly_name: 'renamed' }), 200);
      assertStatus(await context.admin('DELETE', path), 200);
      const traits = { user_id: id, factor_id: factor.id };
      for (const [action, actor, expected] of [
        ['factor_updated', 'service_role', { ...traits, factor_type: 'totp' }],
        ['factor_deleted', email, traits],
      ] as const) {
        const entries = await searchAuditLog(context, `action:${action}`);
        const payload = entries
          .map((entry) => at(entry, 'payload'))
          .find((one) => at(one, 'traits', 'factor_id') === factor.id);
        assert.deepEqual(
          ['actor_username', 'log_type', 'traits'].map((member) => at(payload, member)),
          [actor, 'factor', expected],
          `actor, log_type and traits of ${action}`,
        );
      }
      const all = await context.admin('GET', '/audit?per_page=2');
      assert.equal(at(all.json, 'length'), 2, 'the number of entries of a page');
    },
  ),
  audit(
    'AUTH-841',
    'the audit log has each action of a user with its type and its traits',
    { ...options, needs: ['service-key', 'mailbox', 'email-confirmation'] },
    async (context) => {
      const { id, email, token, factor_id, hasCounter } = await actAsUser(context);
      const logged = await searchAuditLog(context, `author:${email}`);
      const payloads = logged.map((entry) => at(entry, 'payload'));
      const traits = { provider: 'email' };
      const pending = { factor_id, factor_status: 'unverified' };
      const session_id = at(jwtPartOf(token), 'session_id');
      const expected = [
        ['user_confirmation_requested', 'user', traits],
        ['user_signedup', 'team', traits],
        ['user_repeated_signup', 'user', traits],
        ['login', 'account', traits],
        ['token_refreshed', 'token', undefined],
        ...(hasCounter ? [] : [['token_revoked', 'token', undefined]]),
        ['user_modified', 'user', undefined],
        ['user_reauthenticate_requested', 'user', undefined],
        ['user_recovery_requested', 'user', undefined],
        ['login', 'account', undefined],
        ['factor_in_progress', 'factor', { factor_id }],
        ['challenge_created', 'factor', pending],
        ['factor_unenrolled', 'factor', { ...pending, session_id }],
        ['logout', 'account', undefined],
      ];
      // Entries of one request may have one time.
      const inOrder = (list: readonly unknown[]) => list.map((one) => sortedJson(one)).toSorted();
      assert.deepEqual(
        inOrder(payloads.map((one) => ['action', 'log_type', 'traits'].map((member) => at(one, member)))),
        inOrder(expected),
        'action, log_type and traits of the entries',
      );
      for (const payload of payloads)
        assert.deepEqual(
          ['actor_id', 'actor_username', 'actor_name', 'actor_via_sso'].map((member) => at(payload, member)),
          [id, email, 'Ada', false],
          'the actor of each entry',
        );
    },
  ),
  audit('AUTH-842', 'the audit log has what an administrator did to a user', options, async (context) => {
    const [email, invited] = [context.newEmail(), context.newEmail()];
    const created = await context.admin('POST', '/users', { email });
    const user_id = String(at(created.json, 'id'));
    await context.admin('PUT', `/users/${user_id}`, { user_metadata: { a: 1 } });
    await context.admin('DELETE', `/users/${user_id}`);
    const link = await context.admin('POST', '/generate_link', { type: 'invite', email: invited });
    const traits = { user_id, user_email: email, user_phone: '' };
    const expected = {
      user_signedup: { ...traits, provider: 'email' },
      user_modified: traits,
      user_deleted: traits,
      user_invited: { user_id: at(link.json, 'id'), user_email: invited },
    };
    for (const [action, own] of Object.entries(expected)) {
      const logged = await searchAuditLog(context, `action:${action}`);
      const payloads = logged.map((entry) => at(entry, 'payload'));
      const payload = payloads.find((one) => at(one, 'traits', 'user_id') === own.user_id);
      const type = action === 'user_modified' ? 'user' : 'team';
      assert.deepEqual(
        [at(payload, 'log_type'), sortedJson(at(payload, 'traits'))],
        [type, sortedJson(own)],
        `log_type and traits of ${action}`,
      );
      assert.equal(at(payload, 'actor_username'), 'service_role', `actor_username of ${action}`);
      assert.equal(at(payload, 'actor_id'), '00000000-0000-0000-0000-000000000000', `actor_id of ${action}`);
    }
  }),
  audit(
    'AUTH-843',
    'an OpenID provider has an issuer, the scope openid, and none of the addresses of OAuth 2',
    options,
    async (context) => {
      const identifier = `custom:${context.run.newName()}`;
      const { provider_type: _, authorization_url, token_url, userinfo_url, ...common } = custom;
      const urls = { authorization_url, token_url, userinfo_url };
      const issuer = 'https://accounts.google.com';
      const body = { ...common, ...urls, provider_type: 'oidc', identifier, issuer, skip_nonce_check: true };
      const created = await context.admin('POST', customProviders, body);
      if (created.status === 404) throw new NotRunError('the target takes no custom providers');
      if (created.status === 400 && /Unable to resolve|discovery/.test(created.text))
        throw new NotRunError('the target does not reach the provider');
      assertStatus(created, 201);
      const path = `${customProviders}/${identifier}`;
      try {
        const of = (json: unknown) =>
          ['provider_type', 'issuer', 'scopes', 'skip_nonce_check', ...Object.keys(urls)].map((member) =>
            at(json, member),
          );
        const absent = [undefined, undefined, undefined];
        const scopes = ['openid', 'audit'];
        assert.deepEqual(of(created.json), ['oidc', issuer, scopes, true, ...absent], 'the new provider');
        const changed = await context.admin('PUT', path, {
          scopes: ['email'],
          ...urls,
          skip_nonce_check: false,
        });
        assert.deepEqual(
          of(changed.json),
          ['oidc', issuer, ['openid', 'email'], false, ...absent],
          'the changed provider',
        );
        const listed = await context.admin('GET', `${customProviders}?type=oidc`);
        const providers = at(listed.json, 'providers') as readonly unknown[];
        assert.ok(
          providers.some((one) => at(one, 'identifier') === identifier),
          'the provider is listed by its type',
        );
        for (const wrong of [{ issuer: 'http://accounts.google.com' }, { issuer: 'no address' }])
          assertError(await context.admin('PUT', path, wrong), 400, 'validation_failed');
      } finally {
        await context.admin('DELETE', path);
      }
    },
  ),
  audit(
    'AUTH-844',
    'a custom provider takes ID tokens if it is an OpenID provider and enabled',
    options,
    (context) =>
      withCustomProvider(context, async (provider) => {
        const grant = (name: string) =>
          context.auth.send('POST', '/token', {
            query: { grant_type: 'id_token' },
            body: { provider: name, id_token: 'nonsense' },
          });
        assertError(await grant(`${provider}-unknown`), 400, 'validation_failed');
        assertError(await grant(provider), 400, 'validation_failed');
        await context.admin('PUT', `${customProviders}/${provider}`, { enabled: false });
        assertError(await grant(provider), 400, 'provider_disabled');
      }),
  ),
  audit(
    'AUTH-846',
    'metadata of an identity provider are read as XML, with one entity and one description',
    ofSso,
    (context) =>
      withOrganization(context, async ({ entityId, domain }) => {
        const own = `${entityId}/second?a=1&b="2"`;
        const plain = metadataOf(`${entityId}/second`);
        const [attribute] = / entityID="[^"]*"/.exec(plain) ?? [''];
        const [description] = /<IDPSSODescriptor.*<\/IDPSSODescriptor>/.exec(plain) ?? [''];
        const escaped = own.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
        const create = (metadata_xml: string, fields: object = {}) =>
          context.admin('POST', ssoProviders, { type: 'saml', metadata_xml, ...fields });
        const prefixed = plain.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1md:').replace('xmlns=', 'xmlns:md=');
        const accepted = [
          [plain.replace(attribute, ` entityID="${escaped}"`), own],
          [plain.replace(attribute, ` entityID='${entityId}/second'`), `${entityId}/second`],
          [`<?xml version="1.0"?><!-- < -->${prefixed}`, `${entityId}/second`],
          [
            `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${plain}</EntitiesDescriptor>`,
            `${entityId}/second`,
          ],
          [
            `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${plain.replace(description, '').replace('/second', '/first')}${plain}</EntitiesDescriptor>`,
            `${entityId}/second`,
          ],
        ] as const;
        for (const [xml, expected] of accepted) {
          const created = await create(xml);
          assertStatus(created, 201);
          await context.admin('DELETE', `${ssoProviders}/${String(at(created.json, 'id'))}`);
          assert.equal(at(created.json, 'saml', 'entity_id'), expected, 'entity_id of the provider');
        }
        assertError(
          await create(plain.replace(description, description + description)),
          400,
          'validation_failed',
        );
        for (const xml of ['no XML', plain.slice(0, -1), plain.replace('</EntityDescriptor>', '')])
          assertError(await create(xml), 500, 'unexpected_failure');
        const invalid = { type: 'saml', metadata_url: 'no address' };
        assertError(await context.admin('POST', ssoProviders, invalid), 400, 'validation_failed');
        const second = await create(plain);
        assertStatus(second, 201);
        const path = `${ssoProviders}/${String(at(second.json, 'id'))}`;
        try {
          const taken = await context.admin('PUT', path, { domains: [domain] });
          assertError(taken, 400, 'sso_domain_already_exists');
          const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
          for (const name_id_format of [format, undefined]) {
            const formatted = await context.admin('PUT', path, { metadata_xml: plain, name_id_format });
            assert.equal(
              at(formatted.json, 'saml', 'name_id_format'),
              name_id_format,
              'name_id_format of the provider',
            );
            assert.deepEqual(at(formatted.json, 'domains'), [], 'the domains of the provider');
          }
        } finally {
          await context.admin('DELETE', path);
        }
      }),
  ),
];
