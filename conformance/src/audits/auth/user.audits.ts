import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, textAt } from '../../target/wire.ts';
import { assertNoAuthorization } from './no-authorization.ts';
import { toFormerAddress } from './mail-link.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#user';

export const userAudits: readonly Audit[] = [
  audit('AUTH-501', 'GET /user returns the user object itself', { source }, async (context) => {
    const user = await context.newUser();
    const response = await context.auth.send('GET', '/user', { token: user.accessToken });
    assertStatus(response, 200);
    assert.equal(at(response.json, 'id'), user.id, 'id of the response');
    assert.ok(Array.isArray(at(response.json, 'identities')), 'the user has a list of identities');
  }),
  audit(
    'AUTH-502',
    'GET /user without a token is refused as no_authorization',
    { source },
    async ({ auth }) => assertNoAuthorization(await auth.send('GET', '/user')),
  ),
  audit(
    'AUTH-503',
    'GET /user with a token that is not a JWT is refused as bad_jwt',
    { source },
    async ({ auth }) => {
      assertError(await auth.send('GET', '/user', { token: 'not-a-jwt' }), 403, 'bad_jwt');
    },
  ),
  audit(
    'AUTH-504',
    'after sign-out GET /user is refused as session_not_found',
    { source },
    async (context) => {
      const user = await context.newUser();
      assertStatus(await context.auth.send('POST', '/logout', { token: user.accessToken }), 204);
      assertError(
        await context.auth.send('GET', '/user', { token: user.accessToken }),
        403,
        'session_not_found',
      );
    },
  ),
  audit(
    'AUTH-505',
    'a deleted user is refused as user_not_found',
    { source, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      assertStatus(await context.admin('DELETE', `/users/${user.id}`), 200);
      const response = await context.auth.send('GET', '/user', { token: user.accessToken });
      assertError(response, 403, 'user_not_found');
    },
  ),
  audit('AUTH-506', 'PUT /user merges data into user_metadata', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    await context.auth.send('PUT', '/user', { token, body: { data: { name: 'Ada', color: 'blue' } } });
    const response = await context.auth.send('PUT', '/user', {
      token,
      body: { data: { color: null, size: 2 } },
    });
    assertStatus(response, 200);
    assert.equal(at(response.json, 'user_metadata', 'name'), 'Ada', 'user_metadata.name of the response');
    assert.equal(at(response.json, 'user_metadata', 'size'), 2, 'user_metadata.size of the response');
    assert.equal(
      at(response.json, 'user_metadata', 'color') ?? null,
      null,
      'user_metadata.color of the response',
    );
  }),
  audit('AUTH-507', 'PUT /user changes the password', { source }, async (context) => {
    const user = await context.newUser();
    assertStatus(
      await context.auth.send('PUT', '/user', {
        token: user.accessToken,
        body: { password: 'Another-123456' },
      }),
      200,
    );
    assertSession(await context.signIn(user.email, 'Another-123456'));
    assertError(await context.signIn(user.email, user.password), 400, 'invalid_credentials');
  }),
  audit('AUTH-508', 'the same password is refused as same_password', { source }, async (context) => {
    const user = await context.newUser();
    assertError(
      await context.auth.send('PUT', '/user', { token: user.accessToken, body: { password: user.password } }),
      422,
      'same_password',
    );
  }),
  audit('AUTH-509', 'a weak new password is refused with its reasons', { source }, async (context) => {
    const user = await context.newUser();
    const response = await context.auth.send('PUT', '/user', {
      token: user.accessToken,
      body: { password: 'abc' },
    });
    assertError(response, 422, 'weak_password');
    const reasons = at(response.json, 'weak_password', 'reasons');
    assert.ok(Array.isArray(reasons) && reasons.includes('length'), 'the length is among the reasons');
  }),
  audit('AUTH-510', "another user's address is refused as email_exists", { source }, async (context) => {
    const user = await context.newUser();
    const other = await context.newUser();
    assertError(
      await context.auth.send('PUT', '/user', { token: user.accessToken, body: { email: other.email } }),
      422,
      'email_exists',
    );
  }),
  audit(
    'AUTH-511',
    'an email change is pending until both addresses confirmed',
    { source, needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const newEmail = context.newEmail();
      const requested = await context.auth.send('PUT', '/user', {
        token: user.accessToken,
        body: { email: newEmail },
      });
      assertStatus(requested, 200);
      assert.equal(at(requested.json, 'email'), user.email, 'email of the response');
      assert.equal(at(requested.json, 'new_email'), newEmail, 'new_email of the response');
      const token = await toFormerAddress(context.mailedCode(user.email));
      const newToken = await context.mailedCode(newEmail);
      const half = await context.auth.send('POST', '/verify', {
        body: { type: 'email_change', email: user.email, token },
      });
      assertStatus(half, 200);
      assert.equal(at(half.json, 'code'), '200', 'code of the first half');
      assert.equal(at(half.json, 'access_token'), undefined, 'access_token of the first half');
      textAt(half, 'msg');
      const whole = await context.auth.send('POST', '/verify', {
        body: { type: 'email_change', email: newEmail, token: newToken },
      });
      assert.equal(at(assertSession(whole).json, 'user', 'email'), newEmail, 'user.email of the second half');
    },
  ),
  audit(
    'AUTH-512',
    'half of an email change by link redirects with a message',
    { source: 'protocol/auth.md#mail-links', needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const newEmail = context.newEmail();
      await context.auth.send('PUT', '/user', { token: user.accessToken, body: { email: newEmail } });
      await toFormerAddress(context.mailedCode(user.email));
      const { links } = await context.mail(newEmail);
      const opened = await context.auth.send('GET', links.find((link) => link.includes('/verify?')) ?? '');
      assertStatus(opened, 303);
      const fragment = new URLSearchParams(new URL(opened.headers.get('location') ?? '').hash.slice(1));
      assert.ok(fragment.get('message'), 'the fragment has a message');
    },
  ),
  audit(
    'AUTH-513',
    'GET /reauthenticate sends a nonce by mail and returns {}',
    { source, needs: ['mailbox'] },
    async (context) => {
      const user = await context.newUser();
      const response = await context.auth.send('GET', '/reauthenticate', { token: user.accessToken });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
      await context.mailedCode(user.email);
    },
  ),
  audit(
    'AUTH-514',
    'a nonce permits a change of the password',
    { source, needs: ['mailbox'] },
    async (context) => {
      const user = await context.newUser();
      await context.auth.send('GET', '/reauthenticate', { token: user.accessToken });
      const nonce = await context.mailedCode(user.email);
      assertStatus(
        await context.auth.send('PUT', '/user', {
          token: user.accessToken,
          body: { password: 'Another-123456', nonce },
        }),
        200,
      );
    },
  ),
  audit(
    'AUTH-521',
    'POST /logout responds 204 without a body',
    { source: 'protocol/auth.md#sign-out' },
    async (context) => {
      const user = await context.newUser();
      const response = await context.auth.send('POST', '/logout', { token: user.accessToken });
      assertStatus(response, 204);
      assert.equal(response.text, '', 'the text of the response');
    },
  ),
  audit(
    'AUTH-522',
    'scope local ends only this session',
    { source: 'protocol/auth.md#sign-out' },
    async (context) => {
      const user = await context.newUser();
      const other = assertSession(await context.signIn(user.email, user.password));
      await context.auth.send('POST', '/logout', { token: user.accessToken, query: { scope: 'local' } });
      assertStatus(await context.auth.send('GET', '/user', { token: textAt(other, 'access_token') }), 200);
      assertStatus(await context.auth.send('GET', '/user', { token: user.accessToken }), 403);
    },
  ),
  audit(
    'AUTH-523',
    'scope others ends every session except the current one',
    { source: 'protocol/auth.md#sign-out' },
    async (context) => {
      const user = await context.newUser();
      const other = assertSession(await context.signIn(user.email, user.password));
      await context.auth.send('POST', '/logout', { token: user.accessToken, query: { scope: 'others' } });
      assertStatus(await context.auth.send('GET', '/user', { token: user.accessToken }), 200);
      assertStatus(await context.auth.send('GET', '/user', { token: textAt(other, 'access_token') }), 403);
    },
  ),
  audit(
    'AUTH-524',
    'scope global, the default, ends every session',
    { source: 'protocol/auth.md#sign-out' },
    async (context) => {
      const user = await context.newUser();
      const other = assertSession(await context.signIn(user.email, user.password));
      await context.auth.send('POST', '/logout', { token: user.accessToken });
      assertStatus(await context.auth.send('GET', '/user', { token: textAt(other, 'access_token') }), 403);
    },
  ),
  audit(
    'AUTH-525',
    'signing out twice is refused as session_not_found',
    { source: 'protocol/auth.md#sign-out' },
    async (context) => {
      const user = await context.newUser();
      await context.auth.send('POST', '/logout', { token: user.accessToken });
      assertError(
        await context.auth.send('POST', '/logout', { token: user.accessToken }),
        403,
        'session_not_found',
      );
    },
  ),
  audit(
    'AUTH-526',
    'an unknown scope is refused',
    { source: 'protocol/auth.md#sign-out' },
    async (context) => {
      const user = await context.newUser();
      assertError(
        await context.auth.send('POST', '/logout', { token: user.accessToken, query: { scope: 'universe' } }),
        400,
        'validation_failed',
      );
    },
  ),
];
