import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, textAt, type WireResponse } from '../../target/wire.ts';
import { metadataOf } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#sign-up';

async function signUpUnconfirmed(context: AuditContext, email: string): Promise<WireResponse> {
  const response = await context.auth.send('POST', '/signup', { body: { email, password: 'Secret-123456' } });
  assertStatus(response, 200);
  if (at(response.json, 'access_token') !== undefined)
    throw new NotRunError('the target confirms accounts at once');
  return response;
}

export const signUpAudits: readonly Audit[] = [
  audit(
    'AUTH-101',
    'a sign-up that must be confirmed returns a bare user and no tokens',
    { source },
    async (context) => {
      const email = context.newEmail();
      const response = await signUpUnconfirmed(context, email);
      textAt(response, 'id');
      assert.equal(at(response.json, 'email'), email, 'email of the response');
      assert.equal(at(response.json, 'role'), 'authenticated', 'role of the response');
      assert.equal(at(response.json, 'user'), undefined, 'user of the response');
      textAt(response, 'confirmation_sent_at');
    },
  ),
  audit('AUTH-102', 'a new account has one identity, of provider email', { source }, async (context) => {
    const response = await signUpUnconfirmed(context, context.newEmail());
    assert.equal(
      at(response.json, 'identities', 0, 'provider'),
      'email',
      'identities.0.provider of the response',
    );
    textAt(response, 'identities', 0, 'identity_id');
    assert.equal(
      at(response.json, 'app_metadata', 'provider'),
      'email',
      'app_metadata.provider of the response',
    );
  }),
  audit(
    'AUTH-103',
    'signing up a confirmed address returns a fake user without identities',
    { source },
    async (context) => {
      const user = await context.newUser();
      const response = await signUpUnconfirmed(context, user.email);
      assert.deepEqual(at(response.json, 'identities'), [], 'identities of the response');
      assert.notEqual(at(response.json, 'id'), user.id, 'the fake user does not reveal the real id');
    },
  ),
  audit('AUTH-104', 'an unconfirmed account cannot sign in', { source }, async (context) => {
    const email = context.newEmail();
    await signUpUnconfirmed(context, email);
    assertError(await context.signIn(email, 'Secret-123456'), 400, 'email_not_confirmed');
  }),
  audit(
    'AUTH-105',
    'a password that is too short is refused with its reasons',
    { source: 'protocol/auth.md#weak-passwords' },
    async (context) => {
      const response = await context.auth.send('POST', '/signup', {
        body: { email: context.newEmail(), password: 'abc' },
      });
      assertError(response, 422, 'weak_password');
      const reasons = at(response.json, 'weak_password', 'reasons');
      assert.ok(Array.isArray(reasons) && reasons.includes('length'), 'the length is among the reasons');
    },
  ),
  audit('AUTH-106', 'an address without @ is refused as validation_failed', { source }, async ({ auth }) => {
    assertError(
      await auth.send('POST', '/signup', { body: { email: 'nonsense', password: 'Secret-123456' } }),
      400,
      'validation_failed',
    );
  }),
  audit('AUTH-107', 'a sign-up without a password is refused', { source }, async (context) => {
    assertError(
      await context.auth.send('POST', '/signup', { body: { email: context.newEmail() } }),
      400,
      'validation_failed',
    );
  }),
  audit(
    'AUTH-108',
    'user data of the sign-up becomes user_metadata',
    { source, needs: ['mailbox'] },
    async (context) => {
      const email = context.newEmail();
      const response = await context.auth.send('POST', '/signup', {
        body: { email, password: 'Secret-123456', data: { name: 'Zoë', level: 3 } },
      });
      assertStatus(response, 200);
      const metadata = at(response.json, 'user_metadata') ?? at(response.json, 'user', 'user_metadata');
      assert.equal(at(metadata, 'name'), 'Zoë', 'user_metadata.name of the user');
      assert.equal(at(metadata, 'level'), 3, 'level of the metadata');
    },
  ),
  audit(
    'AUTH-109',
    'the confirmation mail carries a link to /verify',
    { source, needs: ['mailbox'] },
    async (context) => {
      const email = context.newEmail();
      await signUpUnconfirmed(context, email);
      const mail = await context.mail(email);
      assert.ok(
        mail.links.some((link) => link.includes('/verify?')),
        'a link to /verify',
      );
    },
  ),
  audit(
    'AUTH-110',
    'the code of the confirmation mail signs the user in',
    { source, needs: ['mailbox'] },
    async (context) => {
      const email = context.newEmail();
      await signUpUnconfirmed(context, email);
      const token = await context.mailedCode(email);
      const session = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'signup', email, token } }),
      );
      textAt(session, 'user', 'email_confirmed_at');
    },
  ),
  audit(
    'AUTH-111',
    'an anonymous sign-up returns a session of an anonymous user',
    { source },
    async ({ auth, run }) => {
      const data = metadataOf(run);
      const response = await auth.send('POST', '/signup', { body: { data } });
      if (at(response.json, 'code') === 'anonymous_provider_disabled')
        throw new NotRunError('anonymous sign-ins are disabled');
      assertSession(response);
      assert.equal(at(response.json, 'user', 'is_anonymous'), true, 'user.is_anonymous of the response');
      assert.equal(at(response.json, 'user', 'email'), '', 'user.email of the response');
      assert.equal(
        at(response.json, 'user', 'user_metadata', 'audit'),
        data.audit,
        'user.user_metadata.audit of the response',
      );
    },
  ),
  audit('AUTH-112', 'PKCE is refused for a sign-up by phone', { source }, async (context) => {
    const response = await context.auth.send('POST', '/signup', {
      body: { phone: context.newPhone(), password: 'Secret-123456', ...context.newPkce().challenge },
    });
    if (at(response.json, 'code') === 'phone_provider_disabled')
      throw new NotRunError('phone sign-ups are disabled');
    assertError(response, 400, 'validation_failed');
  }),
  audit('AUTH-113', 'email and phone together are refused', { source }, async (context) => {
    const response = await context.auth.send('POST', '/signup', {
      body: { email: context.newEmail(), phone: context.newPhone(), password: 'Secret-123456' },
    });
    assertError(response, 400, 'validation_failed');
  }),
  audit(
    'AUTH-114',
    'an address is compared without regard to case',
    { source, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      assertSession(await context.signIn(user.email.toUpperCase(), user.password));
    },
  ),
  audit(
    'AUTH-115',
    'a phone sign-up is confirmed with the code of the SMS',
    { source, needs: ['sms', 'phone-confirmation'] },
    async (context) => {
      const phone = context.newPhone();
      const response = await context.auth.send('POST', '/signup', {
        body: { phone, password: 'Secret-123456' },
      });
      assertStatus(response, 200);
      const token = await context.mailedCode(phone);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'sms', phone, token } }));
    },
  ),
];
