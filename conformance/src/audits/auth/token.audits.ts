import { assert } from '../../target/assertion.ts';
import { setTimeout } from 'node:timers/promises';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { NotRunError } from '../../target/target.ts';
import { apiVersion, assertSession, type AuditContext } from '../../audit/audit-context.ts';
import {
  assertError,
  assertStatus,
  at,
  createWire,
  jwtPartOf,
  textAt,
  type WireResponse,
} from '../../target/wire.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#refresh-rules';

const refresh = ({ auth }: AuditContext, refreshToken: string): Promise<WireResponse> =>
  auth.send('POST', '/token', {
    query: { grant_type: 'refresh_token' },
    body: { refresh_token: refreshToken },
  });

export const tokenAudits: readonly Audit[] = [
  audit(
    'AUTH-201',
    'the right password returns a session',
    { source: 'protocol/auth.md#password-grant' },
    async (context) => {
      const user = await context.newUser();
      const session = assertSession(await context.signIn(user.email, user.password));
      assert.equal(at(session.json, 'user', 'id'), user.id, 'user.id of the session');
    },
  ),
  audit(
    'AUTH-202',
    'a wrong password is refused as invalid_credentials',
    { source: 'protocol/auth.md#password-grant' },
    async (context) => {
      const user = await context.newUser();
      assertError(await context.signIn(user.email, 'not the password'), 400, 'invalid_credentials');
    },
  ),
  audit(
    'AUTH-203',
    'an unknown address is refused with the same message as a wrong password',
    { source: 'protocol/auth.md#password-grant' },
    async (context) => {
      const user = await context.newUser();
      const wrong = await context.signIn(user.email, 'not the password');
      const unknown = await context.signIn(context.newEmail(), 'not the password');
      assert.equal(unknown.status, wrong.status, 'the status for an unknown address');
      assert.equal(at(unknown.json, 'message'), at(wrong.json, 'message'), 'message for an unknown address');
    },
  ),
  audit(
    'AUTH-204',
    'the access token is a JWT with the claims that policies read',
    { source: 'protocol/auth.md#access-token' },
    async (context) => {
      const user = await context.newUser();
      const claims = jwtPartOf(user.accessToken);
      assert.equal(at(claims, 'sub'), user.id, 'sub of the claims');
      assert.equal(at(claims, 'aud'), 'authenticated', 'aud of the claims');
      assert.equal(at(claims, 'role'), 'authenticated', 'role of the claims');
      assert.equal(at(claims, 'email'), user.email, 'email of the claims');
      assert.equal(at(claims, 'aal'), 'aal1', 'aal of the claims');
      assert.equal(at(claims, 'amr', 0, 'method'), 'password', 'amr.0.method of the claims');
      assert.equal(typeof at(claims, 'session_id'), 'string', 'the type of session_id of the claims');
      assert.equal(at(claims, 'is_anonymous'), false, 'is_anonymous of the claims');
      assert.equal(at(claims, 'phone'), '', 'phone of the claims');
      assert.equal(at(claims, 'app_metadata', 'provider'), 'email', 'app_metadata.provider of the claims');
      assert.equal(typeof at(claims, 'user_metadata'), 'object', 'the type of user_metadata of the claims');
      const signedInSeconds = Number(at(claims, 'amr', 0, 'timestamp'));
      assert.ok(Math.abs(signedInSeconds - Date.now() / 1000) < 3600, 'amr.0.timestamp is the sign-in');
      const exp = at(claims, 'exp');
      const iat = at(claims, 'iat');
      assert.ok(typeof exp === 'number' && typeof iat === 'number' && exp > iat, 'exp is after iat');
    },
  ),
  audit(
    'AUTH-205',
    'expires_at and the exp claim name the same second',
    { source: 'protocol/auth.md#session' },
    async (context) => {
      const user = await context.newUser();
      const session = assertSession(await context.signIn(user.email, user.password));
      assert.equal(
        at(jwtPartOf(textAt(session, 'access_token')), 'exp'),
        at(session.json, 'expires_at'),
        'exp of the access token',
      );
    },
  ),
  audit(
    'AUTH-206',
    'an email and a phone number together are refused',
    { source: 'protocol/auth.md#password-grant' },
    async ({ auth, newPhone }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { email: 'a@example.com', phone: newPhone(), password: 'x' },
      });
      assertError(response, 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-207',
    'a banned user cannot sign in',
    { source: 'protocol/auth.md#password-grant', needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      assertStatus(await context.admin('PUT', `/users/${user.id}`, { ban_duration: '24h' }), 200);
      assertError(await context.signIn(user.email, user.password), 400, 'user_banned');
    },
  ),
  audit('AUTH-221', 'a refresh returns a new session of the same user', { source }, async (context) => {
    const user = await context.newUser();
    const session = assertSession(await refresh(context, user.refreshToken));
    assert.equal(at(session.json, 'user', 'id'), user.id, 'user.id of the session');
    assert.notEqual(at(session.json, 'refresh_token'), user.refreshToken, 'refresh_token of the session');
  }),
  audit('AUTH-222', 'a refresh keeps the session_id', { source }, async (context) => {
    const user = await context.newUser();
    const session = assertSession(await refresh(context, user.refreshToken));
    assert.equal(
      at(jwtPartOf(textAt(session, 'access_token')), 'session_id'),
      at(jwtPartOf(user.accessToken), 'session_id'),
      'session_id of the access token',
    );
  }),
  audit(
    'AUTH-223',
    'an unknown refresh token is refused as refresh_token_not_found',
    { source },
    async (context) => {
      assertError(await refresh(context, 'aaaaaaaaaaaa'), 400, 'refresh_token_not_found');
    },
  ),
  audit(
    'AUTH-224',
    'a refresh without a token is refused as validation_failed',
    { source },
    async ({ auth }) => {
      assertError(
        await auth.send('POST', '/token', { query: { grant_type: 'refresh_token' }, body: {} }),
        400,
        'validation_failed',
      );
    },
  ),
  audit(
    'AUTH-225',
    'a token that was just used may be used once more within the reuse interval',
    { source },
    async (context) => {
      const user = await context.newUser();
      assertSession(await refresh(context, user.refreshToken));
      assertSession(await refresh(context, user.refreshToken));
    },
  ),
  audit(
    'AUTH-226',
    'reusing the parent of the active token returns the active token',
    { source },
    async (context) => {
      const user = await context.newUser();
      const first = assertSession(await refresh(context, user.refreshToken));
      const again = assertSession(await refresh(context, user.refreshToken));
      assert.equal(
        at(again.json, 'refresh_token'),
        at(first.json, 'refresh_token'),
        'refresh_token of the second response',
      );
    },
  ),
  audit(
    'AUTH-227',
    'concurrent refreshes with one token all end in a session or a retryable response',
    { source },
    async (context) => {
      const user = await context.newUser();
      const replies = await Promise.all(Array.from({ length: 5 }, () => refresh(context, user.refreshToken)));
      assert.ok(
        replies.some(({ status }) => status === 200),
        'one of them succeeds',
      );
      for (const { status } of replies)
        assert.ok([200, 409, 429].includes(status), 'the status is 200, 409 or 429', `${status}`);
    },
  ),
  audit(
    'AUTH-940',
    'a refresh token with a used successor is refused after the reuse interval of ten seconds',
    { source },
    async (context) => {
      const user = await context.newUser();
      const second = assertSession(await refresh(context, user.refreshToken));
      assertSession(await refresh(context, textAt(second, 'refresh_token')));
      await setTimeout(12_000);
      const old = await refresh(context, user.refreshToken);
      assertError(old, 400, 'refresh_token_already_used');
      assert.equal(at(old.json, 'access_token'), undefined, 'a refused refresh has no token');
    },
  ),
  audit(
    'AUTH-941',
    'an expired access token is refused',
    { source: 'protocol/auth.md#access-token' },
    async (context) => {
      const user = await context.newUser();
      const nowSeconds = Math.floor(Date.now() / 1000);
      const times = { iat: nowSeconds - 7200, exp: nowSeconds - 3600 };
      const send = (token: string) => context.auth.send('GET', '/user', { token });
      const valid = context.signAgain(user.accessToken, { exp: nowSeconds + 3600 });
      if ((await send(valid)).status !== 200)
        throw new NotRunError('the target accepts no tokens of the legacy secret');
      assertStatus(await send(context.signAgain(user.accessToken, times)), 403);
    },
  ),
  audit(
    'AUTH-942',
    'a request without an API key is refused with 401, and so is one with an invalid key',
    { source: 'protocol/rest.md#gateway' },
    async ({ auth, target }) => {
      if (target.restUrl === null) throw new NotRunError('a bare auth server takes no API keys');
      for (const key of ['', 'no-such-key'])
        assertStatus(await createWire(auth.baseUrl, key, target.fetch).send('GET', '/settings'), 401);
    },
  ),
  audit('AUTH-228', 'after sign-out the refresh token is refused', { source }, async (context) => {
    const user = await context.newUser();
    assertStatus(await context.auth.send('POST', '/logout', { token: user.accessToken }), 204);
    assertError(await refresh(context, user.refreshToken), 400, 'refresh_token_not_found');
  }),
  audit(
    'AUTH-229',
    'success bodies do not depend on the version header',
    { source: 'protocol/auth.md#errors' },
    async (context) => {
      const user = await context.newUser();
      const body = { email: user.email, password: user.password };
      const query = { grant_type: 'password' };
      const plain = await context.auth.send('POST', '/token', {
        query,
        body,
        headers: { 'X-Supabase-Api-Version': '' },
      });
      const versioned = await context.auth.send('POST', '/token', { query, body, headers: apiVersion });
      assert.deepEqual(
        Object.keys(assertSession(plain).json as object).sort(),
        Object.keys(assertSession(versioned).json as object).sort(),
        'the fields of the response without a version',
      );
    },
  ),
  audit(
    'AUTH-208',
    'expires_in is the time from the claim iat to the claim exp',
    { source: 'protocol/auth.md#session', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const session = assertSession(await context.signIn(user.email, user.password));
      const claims = jwtPartOf(textAt(session, 'access_token'));
      const lifetime = Number(at(claims, 'exp')) - Number(at(claims, 'iat'));
      assert.equal(at(session.json, 'expires_in'), lifetime, 'expires_in of the session');
    },
  ),
  audit(
    'AUTH-230',
    'a refresh token of another form is refused as validation_failed',
    { source, since: '1.0.0' },
    async (context) => {
      for (const token of ['short', 'UPPERCASE123', 'a'.repeat(13), 'a'.repeat(60)])
        assertError(await refresh(context, token), 400, 'validation_failed');
    },
  ),
  audit('AUTH-231', 'a refresh keeps the claim amr', { source, since: '1.0.0' }, async (context) => {
    const user = await context.newUser();
    const session = assertSession(await refresh(context, user.refreshToken));
    assert.deepEqual(
      at(jwtPartOf(textAt(session, 'access_token')), 'amr'),
      at(jwtPartOf(user.accessToken), 'amr'),
      'amr of the claims',
    );
  }),
  audit(
    'AUTH-209',
    'a sign-in with a password that became weak has the reasons, and another one has none',
    { source: 'protocol/auth.md#weak-passwords', needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const [email, password] = [context.newEmail(), 'abc'];
      assertStatus(await context.admin('POST', '/users', { email, password, email_confirm: true }), 200);
      const { json } = assertSession(await context.signIn(email, password));
      assert.equal(
        typeof at(json, 'weak_password', 'message'),
        'string',
        'the type of weak_password.message',
      );
      const reasons = at(json, 'weak_password', 'reasons');
      assert.ok(Array.isArray(reasons) && reasons.includes('length'), 'the length is among the reasons');
      const user = await context.newUser();
      const strong = assertSession(await context.signIn(user.email, user.password));
      assert.equal(at(strong.json, 'weak_password') ?? null, null, 'weak_password of a strong password');
    },
  ),
  audit(
    'AUTH-232',
    'an access token without a user or a session of the service is refused',
    { source: 'protocol/auth.md#access-token', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const unknownId = '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11';
      const send = (claims: Readonly<Record<string, unknown>>) =>
        context.auth.send('GET', '/user', { token: context.signAgain(user.accessToken, claims) });
      const nowSeconds = Math.floor(Date.now() / 1000);
      const refused = [
        [{ sub: undefined }, 403, 'bad_jwt'],
        [{ sub: '' }, 403, 'bad_jwt'],
        [{ sub: 'x' }, 400, 'bad_jwt'],
        [{ sub: unknownId }, 403, 'user_not_found'],
        [{ session_id: 'x' }, 403, 'bad_jwt'],
        [{ session_id: unknownId }, 403, 'session_not_found'],
        [{ nbf: nowSeconds + 3600 }, 403, 'bad_jwt'],
        [{ exp: nowSeconds - 3600 }, 403, 'bad_jwt'],
      ] as const;
      for (const [claims, status, code] of refused) assertError(await send(claims), status, code);
      for (const claims of [{ session_id: undefined }, { session_id: '' }, { nbf: nowSeconds - 60 }])
        assert.equal(at((await send(claims)).json, 'id'), user.id, 'id of the user');
    },
  ),
  audit(
    'AUTH-233',
    'the token of a user does not administer, whatever else it claims',
    { source: 'protocol/auth.md#administration', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const list = (claims: Readonly<Record<string, unknown>>) =>
        context.auth.send('GET', '/admin/users', { token: context.signAgain(user.accessToken, claims) });
      for (const role of ['authenticated', 'anon', 'postgres', '', undefined])
        assertError(await list({ role, session_id: undefined }), 403, 'not_admin');
      for (const role of ['service_role', 'supabase_admin'])
        assertStatus(await list({ role, session_id: undefined, sub: undefined }), 200);
    },
  ),
];
