import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, locationOf, textAt, type WireResponse } from '../../target/wire.ts';
import { requireSaml, ssoProviders, withOrganization } from './organization.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#single-sign-on', since: '1.0.0' } as const;
const asAdmin = { ...options, needs: ['service-key'] } as const;

const begin = ({ auth }: AuditContext, body: object): Promise<WireResponse> =>
  auth.send('POST', '/sso', { body });

async function readMetadata({ auth }: AuditContext, query: Readonly<Record<string, string>> = {}) {
  const response = await auth.send('GET', '/sso/saml/metadata', { query });
  assertStatus(response, 200);
  return response;
}

/** The value of an attribute of the first element with this name; undefined without it. */
const attributeOf = ({ text }: WireResponse, element: string, name: string): string | undefined =>
  new RegExp(`<(?:\\w+:)?${element}\\b[^>]*\\s${name}="([^"]*)"`).exec(text)?.[1];

const hoursUntil = (time: string | undefined): number => (Date.parse(time ?? '') - Date.now()) / 3_600_000;
const yearsUntil = (time: string | undefined): number => hoursUntil(time) / 24 / 365.25;

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

const consume = ({ auth }: AuditContext, fields: Readonly<Record<string, string>>) =>
  auth.send('POST', '/sso/saml/acs', { headers: form, body: new URLSearchParams(fields).toString() });

async function relayStateOf(context: AuditContext, domain: string): Promise<string> {
  const begun = await begin(context, { domain, skip_http_redirect: true });
  return new URL(textAt(begun, 'url')).searchParams.get('RelayState') ?? '';
}

/** The error_code of the redirect without an assertion. */
const refusalOf = async (context: AuditContext, RelayState: string): Promise<string | null> =>
  locationOf(await consume(context, { RelayState })).searchParams.get('error_code');

