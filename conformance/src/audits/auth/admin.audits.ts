import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, textAt } from '../../target/wire.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#administration';

export const adminAudits: readonly Audit[] = [
  audit('AUTH-801', 'without the service key the admin routes are closed', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    const response = await context.auth.send('GET', '/admin/users', { token });
    assertError(response, 403, 'not_admin');
  }),
  audit(
    'AUTH-802',
    'a created user is confirmed on request and can sign in',
    { source, needs: ['service-key'] },
    async (context) => {
      const email = context.newEmail();
      const created = await context.admin('POST', '/users', {
        email,
        password: 'Secret-123456',
        email_confirm: true,
        user_metadata: { name: 'Grace' },
      });
      assertStatus(created, 200);
      assert.equal(
        at(created.json, 'user_metadata', 'name'),
        'Grace',
        'user_metadata.name of the created user',
      );
      assertSession(await context.signIn(email, 'Secret-123456'));
    },
  ),
  audit(
    'AUTH-803',
    'users are listed with their audience',
    { source, needs: ['service-key'] },
    async (context) => {
      await context.newUser();
      const response = await context.admin('GET', '/users');
      assertStatus(response, 200);
      assert.ok(Array.isArray(at(response.json, 'users')), 'the response lists users');
      assert.equal(at(response.json, 'aud'), 'authenticated', 'aud of the response');
    },
  ),
  audit(
    'AUTH-810',
    'a page of users has their total number in X-Total-Count',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      await context.newUser();
      await context.newUser();
      const response = await context.admin('GET', '/users?page=1&per_page=1');
      assertStatus(response, 200);
      assert.equal((at(response.json, 'users') as readonly unknown[]).length, 1, 'the number of users');
      const total = response.headers.get('x-total-count');
      assert.ok(Number(total) >= 2, 'X-Total-Count is the number of all users', String(total));
    },
  ),
  audit('AUTH-804', 'a user is read by id', { source, needs: ['service-key'] }, async (context) => {
    const user = await context.newUser();
    const response = await context.admin('GET', `/users/${user.id}`);
    assertStatus(response, 200);
    assert.equal(at(response.json, 'email'), user.email, 'email of the response');
  }),
  audit(
    'AUTH-805',
    'a second user of one address is refused as email_exists',
    { source, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      assertError(
        await context.admin('POST', '/users', { email: user.email, password: 'Secret-123456' }),
        422,
        'email_exists',
      );
    },
  ),
  audit('AUTH-806', 'a deleted user cannot sign in', { source, needs: ['service-key'] }, async (context) => {
    const user = await context.newUser();
    assertStatus(await context.admin('DELETE', `/users/${user.id}`), 200);
    assertError(await context.signIn(user.email, user.password), 400, 'invalid_credentials');
  }),
  audit(
    'AUTH-807',
    'a generated recovery link carries a token, its hash and the code',
    { source, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const response = await context.admin('POST', '/generate_link', { type: 'recovery', email: user.email });
      assertStatus(response, 200);
      assert.match(textAt(response, 'action_link'), /\/verify\?/, 'action_link of the response');
      assert.match(textAt(response, 'email_otp'), /^\d{6,10}$/, 'email_otp of the response');
      assert.equal(at(response.json, 'verification_type'), 'recovery', 'verification_type of the response');
      assertSession(
        await context.auth.send('POST', '/verify', {
          body: { type: 'recovery', token_hash: textAt(response, 'hashed_token') },
        }),
      );
    },
  ),
  audit(
    'AUTH-808',
    'an invited user receives a mail whose code signs in',
    { source, needs: ['service-key', 'mailbox'] },
    async (context) => {
      const email = context.newEmail();
      const { serviceKey } = context.target;
      const response = await context.auth.send('POST', '/invite', {
        body: { email },
        ...(serviceKey === null
          ? {}
          : { token: serviceKey, headers: context.target.restUrl === null ? {} : { apikey: serviceKey } }),
      });
      assertStatus(response, 200);
      const { links } = await context.mail(email);
      const [, token_hash] = /[?&#]token(?:_hash)?=([^&#]+)/.exec(links.join(' ')) ?? [];
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'invite', token_hash } }));
    },
  ),
  audit(
    'AUTH-809',
    'a missing user is refused as user_not_found',
    { source, needs: ['service-key'] },
    async ({ admin }) => {
      assertError(await admin('GET', '/users/7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11'), 404, 'user_not_found');
    },
  ),
];
