import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assertError, assertStatus, assertStatusIn, at } from '../../target/wire.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#one-time-codes';

/** One-time codes and links: /otp, /magiclink, /recover, /resend, /verify. */
export const oneTimeAudits: readonly Audit[] = [
  audit(
    'AUTH-401',
    'POST /otp returns {} and sends a code that signs in',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      const requested = await context.auth.send('POST', '/otp', { body: { email } });
      assertStatus(requested, 200);
      assert.deepEqual(requested.json, {}, 'the sent request');
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'email', email, token } }));
    },
  ),
  audit('AUTH-402', 'a code signs in once', { source, needs: ['mailbox'] }, async (context) => {
    const { email } = await context.newUser();
    await context.auth.send('POST', '/otp', { body: { email } });
    const body = { type: 'email', email, token: await context.mailedCode(email) };
    assertSession(await context.auth.send('POST', '/verify', { body }));
    assertError(await context.auth.send('POST', '/verify', { body }), 403, 'otp_expired');
  }),
  audit('AUTH-403', 'a wrong code is refused as otp_expired', { source }, async (context) => {
    const { email } = await context.newUser();
    assertError(
      await context.auth.send('POST', '/verify', { body: { type: 'email', email, token: '000000' } }),
      403,
      'otp_expired',
    );
  }),
  audit(
    'AUTH-404',
    'POST /otp for an unknown address with create_user false is refused',
    { source },
    async ({ auth, newEmail }) => {
      assertError(
        await auth.send('POST', '/otp', { body: { email: newEmail(), create_user: false } }),
        422,
        'otp_disabled',
      );
    },
  ),
  audit(
    'AUTH-405',
    'POST /otp creates the account unless create_user is false',
    { source, needs: ['mailbox'] },
    async (context) => {
      const email = context.newEmail();
      assertStatus(await context.auth.send('POST', '/otp', { body: { email } }), 200);
      const token = await context.mailedCode(email);
      const session = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'email', email, token } }),
      );
      assert.equal(at(session.json, 'user', 'email'), email, 'user.email of the session');
    },
  ),
  audit(
    'AUTH-406',
    'POST /recover returns {} for an unknown address',
    { source },
    async ({ auth, newEmail }) => {
      const response = await auth.send('POST', '/recover', { body: { email: newEmail() } });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
    },
  ),
  audit(
    'AUTH-407',
    'the code of a recovery mail signs in as type recovery',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'recovery', email, token } }));
    },
  ),
  audit(
    'AUTH-408',
    'POST /verify takes exactly {type, token_hash}',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const { links } = await context.mail(email);
      const token_hash =
        new URL(links.find((link) => link.includes('/verify?')) ?? '').searchParams.get('token') ?? '';
      assertError(
        await context.auth.send('POST', '/verify', { body: { type: 'recovery', token_hash, email } }),
        400,
        'validation_failed',
      );
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'recovery', token_hash } }));
    },
  ),
  audit('AUTH-409', 'POST /verify without a type is refused', { source }, async ({ auth }) => {
    assertError(
      await auth.send('POST', '/verify', { body: { email: 'a@example.com', token: '123456' } }),
      400,
      'validation_failed',
    );
  }),
  audit(
    'AUTH-410',
    'POST /resend of a sign-up sends a second mail whose code works',
    { source, needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const email = context.newEmail();
      await context.auth.send('POST', '/signup', { body: { email, password: 'Secret-123456' } });
      await context.mail(email);
      const response = await context.auth.send('POST', '/resend', { body: { type: 'signup', email } });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'signup', email, token } }));
    },
  ),
  audit(
    'AUTH-411',
    'POST /resend of an unknown address returns {}',
    { source },
    async ({ auth, newEmail }) => {
      const response = await auth.send('POST', '/resend', { body: { type: 'signup', email: newEmail() } });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
    },
  ),
  audit('AUTH-412', 'POST /resend of an unknown type is refused', { source }, async ({ auth, newEmail }) => {
    assertError(
      await auth.send('POST', '/resend', { body: { type: 'pigeon', email: newEmail() } }),
      400,
      'validation_failed',
    );
  }),
  audit('AUTH-413', 'POST /magiclink signs in like /otp', { source, needs: ['mailbox'] }, async (context) => {
    const { email } = await context.newUser();
    assertStatus(await context.auth.send('POST', '/magiclink', { body: { email } }), 200);
    const token = await context.mailedCode(email);
    assertSession(await context.auth.send('POST', '/verify', { body: { type: 'magiclink', email, token } }));
  }),
  audit(
    'AUTH-414',
    'GET /verify with a token that does not exist redirects with otp_expired',
    { source: 'protocol/auth.md#mail-links' },
    async ({ auth, target }) => {
      const response = await auth.send('GET', '/verify', {
        query: { token: '0'.repeat(56), type: 'signup', redirect_to: target.redirectTo },
      });
      assertStatus(response, 303);
      const location = new URL(response.headers.get('location') ?? '');
      assert.equal(
        new URLSearchParams(location.hash.slice(1)).get('error_code'),
        'otp_expired',
        'error_code of the fragment',
      );
    },
  ),
  audit('AUTH-415', 'an SMS code signs in by phone', { source, needs: ['sms'] }, async (context) => {
    const phone = context.newPhone();
    const requested = await context.auth.send('POST', '/otp', { body: { phone } });
    assertStatus(requested, 200);
    const token = await context.mailedCode(phone);
    const session = assertSession(
      await context.auth.send('POST', '/verify', { body: { type: 'sms', phone, token } }),
    );
    assert.equal(at(session.json, 'user', 'phone'), phone, 'user.phone of the session');
  }),
  audit('AUTH-416', 'POST /otp with neither email nor phone is refused', { source }, async ({ auth }) => {
    const response = await auth.send('POST', '/otp', { body: {} });
    assertStatusIn(response, [400, 422]);
  }),
];