/** Sign-in at the identity provider of an organization by SAML. */
export const singleSignOnAudits: readonly Audit[] = [
  audit(
    'AUTH-751',
    'the SAML metadata name the entity, its endpoints and the formats of a subject',
    options,
    async (context) => {
      await requireSaml(context);
      const metadata = await readMetadata(context);
      const entityId = attributeOf(metadata, 'EntityDescriptor', 'entityID') ?? '';
      assert.match(entityId, /\/sso\/saml\/metadata$/, 'entityID');
      const base = entityId.replace(/\/metadata$/, '');
      const consumers = [...metadata.text.matchAll(/<(?:\w+:)?AssertionConsumerService\b[^>]*>/g)].map(
        ([element]) =>
          ['Binding', 'Location', 'index'].map((name) =>
            new RegExp(`\\s${name}="([^"]*)"`).exec(element)?.[1]?.replace(/^.*:bindings:/, ''),
          ),
      );
      assert.deepEqual(
        consumers,
        [
          ['HTTP-POST', `${base}/acs`, '1'],
          ['HTTP-Artifact', `${base}/acs`, '2'],
        ],
        'the binding, the location and the index of each AssertionConsumerService',
      );
      const formats = [...metadata.text.matchAll(/<(?:\w+:)?NameIDFormat>([^<]*)</g)].map(
        ([, format]) => format,
      );
      assert.deepEqual(
        formats,
        [
          'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
          'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        ],
        'the NameIDFormats',
      );
      assert.deepEqual(
        ['WantAssertionsSigned', 'AuthnRequestsSigned', 'protocolSupportEnumeration'].map((name) =>
          attributeOf(metadata, 'SPSSODescriptor', name),
        ),
        ['true', undefined, 'urn:oasis:names:tc:SAML:2.0:protocol'],
        'WantAssertionsSigned, AuthnRequestsSigned and protocolSupportEnumeration',
      );
      assert.equal(
        attributeOf(metadata, 'SingleLogoutService', 'Location'),
        `${base}/slo`,
        'SingleLogoutService',
      );
    },
  ),
  audit(
    'AUTH-752',
    'the SAML metadata are XML that is valid for two days, and may be cached for minutes',
    options,
    async (context) => {
      await requireSaml(context);
      const metadata = await readMetadata(context);
      assert.match(
        metadata.headers.get('content-type') ?? '',
        /^application\/xml\b/,
        'the header content-type',
      );
      assert.match(
        metadata.headers.get('cache-control') ?? '',
        /\bpublic\b.*\bmax-age=(600|60)\b/,
        'the header cache-control',
      );
      assert.equal(metadata.headers.get('content-disposition'), null, 'the header content-disposition');
      const hours = hoursUntil(attributeOf(metadata, 'EntityDescriptor', 'validUntil'));
      assert.ok(hours > 46 && hours < 50, 'validUntil is two days ahead', `${hours} hours`);
    },
  ),
  audit(
    'AUTH-753',
    'a download of the SAML metadata is a file that is valid for five years',
    options,
    async (context) => {
      await requireSaml(context);
      const metadata = await readMetadata(context, { download: 'true' });
      assert.equal(
        metadata.headers.get('content-disposition'),
        'attachment; filename="metadata.xml"',
        'the header content-disposition',
      );
      const years = yearsUntil(attributeOf(metadata, 'EntityDescriptor', 'validUntil'));
      assert.ok(years > 4.9 && years < 5.1, 'validUntil is five years ahead', `${years} years`);
    },
  ),
  audit(
    'AUTH-754',
    'without SAML every route of single sign-on is refused as saml_provider_disabled',
    options,
    async (context) => {
      const settings = await context.auth.send('GET', '/settings');
      if (at(settings.json, 'saml_enabled') !== false) throw new NotRunError('SAML is enabled');
      assertError(await begin(context, { domain: 'example.com' }), 404, 'saml_provider_disabled');
      const metadata = await context.auth.send('GET', '/sso/saml/metadata');
      assertError(metadata, 404, 'saml_provider_disabled');
      assertError(await consume(context, {}), 404, 'saml_provider_disabled');
    },
  ),
  audit(
    'AUTH-755',
    'POST /sso leads to the identity provider of a domain or an id, with a request and a relay state',
    asAdmin,
    (context) =>
      withOrganization(context, async ({ id, domain }) => {
        for (const who of [{ domain }, { provider_id: id }]) {
          const skipped = await begin(context, { ...who, skip_http_redirect: true });
          assertStatus(skipped, 200);
          const redirected = await begin(context, who);
          assertStatus(redirected, 303);
          for (const url of [new URL(textAt(skipped, 'url')), locationOf(redirected)]) {
            assert.ok(url.searchParams.get('SAMLRequest'), 'the address has a SAMLRequest');
            assert.match(
              url.searchParams.get('RelayState') ?? '',
              /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
              'RelayState of the address',
            );
          }
        }
      }),
  ),
  audit(
    'AUTH-756',
    'POST /sso refuses a challenge of another form, an unknown method and an id that is no UUID',
    asAdmin,
    (context) =>
      withOrganization(context, async ({ domain }) => {
        const { challenge } = context.newPkce();
        const wrong = [
          { code_challenge: challenge.code_challenge },
          { ...challenge, code_challenge: 'short' },
          { ...challenge, code_challenge_method: 'md5' },
        ];
        for (const body of wrong)
          assertError(await begin(context, { domain, ...body }), 400, 'validation_failed');
        assertError(await begin(context, { provider_id: 'no-uuid' }), 400, 'bad_json');
        assertStatus(await begin(context, { domain, skip_http_redirect: true, ...challenge }), 200);
      }),
  ),
  audit(
    'AUTH-757',
    'POST /sso of an identity provider that is disabled is refused as sso_provider_disabled',
    asAdmin,
    (context) =>
      withOrganization(
        context,
        async ({ id, domain, created }) => {
          assert.equal(at(created.json, 'disabled'), true, 'disabled of the response');
          for (const who of [{ domain }, { provider_id: id }])
            assertError(await begin(context, who), 404, 'sso_provider_disabled');
          const enabled = await context.admin('PUT', `${ssoProviders}/${id}`, { disabled: false });
          assert.equal(at(enabled.json, 'disabled'), false, 'disabled of the enabled provider');
          assertStatus(await begin(context, { domain, skip_http_redirect: true }), 200);
        },
        { disabled: true },
      ),
  ),
  audit(
    'AUTH-758',
    'an identity provider is read and listed by its resource id, and by the begin of it',
    asAdmin,
    (context) => {
      const resource_id = context.run.newName();
      return withOrganization(
        context,
        async ({ id, created }) => {
          assert.equal(at(created.json, 'resource_id'), resource_id, 'resource_id of the response');
          const byResource = await context.admin('GET', `${ssoProviders}/resource_${resource_id}`);
          if (byResource.status === 404) throw new NotRunError('the version reads no resource ids');
          assert.equal(at(byResource.json, 'id'), id, 'id of the provider');
          const idsOf = async (query: string) => {
            const { json } = await context.admin('GET', `${ssoProviders}?${query}`);
            return (at(json, 'items') as readonly unknown[]).map((item) => at(item, 'id'));
          };
          assert.deepEqual(await idsOf(`resource_id=${resource_id}`), [id], 'the ids by resource_id');
          assert.deepEqual(await idsOf(`resource_id=${resource_id.slice(0, -1)}`), [], 'the ids by a part');
          const begun = await idsOf(`resource_id_prefix=${resource_id.slice(0, -1)}`);
          assert.ok(begun.includes(id), 'the provider is listed by the begin of its resource id');
          const other = await idsOf(`resource_id_prefix=x${resource_id}`);
          assert.deepEqual(other, [], 'the ids by another begin');
          const removed = await context.admin('PUT', `${ssoProviders}/${id}`, { resource_id: '' });
          assert.equal(at(removed.json, 'resource_id'), undefined, 'resource_id that was removed');
        },
        { resource_id },
      );
    },
  ),
  audit(
    'AUTH-759',
    'a mapping of attributes keeps names, defaults and lists, and a change of it replaces it',
    asAdmin,
    (context) => {
      const attribute_mapping = {
        keys: {
          name: { name: 'displayName' },
          mail: { names: ['mail', 'email'] },
          plan: { name: 'plan', default: 'free' },
          groups: { name: 'groups', array: true },
        },
      };
      return withOrganization(
        context,
        async ({ id, created }) => {
          assert.deepEqual(
            at(created.json, 'saml', 'attribute_mapping'),
            attribute_mapping,
            'attribute_mapping',
          );
          const put = async (body: object) =>
            (await context.admin('PUT', `${ssoProviders}/${id}`, body)).json;
          const kept = await put({ domains: [] });
          assert.deepEqual(at(kept, 'saml', 'attribute_mapping'), attribute_mapping, 'the kept mapping');
          const left = await context.admin('GET', `${ssoProviders}/${id}`);
          assert.equal(at(left.json, 'domains', 0), undefined, 'the first of the removed domains');
          const replaced = { keys: { mail: { name: 'mail' } } };
          const changed = await put({ attribute_mapping: replaced });
          assert.deepEqual(at(changed, 'saml', 'attribute_mapping'), replaced, 'the replaced mapping');
        },
        { attribute_mapping },
      );
    },
  ),
  audit(
    'AUTH-760',
    'an identity provider has its times, its state and the format of its subjects',
    asAdmin,
    (context) => {
      const name_id_format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
      return withOrganization(
        context,
        async ({ id, created }) => {
          const { json } = await context.admin('GET', `${ssoProviders}/${id}`);
          for (const provider of [created.json, json]) {
            assert.equal(at(provider, 'saml', 'name_id_format'), name_id_format, 'saml.name_id_format');
            assert.equal(at(provider, 'disabled'), null, 'disabled of the provider');
            for (const member of ['created_at', 'updated_at'])
              assert.ok(Date.parse(String(at(provider, member))) > 1e12, `${member} is a time`);
          }
        },
        { name_id_format },
      );
    },
  ),
  audit(
    'AUTH-761',
    'an assertion without a known relay state redirects to the site with the error in the query',
    options,
    async (context) => {
      await requireSaml(context);
      const relayStates = {
        neither: ['validation_failed', 'invalid_request'],
        '': ['validation_failed', 'invalid_request'],
        '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11': ['saml_relay_state_not_found', 'server_error'],
      };
      for (const [RelayState, [code, error]] of Object.entries(relayStates)) {
        const response = await consume(context, { RelayState });
        assertStatus(response, 303);
        const { searchParams, hash } = locationOf(response);
        assert.deepEqual(
          [searchParams.get('error_code'), searchParams.get('error'), hash],
          [code, error, ''],
          `error_code, error and the fragment with the relay state "${RelayState}"`,
        );
        assert.ok(searchParams.get('error_description'), 'the redirect has an error_description');
      }
    },
  ),
  audit(
    'AUTH-762',
    'the relay state of a provider that was disabled, and one of a while ago, are refused',
    { ...options, needs: ['service-key', 'database'] },
    (context) =>
      withOrganization(context, async ({ id, domain }) => {
        const codeOf = (RelayState: string) => refusalOf(context, RelayState);
        const [old, later] = [await relayStateOf(context, domain), await relayStateOf(context, domain)];
        await context.query(
          "update auth.saml_relay_states set created_at = created_at - interval '1 day' where id = $1",
          [old],
        );
        assert.equal(await codeOf(old), 'saml_relay_state_expired', 'error_code of the old relay state');
        await context.admin('PUT', `${ssoProviders}/${id}`, { disabled: true });
        assert.equal(await codeOf(later), 'sso_provider_disabled', 'error_code of the disabled provider');
      }),
  ),
  audit('AUTH-763', 'an assertion that is refused ends its relay state', asAdmin, (context) =>
    withOrganization(context, async ({ domain }) => {
      const relayState = await relayStateOf(context, domain);
      assert.equal(await refusalOf(context, relayState), 'validation_failed', 'error_code of no assertion');
      assert.equal(
        await refusalOf(context, relayState),
        'saml_relay_state_not_found',
        'error_code with the same relay state again',
      );
    }),
  ),
];
