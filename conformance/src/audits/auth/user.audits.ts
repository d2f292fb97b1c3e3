import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, locationOf, textAt } from '../../target/wire.ts';
import { assertNoAuthorization } from './no-authorization.ts';
import { toFormerAddress } from './mail-link.ts';
import { NotRunError } from '../../target/target.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#user';
const since = '1.0.0';

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
      const fragment = new URLSearchParams(locationOf(opened).hash.slice(1));
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
  audit(
    'AUTH-530',
    'a user has its roles, its times and its metadata, and only pending changes that exist',
    { source, since },
    async (context) => {
      const user = await context.newUser();
      const { json } = await context.auth.send('GET', '/user', { token: user.accessToken });
      const values = {
        aud: 'authenticated',
        role: 'authenticated',
        email: user.email,
        phone: '',
        is_anonymous: false,
        app_metadata: { provider: 'email', providers: ['email'] },
      };
      for (const [member, value] of Object.entries(values))
        assert.deepEqual(at(json, member), value, `${member} of the user`);
      for (const member of [
        'email_confirmed_at',
        'confirmed_at',
        'last_sign_in_at',
        'created_at',
        'updated_at',
      ])
        assert.ok(
          Date.parse(String(at(json, member))) > 1e12,
          `${member} is a time`,
          String(at(json, member)),
        );
      assert.equal(
        at(json, 'user_metadata', 'email_verified'),
        true,
        'user_metadata.email_verified of the user',
      );
      const absent = [
        'new_email',
        'new_phone',
        'phone_confirmed_at',
        'factors',
        'banned_until',
        'deleted_at',
      ];
      for (const member of [...absent, 'encrypted_password'])
        assert.equal(at(json, member), undefined, `${member} of the user`);
    },
  ),
  audit(
    'AUTH-531',
    'an identity has its id, that at its provider, its times and its data',
    { source: 'protocol/auth.md#identities', since },
    async (context) => {
      const user = await context.newUser();
      const { json } = await context.auth.send('GET', '/user', { token: user.accessToken });
      const identity = at(json, 'identities', 0);
      assert.deepEqual(
        ['id', 'user_id', 'provider', 'email'].map((member) => at(identity, member)),
        [user.id, user.id, 'email', user.email],
        'id, user_id, provider and email of the identity',
      );
      const id = String(at(identity, 'identity_id'));
      assert.match(id, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, 'identity_id of the identity');
      assert.notEqual(id, user.id, 'identity_id of the identity');
      assert.equal(at(identity, 'identity_data', 'sub'), user.id, 'identity_data.sub of the identity');
      for (const member of ['last_sign_in_at', 'created_at', 'updated_at'])
        assert.ok(Date.parse(String(at(identity, member))) > 1e12, `${member} of the identity is a time`);
    },
  ),
  audit(
    'AUTH-532',
    'after an email change the new address alone signs in, and names the identity',
    { source, needs: ['mailbox', 'email-confirmation'], since },
    async (context) => {
      const user = await context.newUser();
      const email = context.newEmail();
      await context.auth.send('PUT', '/user', { token: user.accessToken, body: { email } });
      const [own, other] = [
        await toFormerAddress(context.mailedCode(user.email)),
        await context.mailedCode(email),
      ];
      const verify = (address: string, token: string) =>
        context.auth.send('POST', '/verify', { body: { type: 'email_change', email: address, token } });
      assertStatus(await verify(email, other), 200);
      const { json } = assertSession(await verify(user.email, own));
      assert.deepEqual(
        [
          at(json, 'user', 'new_email'),
          at(json, 'user', 'identities', 0, 'email'),
          at(json, 'user', 'identities', 0, 'identity_data', 'email_verified'),
        ],
        [undefined, email, true],
        'new_email, the email of the identity and email_verified of its data',
      );
      assertSession(await context.signIn(email, user.password));
      assertError(await context.signIn(user.email, user.password), 400, 'invalid_credentials');
      assertError(await verify(email, other), 403, 'otp_expired');
    },
  ),
  audit('AUTH-533', 'the own address again is no change', { source, since }, async (context) => {
    const { accessToken: token, email } = await context.newUser();
    for (const address of [email, email.toUpperCase(), '']) {
      const response = await context.auth.send('PUT', '/user', { token, body: { email: address } });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'new_email'), undefined, 'new_email of the response');
    }
  }),
  audit(
    'AUTH-534',
    'an invalid address and an invalid number are refused as validation_failed',
    { source, since },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      for (const body of [
        { email: 'nonsense' },
        { email: '@example.com' },
        { phone: 'abc' },
        { phone: '0123' },
      ])
        assertError(await context.auth.send('PUT', '/user', { token, body }), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-535',
    'a new password ends the codes and links that were sent before',
    { source, needs: ['service-key'], since },
    async (context) => {
      const { email, accessToken: token } = await context.newUser();
      const link = await context.admin('POST', '/generate_link', { type: 'recovery', email });
      assertStatus(
        await context.auth.send('PUT', '/user', { token, body: { password: 'Another-123456' } }),
        200,
      );
      const proofs = [
        { email, token: textAt(link, 'email_otp') },
        { token_hash: textAt(link, 'hashed_token') },
      ];
      for (const proof of proofs)
        assertError(
          await context.auth.send('POST', '/verify', { body: { type: 'recovery', ...proof } }),
          403,
          'otp_expired',
        );
    },
  ),
  audit(
    'AUTH-536',
    "another user's number is refused as phone_exists",
    { source, needs: ['service-key'], since },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const phone = context.newPhone();
      assertStatus(await context.admin('POST', '/users', { phone, phone_confirm: true }), 200);
      const body = { phone: `+${phone}` };
      assertError(await context.auth.send('PUT', '/user', { token, body }), 422, 'phone_exists');
    },
  ),
  audit(
    'AUTH-537',
    'a confirmed number becomes an identity, and is removed with it',
    { source: 'protocol/auth.md#identities', needs: ['sms', 'phone-confirmation'], since },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const phone = context.newPhone();
      const pending = await context.auth.send('PUT', '/user', { token, body: { phone } });
      assert.deepEqual(
        [at(pending.json, 'phone'), at(pending.json, 'new_phone')],
        ['', phone],
        'phone and new_phone of the response',
      );
      const code = await context.mailedCode(phone);
      const { json } = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'phone_change', phone, token: code } }),
      );
      assert.deepEqual(at(json, 'user', 'app_metadata', 'providers'), ['email', 'phone'], 'the providers');
      const identities = at(json, 'user', 'identities') as readonly unknown[];
      const identity = identities.find((one) => at(one, 'provider') === 'phone');
      assert.equal(at(identity, 'identity_data', 'phone'), phone, 'phone of the data of the identity');
      const path = `/user/identities/${String(at(identity, 'identity_id'))}`;
      const unlinked = await context.auth.send('DELETE', path, { token });
      if (at(unlinked.json, 'code') === 'manual_linking_disabled')
        throw new NotRunError('manual linking is disabled');
      assertStatus(unlinked, 200);
      const left = await context.auth.send('GET', '/user', { token });
      assert.deepEqual(
        [at(left.json, 'phone'), at(left.json, 'app_metadata', 'providers')],
        ['', ['email']],
        'the phone and the providers of the user',
      );
    },
  ),
  audit(
    'AUTH-538',
    'the scheme of the token is read without regard to case',
    { source: 'protocol/auth.md#access-token', level: 'SHOULD', since },
    async (context) => {
      const { accessToken } = await context.newUser();
      for (const scheme of ['bearer', 'BEARER'])
        assertStatus(
          await context.auth.send('GET', '/user', { headers: { Authorization: `${scheme} ${accessToken}` } }),
          200,
        );
    },
  ),
  audit(
    'AUTH-549',
    'a request that names another audience than its token is refused',
    { source: 'protocol/auth.md#access-token', since },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const headers = { 'X-JWT-AUD': 'another-audience' };
      const user = await context.auth.send('GET', '/user', { token });
      const path = `/user/identities/${textAt(user, 'identities', 0, 'identity_id')}`;
      const read = await context.auth.send('GET', '/user', { token, headers });
      assertError(read, 400, 'validation_failed');
      const changed = await context.auth.send('PUT', '/user', { token, headers, body: { data: { a: 1 } } });
      assertStatus(changed, 200);
      const unlinked = await context.auth.send('DELETE', path, { token, headers });
      if (at(unlinked.json, 'code') === 'manual_linking_disabled') return;
      assertError(unlinked, 403, 'unexpected_audience');
    },
  ),
];
