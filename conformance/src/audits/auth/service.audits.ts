import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at, textAt } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#errors';

/** The service's health and settings, and the format of its errors. */
export const serviceAudits: readonly Audit[] = [
  audit(
    'AUTH-001',
    'GET /health names the service',
    { source: 'protocol/auth.md#service-routes' },
    async ({ auth }) => {
      const response = await auth.send('GET', '/health');
      assertStatus(response, 200);
      assert.equal(at(response.json, 'name'), 'GoTrue', 'name of the response');
      textAt(response, 'description');
    },
  ),
  audit(
    'AUTH-002',
    'GET /settings lists the enabled sign-in methods',
    { source: 'protocol/auth.md#service-routes' },
    async ({ auth }) => {
      const response = await auth.send('GET', '/settings');
      assertStatus(response, 200);
      for (const name of ['disable_signup', 'mailer_autoconfirm', 'phone_autoconfirm', 'saml_enabled']) {
        assert.equal(typeof at(response.json, name), 'boolean', `the type of ${name}`);
      }
      assert.equal(
        typeof at(response.json, 'external', 'email'),
        'boolean',
        'type of external.email of the response',
      );
      assert.equal(
        typeof at(response.json, 'external', 'anonymous_users'),
        'boolean',
        'type of external.anonymous_users of the response',
      );
      assert.equal(
        typeof at(response.json, 'external', 'phone'),
        'boolean',
        'type of external.phone of the response',
      );
    },
  ),
  audit(
    'AUTH-003',
    'the key set contains only public keys, each with kid, alg and use',
    { source: 'protocol/auth.md#service-routes' },
    async ({ auth }) => {
      const response = await auth.send('GET', '/.well-known/jwks.json');
      assertStatus(response, 200);
      const keys = at(response.json, 'keys');
      assert.ok(Array.isArray(keys), 'keys is an array');
      for (const key of keys) {
        assert.notEqual(at(key, 'kty'), 'oct', 'no symmetric key is published');
        assert.equal(at(key, 'd'), undefined, 'no private part is published');
        assert.equal(typeof at(key, 'kid'), 'string', 'the type of kid');
        assert.equal(typeof at(key, 'alg'), 'string', 'the type of alg');
        assert.equal(at(key, 'use'), 'sig', 'use of the key');
      }
    },
  ),
  audit(
    'AUTH-004',
    'the key set may be cached for ten minutes',
    { source: 'protocol/auth.md#service-routes', level: 'SHOULD' },
    async ({ auth }) => {
      const response = await auth.send('GET', '/.well-known/jwks.json');
      assert.match(
        response.headers.get('cache-control') ?? '',
        /max-age=600/,
        'the header cache-control of the response',
      );
    },
  ),
  audit(
    'AUTH-005',
    'with the version header an error is {code: string, message}',
    { source },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { email: 'unknown@example.com', password: 'wrong-password' },
      });
      assertStatus(response, 400);
      assert.equal(at(response.json, 'code'), 'invalid_credentials', 'code of the response');
      assert.equal(textAt(response, 'message'), 'Invalid login credentials', 'message of the response');
    },
  ),
  audit(
    'AUTH-006',
    'an error in the version form echoes the version header',
    { source },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { email: 'unknown@example.com', password: 'wrong-password' },
      });
      assert.equal(
        response.headers.get('x-supabase-api-version'),
        '2024-01-01',
        'the header x-supabase-api-version of the response',
      );
    },
  ),
  audit(
    'AUTH-007',
    'without the version header an error is {code: number, error_code, msg}',
    { source },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { email: 'unknown@example.com', password: 'wrong-password' },
        headers: { 'X-Supabase-Api-Version': '' },
      });
      assertStatus(response, 400);
      assert.equal(at(response.json, 'code'), 400, 'code of the response');
      assert.equal(at(response.json, 'error_code'), 'invalid_credentials', 'error_code of the response');
      assert.equal(textAt(response, 'msg'), 'Invalid login credentials', 'msg of the response');
    },
  ),
  audit(
    'AUTH-943',
    'an older date and an unreadable one in the version header select the format without it',
    { source, since: '1.0.0' },
    async ({ auth }) => {
      for (const version of ['2023-12-31', 'latest', '2024-13-01']) {
        const response = await auth.send('POST', '/token', {
          query: { grant_type: 'password' },
          body: { email: 'unknown@example.com', password: 'wrong-password' },
          headers: { 'X-Supabase-Api-Version': version },
        });
        assertStatus(response, 400);
        assert.equal(at(response.json, 'code'), 400, `code of the response to the version ${version}`);
      }
    },
  ),
  audit('AUTH-008', 'the x-sb-error-code header contains the error code', { source }, async ({ auth }) => {
    const response = await auth.send('POST', '/token', {
      query: { grant_type: 'password' },
      body: { email: 'unknown@example.com', password: 'wrong-password' },
    });
    assert.equal(
      response.headers.get('x-sb-error-code'),
      'invalid_credentials',
      'the header x-sb-error-code of the response',
    );
  }),
  audit('AUTH-009', 'a body that is not JSON is refused as bad_json', { source }, async ({ auth }) => {
    for (const body of ['{"email":', ' '])
      assertRefusal(
        await auth.send('POST', '/token', { query: { grant_type: 'password' }, body }),
        400,
        'bad_json',
        'Could not parse request body as JSON: unexpected end of JSON input',
      );
  }),
  audit('AUTH-010', 'an unknown grant type is refused', { source }, async ({ auth }) => {
    assertError(
      await auth.send('POST', '/token', { query: { grant_type: 'telepathy' }, body: {} }),
      400,
      'invalid_credentials',
    );
  }),
  audit(
    'AUTH-012',
    'a body or a member of another JSON type is refused as bad_json',
    { source, since: '1.0.0' },
    async ({ auth }) => {
      const password = 'Secret-123456';
      const bodies = ['[]', '5', '"text"', 'true', { email: 5, password }, { email: {}, password }];
      const typed = [
        { email: 'a@example.com', password, data: [] },
        { email: 'a@example.com', password: true },
      ];
      for (const body of [...bodies, ...typed])
        assertError(await auth.send('POST', '/signup', { body }), 400, 'bad_json');
      const flag = { email: 'a@example.com', create_user: 'no' };
      assertError(await auth.send('POST', '/otp', { body: flag }), 400, 'bad_json');
    },
  ),
  audit(
    'AUTH-013',
    'the reasons of a weak password are in both formats of errors',
    { source: 'protocol/auth.md#weak-passwords', since: '1.0.0' },
    async (context) => {
      const body = { email: context.newEmail(), password: 'abc' };
      for (const version of ['', '2024-01-01']) {
        const headers = { 'X-Supabase-Api-Version': version };
        const response = await context.auth.send('POST', '/signup', { body, headers });
        assertStatus(response, 422);
        const reasons = at(response.json, 'weak_password', 'reasons');
        assert.ok(Array.isArray(reasons) && reasons.includes('length'), 'the length is among the reasons');
      }
    },
  ),
  audit(
    'AUTH-027',
    'a list or flag of another JSON type is refused as bad_json, also from an administrator',
    { source, needs: ['service-key'], since: '1.0.0' },
    async ({ admin }) => {
      const email = 'a@example.com';
      for (const [path, body] of [
        ['/users', { email, email_confirm: 'yes' }],
        ['/users', { email: 5 }],
        ['/users', { email, user_metadata: [] }],
        ['/users', { email, app_metadata: 'x' }],
        ['/generate_link', { type: 5, email }],
        ['/sso/providers', { type: 'saml', domains: 'example.com' }],
        ['/sso/providers', { type: 'saml', domains: [5] }],
        ['/sso/providers', { type: 'saml', attribute_mapping: [] }],
      ] as const) {
        const refused = await admin('POST', path, body);
        if (at(refused.json, 'code') === 'saml_provider_disabled' || refused.status === 404) continue;
        assertError(refused, 400, 'bad_json');
      }
    },
  ),
  audit(
    'AUTH-028',
    'a request without a grant type is refused',
    { source, since: '1.0.0' },
    async ({ auth }) => {
      assertError(await auth.send('POST', '/token', { body: {} }), 400, 'invalid_credentials');
    },
  ),
];
