import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext, newAnonymousUser } from '../../audit/audit-context.ts';
import { assertError, assertStatus, assertStatusIn, at, textAt } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { openMailLink, toFormerAddress } from './mail-link.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#user';

const follow = async (context: AuditContext, email: string) => new URL(await openMailLink(context, email));

const exchange = ({ auth }: AuditContext, location: URL, code_verifier: string) =>
  auth.send('POST', '/token', {
    query: { grant_type: 'pkce' },
    body: { auth_code: location.searchParams.get('code'), code_verifier },
  });

export const flowAudits: readonly Audit[] = [
  audit(
    'AUTH-901',
    'a sign-in link by PKCE ends in a session',
    { source: 'protocol/auth.md#pkce', needs: ['mailbox'] },
    async (context) => {
      const { email, id } = await context.newUser();
      const pkce = context.newPkce();
      await context.auth.send('POST', '/otp', {
        query: { redirect_to: context.target.redirectTo },
        body: { email, ...pkce.challenge },
      });
      const session = assertSession(await exchange(context, await follow(context, email), pkce.verifier));
      assert.equal(at(session.json, 'user', 'id'), id, 'user.id of the session');
    },
  ),
  audit(
    'AUTH-902',
    'the code of a PKCE mail signs in without the verifier',
    { source: 'protocol/auth.md#pkce', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/otp', { body: { email, ...context.newPkce().challenge } });
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'email', email, token } }));
    },
  ),
  audit(
    'AUTH-903',
    'a second recovery mail replaces the code of the first',
    { source: 'protocol/auth.md#one-time-codes', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      assertStatus(await context.auth.send('POST', '/recover', { body: { email } }), 200);
      const first = await context.mailedCode(email);
      assertStatus(await context.auth.send('POST', '/recover', { body: { email } }), 200);
      const second = await context.mailedCode(email);
      if (first === second) throw new NotRunError('both mails contain the same code');
      assertError(
        await context.auth.send('POST', '/verify', { body: { type: 'recovery', email, token: first } }),
        403,
        'otp_expired',
      );
      assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'recovery', email, token: second } }),
      );
    },
  ),
  audit(
    'AUTH-904',
    'opening the link consumes the code of the same mail',
    { source: 'protocol/auth.md#one-time-codes', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const mail = await context.mail(email);
      if (mail.code === null) throw new NotRunError("the target's mail template shows no code");
      await context.auth.send('GET', mail.links.find((link) => link.includes('/verify?')) ?? '');
      assertError(
        await context.auth.send('POST', '/verify', { body: { type: 'recovery', email, token: mail.code } }),
        403,
        'otp_expired',
      );
    },
  ),
  audit(
    'AUTH-905',
    'the link keeps the query of redirect_to',
    { source: 'protocol/auth.md#mail-links', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', {
        query: { redirect_to: `${context.target.redirectTo}?next=%2Fdeep` },
        body: { email, ...context.newPkce().challenge },
      });
      assert.equal(
        (await follow(context, email)).searchParams.get('next'),
        '/deep',
        'next of the query of the link',
      );
    },
  ),
  audit(
    'AUTH-906',
    'an anonymous user becomes permanent by confirming an email',
    { source: 'protocol/auth.md#sign-up', needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const anonymous = await newAnonymousUser(context);
      const email = context.newEmail();
      assertStatus(
        await context.auth.send('PUT', '/user', {
          token: textAt(anonymous, 'access_token'),
          body: { email },
        }),
        200,
      );
      const token = await context.mailedCode(email);
      const session = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'email_change', email, token } }),
      );
      assert.equal(
        at(session.json, 'user', 'id'),
        at(anonymous.json, 'user', 'id'),
        'user.id of the session',
      );
      assert.equal(at(session.json, 'user', 'is_anonymous'), false, 'user.is_anonymous of the session');
    },
  ),
  audit(
    'AUTH-907',
    'an anonymous user cannot set a password before an email',
    { source },
    async (context) => {
      const response = await context.auth.send('PUT', '/user', {
        token: textAt(await newAnonymousUser(context), 'access_token'),
        body: { password: 'Secret-123456' },
      });
      assertStatus(response, 422);
    },
  ),
  audit(
    'AUTH-908',
    'changing the password ends the other sessions',
    { source, level: 'SHOULD' },
    async (context) => {
      const user = await context.newUser();
      const other = assertSession(await context.signIn(user.email, user.password));
      assertStatus(
        await context.auth.send('PUT', '/user', {
          token: user.accessToken,
          body: { password: 'Another-123456' },
        }),
        200,
      );
      assertStatus(await context.auth.send('GET', '/user', { token: user.accessToken }), 200);
      assertStatus(await context.auth.send('GET', '/user', { token: textAt(other, 'access_token') }), 403);
    },
  ),
  audit(
    'AUTH-909',
    'a session is not ended by another sign-in',
    { source: 'protocol/auth.md#session' },
    async (context) => {
      const user = await context.newUser();
      assertSession(await context.signIn(user.email, user.password));
      assertStatus(await context.auth.send('GET', '/user', { token: user.accessToken }), 200);
    },
  ),
  audit(
    'AUTH-910',
    'an unknown challenge is refused',
    { source: 'protocol/auth.md#factors' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const enrolled = await context.auth.send('POST', '/factors', {
        token,
        body: { factor_type: 'totp', friendly_name: 'once' },
      });
      const factorId = textAt(enrolled, 'id');
      const response = await context.auth.send('POST', `/factors/${factorId}/verify`, {
        token,
        body: { challenge_id: '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11', code: '123456' },
      });
      assertStatusIn(response, [404, 422]);
    },
  ),
  audit(
    'AUTH-911',
    "a user cannot challenge another's factor",
    { source: 'protocol/auth.md#factors' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const enrolled = await context.auth.send('POST', '/factors', {
        token: ada.accessToken,
        body: { factor_type: 'totp', friendly_name: 'hers' },
      });
      const response = await context.auth.send('POST', `/factors/${textAt(enrolled, 'id')}/challenge`, {
        token: grace.accessToken,
        body: {},
      });
      assertError(response, 404, 'mfa_factor_not_found');
    },
  ),
  audit(
    'AUTH-912',
    'a resent email change carries a code that works',
    { source: 'protocol/auth.md#one-time-codes', needs: ['mailbox'] },
    async (context) => {
      const user = await context.newUser();
      const newEmail = context.newEmail();
      await context.auth.send('PUT', '/user', { token: user.accessToken, body: { email: newEmail } });
      await toFormerAddress(context.mail(user.email));
      await context.mail(newEmail);
      assertStatus(
        await context.auth.send('POST', '/resend', { body: { type: 'email_change', email: user.email } }),
        200,
      );
      const token = await context.mailedCode(newEmail);
      const response = await context.auth.send('POST', '/verify', {
        body: { type: 'email_change', email: newEmail, token },
      });
      assertStatus(response, 200);
    },
  ),
  audit(
    'AUTH-913',
    'an email change by PKCE links ends in a session with the new address',
    { source: 'protocol/auth.md#pkce', needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const newEmail = context.newEmail();
      const pkce = context.newPkce();
      assertStatus(
        await context.auth.send('PUT', '/user', {
          token: user.accessToken,
          body: { email: newEmail, ...pkce.challenge },
        }),
        200,
      );
      const half = await toFormerAddress(follow(context, user.email));
      assert.equal(half.searchParams.get('code'), null, 'the code of the first redirect');
      const session = assertSession(await exchange(context, await follow(context, newEmail), pkce.verifier));
      assert.equal(at(session.json, 'user', 'email'), newEmail, 'user.email of the session');
    },
  ),
  audit(
    'AUTH-915',
    'an access token stays valid for its user after a refresh',
    { source: 'protocol/auth.md#session' },
    async (context) => {
      const user = await context.newUser();
      assertSession(
        await context.auth.send('POST', '/token', {
          query: { grant_type: 'refresh_token' },
          body: { refresh_token: user.refreshToken },
        }),
      );
      assertStatus(await context.auth.send('GET', '/user', { token: user.accessToken }), 200);
    },
  ),
  audit('AUTH-916', 'a sign-in updates last_sign_in_at', { source }, async (context) => {
    const user = await context.newUser();
    const before = await context.auth.send('GET', '/user', { token: user.accessToken });
    const after = assertSession(await context.signIn(user.email, user.password));
    assert.ok(
      Date.parse(textAt(after, 'user', 'last_sign_in_at')) >= Date.parse(textAt(before, 'last_sign_in_at')),
      'last_sign_in_at does not go back',
    );
  }),
  audit(
    'AUTH-917',
    'the browser is allowed to call the service from another origin',
    { source: 'protocol/auth.md#service-routes' },
    async ({ auth }) => {
      const response = await auth.send('GET', '/settings', { headers: { Origin: 'http://localhost:5173' } });
      assert.ok(response.headers.get('access-control-allow-origin'), 'the origin is allowed');
    },
  ),
  audit(
    'AUTH-918',
    'PUT /user changes a phone number once its code is verified',
    { source, needs: ['sms', 'phone-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const phone = context.newPhone();
      assertStatus(
        await context.auth.send('PUT', '/user', { token: user.accessToken, body: { phone } }),
        200,
      );
      const token = await context.mailedCode(phone);
      const session = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'phone_change', phone, token } }),
      );
      assert.equal(at(session.json, 'user', 'phone'), phone, 'user.phone of the session');
    },
  ),
  audit('AUTH-919', 'app_metadata cannot be changed by the user', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    const refused = await context.auth.send('PUT', '/user', {
      token,
      body: { app_metadata: { role: 'admin' }, data: { ok: true } },
    });
    assertError(refused, 403, 'not_admin');
    const response = await context.auth.send('GET', '/user', { token });
    assert.equal(at(response.json, 'app_metadata', 'role'), undefined, 'app_metadata.role of the response');
  }),
  audit(
    'AUTH-920',
    'a password of more than 72 characters is refused',
    { source: 'protocol/auth.md#weak-passwords' },
    async (context) => {
      const response = await context.auth.send('POST', '/signup', {
        body: { email: context.newEmail(), password: 'x'.repeat(73) },
      });
      assertError(response, 400, 'validation_failed');
    },
  ),
];
