import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at, locationOf, textAt } from '../../target/wire.ts';
import { generateLink } from './mail-link.ts';
import { assertNoAuthorization } from './no-authorization.ts';
import { NotRunError } from '../../target/target.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#service-routes';

export const authEdgeAudits: readonly Audit[] = [
  audit(
    'AUTH-921',
    'a password grant without an address is refused as validation_failed',
    { source: 'protocol/auth.md#password-grant' },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { password: 'secret12' },
      });
      assertError(response, 400, 'validation_failed');
    },
  ),
  audit('AUTH-922', 'another method on a route is refused with 405', { source }, async ({ auth }) => {
    assertStatus(await auth.send('GET', '/signup'), 405);
  }),
  audit('AUTH-923', 'an unknown route responds 404', { source }, async ({ auth }) => {
    assertStatus(await auth.send('GET', '/no-such-route'), 404);
  }),
  audit(
    'AUTH-924',
    'PUT /user without a token is refused as no_authorization',
    { source: 'protocol/auth.md#user' },
    async ({ auth }) => {
      assertNoAuthorization(await auth.send('PUT', '/user', { body: { data: {} } }));
    },
  ),
  audit(
    'AUTH-925',
    'POST /logout without a token is refused as no_authorization',
    { source: 'protocol/auth.md#sign-out' },
    async ({ auth }) => {
      assertNoAuthorization(await auth.send('POST', '/logout'));
    },
  ),
  audit(
    'AUTH-926',
    'GET /reauthenticate without a token is refused as no_authorization',
    { source: 'protocol/auth.md#user' },
    async ({ auth }) => {
      assertNoAuthorization(await auth.send('GET', '/reauthenticate'));
    },
  ),
  audit(
    'AUTH-927',
    'a null in user data removes the key',
    { source: 'protocol/auth.md#user' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      await context.auth.send('PUT', '/user', { token, body: { data: { kept: 1, gone: 1 } } });
      const response = await context.auth.send('PUT', '/user', { token, body: { data: { gone: null } } });
      assertStatus(response, 200);
      const metadata = at(response.json, 'user_metadata');
      assert.equal(at(metadata, 'kept'), 1, 'kept of the metadata');
      assert.ok(!Object.keys(metadata as object).includes('gone'), 'the key is removed');
    },
  ),
  audit(
    'AUTH-928',
    'the identity of an account by email contains the address',
    { source: 'protocol/auth.md#sign-up' },
    async (context) => {
      const { accessToken: token, email } = await context.newUser();
      const response = await context.auth.send('GET', '/user', { token });
      assert.equal(
        at(response.json, 'identities', 0, 'identity_data', 'email'),
        email,
        'identities.0.identity_data.email of the response',
      );
      assert.equal(
        at(response.json, 'identities', 0, 'provider'),
        'email',
        'identities.0.provider of the response',
      );
    },
  ),
  audit(
    'AUTH-929',
    'a refresh token is not accepted as an access token',
    { source: 'protocol/auth.md#access-token' },
    async (context) => {
      const { refreshToken: token } = await context.newUser();
      assertError(await context.auth.send('GET', '/user', { token }), 403, 'bad_jwt');
    },
  ),
  audit(
    'AUTH-930',
    'a link to a page beyond ASCII redirects there, percent-encoded',
    { source: 'protocol/auth.md#mail-links', needs: ['service-key'] },
    async (context) => {
      const { email } = await context.newUser();
      const page = new URL('/日本?x=日', context.target.redirectTo);
      const link = await context.admin('POST', '/generate_link', { type: 'magiclink', email });
      const response = await context.auth.send('GET', '/verify', {
        query: {
          token: textAt(link, 'hashed_token'),
          type: 'magiclink',
          redirect_to: `${page.origin}/日本?x=日`,
        },
      });
      assertStatus(response, 303);
      const location = locationOf(response);
      assert.match(location.hash, /access_token=/, 'the fragment of the redirect');
      if (location.pathname === new URL(context.target.redirectTo).pathname)
        throw new NotRunError('the allow list has one page only');
      assert.equal(decodeURIComponent(location.pathname), '/日本', 'the decoded name');
    },
  ),
  audit(
    'AUTH-931',
    'a link that fails redirects with the error, never as JSON',
    { source: 'protocol/auth.md#mail-links' },
    async ({ auth, target }) => {
      const query = { token: 'no-such-token', type: 'signup', redirect_to: target.redirectTo };
      const response = await auth.send('GET', '/verify', { query });
      assertStatus(response, 303);
      assert.match(
        response.headers.get('location') ?? '',
        /#error=access_denied&error_code=otp_expired/,
        'the header location of the response',
      );
    },
  ),
  audit(
    'AUTH-932',
    'the names of JSON members are read without regard to case',
    { source, level: 'SHOULD' },
    async (context) => {
      const { email, password } = await context.newUser();
      const response = await context.auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { EMAIL: email, Password: password },
      });
      assertStatus(response, 200);
    },
  ),
  audit(
    'AUTH-933',
    'a slash at the end of /user is ignored',
    { source, level: 'SHOULD' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      const response = await context.auth.send('GET', '/user/', { token });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'id'), id, 'id of the response');
    },
  ),
  audit(
    'AUTH-934',
    'PUT /user without a new address ignores code_challenge',
    { source: 'protocol/auth.md#user' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const body = { data: { a: 1 }, code_challenge: 'short', code_challenge_method: 's256' };
      assertStatus(await context.auth.send('PUT', '/user', { token, body }), 200);
    },
  ),
  audit(
    'AUTH-935',
    'an ID token for a provider that issues none is refused as validation_failed',
    { source: 'protocol/auth.md#id-tokens' },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'id_token' },
        body: { provider: 'github', id_token: 'x' },
      });
      assertError(response, 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-936',
    'an invalid page number is refused as validation_failed',
    { source: 'protocol/auth.md#administration', needs: ['service-key'] },
    async (context) => {
      for (const page of ['abc', '-1', '1.5', '99999999999999999999'])
        assertError(await context.admin('GET', `/users?page=${page}`), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-937',
    'a password over 72 bytes is refused, by an administrator too',
    { source: 'protocol/auth.md#weak-passwords', needs: ['service-key'] },
    async (context) => {
      const password = `Aa1!${'x'.repeat(80)}`;
      const { id } = await context.newUser();
      assertError(await context.admin('PUT', `/users/${id}`, { password }), 400, 'validation_failed');
      const created = await context.admin('POST', '/users', { email: context.newEmail(), password });
      assert.notEqual(created.status, 200, 'no account is created');
    },
  ),
  audit(
    'AUTH-938',
    'concurrent sign-ups of one address leave one account',
    { source: 'protocol/auth.md#sign-up', needs: ['service-key'] },
    async (context) => {
      const email = context.newEmail();
      const body = { email, password: 'Secret-123456!' };
      const replies = await Promise.all(
        [1, 2, 3, 4].map(() => context.auth.send('POST', '/signup', { body })),
      );
      assert.ok(
        replies.some(({ status }) => status === 200),
        'one sign-up succeeds',
      );
      const page = await context.admin('GET', '/users?per_page=1000');
      const users = at(page.json, 'users');
      assert.ok(Array.isArray(users), 'a page of users');
      assert.equal(users.filter((user) => at(user, 'email') === email).length, 1, 'the number of users');
    },
  ),
  audit(
    'AUTH-1199',
    'a grant by ID token names what the request lacks, and providers that it does not accept',
    { source: 'protocol/auth.md#id-tokens', since: '1.0.0' },
    async ({ auth }) => {
      const send = (body: object) => auth.send('POST', '/token', { query: { grant_type: 'id_token' }, body });
      const lacking = 'provider or client_id and issuer required';
      const incomplete = [
        [{ provider: 'google' }, 'id_token required'],
        [{ id_token: 'x' }, lacking],
        [{ id_token: 'x', issuer: 'https://id.example.com' }, lacking],
        [{ id_token: 'x', client_id: 'x' }, lacking],
      ] as const;
      for (const [body, description] of incomplete) {
        const refused = await send(body);
        assertStatus(refused, 400);
        const expected = { error: 'invalid request', error_description: description };
        assert.deepEqual(refused.json, expected, 'the refusal');
      }
      const unknown = [
        [{ provider: 'unknown' }, 'unknown'],
        [{ issuer: 'https://id.example.com', client_id: 'x' }, ''],
      ] as const;
      for (const [body, name] of unknown) {
        const refused = await send({ id_token: 'x', ...body });
        assertError(refused, 400, 'validation_failed');
        assert.equal(
          at(refused.json, 'message'),
          `Custom OIDC provider "${name}" not allowed`,
          'the message',
        );
      }
    },
  ),
  audit(
    'AUTH-1200',
    'text after the JSON of a request is ignored by /magiclink, and refused elsewhere',
    { source: 'protocol/auth.md#errors', since: '1.0.0' },
    async ({ auth }) => {
      const headers = { 'Content-Type': 'application/json' };
      const body = '{"email":"no address"} {"more":';
      for (const one of [{ email: 'no address' }, body])
        assertError(await auth.send('POST', '/magiclink', { headers, body: one }), 400, 'validation_failed');
      assertError(await auth.send('POST', '/recover', { headers, body }), 400, 'bad_json');
    },
  ),
  audit(
    'AUTH-1201',
    'a code of a banned user is refused as user_banned',
    { source: 'protocol/auth.md#one-time-codes', since: '1.0.0', needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const link = await generateLink(context, { type: 'recovery', email: user.email });
      const body = { type: 'recovery', email: user.email, token: textAt(link, 'email_otp') };
      assertStatus(await context.admin('PUT', `/users/${user.id}`, { ban_duration: '1h' }), 200);
      for (const one of [body, { type: 'recovery', token_hash: textAt(link, 'hashed_token') }]) {
        const refused = await context.auth.send('POST', '/verify', { body: one });
        assertError(refused, 403, 'user_banned');
        assert.equal(at(refused.json, 'message'), 'User is banned', 'the message');
      }
      assertStatus(await context.admin('PUT', `/users/${user.id}`, { ban_duration: 'none' }), 200);
      assertStatus(await context.auth.send('POST', '/verify', { body }), 200);
    },
  ),
  audit(
    'AUTH-1203',
    'a link for an unknown address is user_not_found, and one for the former address of a change needs two confirmations',
    { source: 'protocol/auth.md#administration', since: '1.0.0', needs: ['service-key'] },
    async (context) => {
      const [email, new_email] = [context.newEmail(), context.newEmail()];
      for (const type of ['recovery', 'email_change_current', 'email_change_new']) {
        const refused = await generateLink(context, { type, email, new_email });
        assertError(refused, 404, 'user_not_found');
        assert.equal(at(refused.json, 'message'), 'User with this email not found', 'the message');
      }
      const user = await context.newUser();
      const current = { type: 'email_change_current', email: user.email, new_email };
      const link = await generateLink(context, current);
      if (link.status === 200) return;
      assertError(link, 400, 'validation_failed');
      const message = 'Enable secure email change to generate link for current email';
      assert.equal(at(link.json, 'message'), message, 'the message');
    },
  ),
  audit(
    'AUTH-1204',
    'an address of more than 255 bytes is too long',
    { source: 'protocol/auth.md#sign-up', since: '1.0.0' },
    async ({ auth }) => {
      const password = 'Secret-1 to be kept';
      const email = `${'a'.repeat(256 - '@example.com'.length)}@example.com`;
      const refused = await auth.send('POST', '/signup', { body: { email, password } });
      assertError(refused, 400, 'validation_failed');
      assert.equal(at(refused.json, 'message'), 'An email address is too long', 'the message');
    },
  ),
];
