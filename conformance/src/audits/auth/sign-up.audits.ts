import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertSession, newAnonymousUser } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';
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
    async (context) => {
      const data = metadataOf(context.run);
      const response = await newAnonymousUser(context, data);
      const claims = jwtPartOf(textAt(response, 'access_token'));
      assert.deepEqual(
        [at(claims, 'is_anonymous'), at(claims, 'amr', 0, 'method'), at(claims, 'role')],
        [true, 'anonymous', 'authenticated'],
        'is_anonymous, amr.0.method and role of the claims',
      );
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
  audit(
    'AUTH-116',
    'a second sign-up of an unconfirmed address keeps the account and its first password',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const email = context.newEmail();
      const id = textAt(await signUpUnconfirmed(context, email), 'id');
      const again = await context.auth.send('POST', '/signup', {
        body: { email, password: 'Another-123456' },
      });
      assert.equal(at(again.json, 'id'), id, 'id of the second response');
      await context.admin('PUT', `/users/${id}`, { email_confirm: true });
      assertSession(await context.signIn(email, 'Secret-123456'));
      assertError(await context.signIn(email, 'Another-123456'), 400, 'invalid_credentials');
    },
  ),
  audit(
    'AUTH-117',
    'the fake user has the data of the sign-up, and nothing of the account',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const secret = { user_metadata: { secret: 1 }, app_metadata: { secret: 1 } };
      await context.admin('PUT', `/users/${user.id}`, secret);
      const body = { email: user.email, password: 'Secret-123456', data: { name: 'Ada' } };
      const { status, json } = await context.auth.send('POST', '/signup', { body });
      if (status !== 200) throw new NotRunError('the target confirms accounts at once');
      const members = ['aud', 'email', 'phone', 'user_metadata', 'app_metadata', 'email_confirmed_at'];
      assert.deepEqual(
        [...members, 'last_sign_in_at'].map((member) => at(json, member)),
        [
          'authenticated',
          user.email,
          '',
          { name: 'Ada' },
          { provider: 'email', providers: ['email'] },
          undefined,
          undefined,
        ],
        'the members',
      );
      assert.equal(typeof at(json, 'confirmation_sent_at'), 'string', 'the type of confirmation_sent_at');
    },
  ),
  audit('AUTH-118', 'an address is stored in lower case', { source, since: '1.0.0' }, async (context) => {
    const email = context.newEmail();
    const response = await signUpUnconfirmed(context, email.toUpperCase());
    assert.deepEqual(
      [at(response.json, 'email'), at(response.json, 'identities', 0, 'identity_data', 'email')],
      [email, email],
      'email of the user and of its identity',
    );
  }),
  audit(
    'AUTH-119',
    'the identity of an unconfirmed account has the data of the sign-up, and no verified address',
    { source, since: '1.0.0' },
    async (context) => {
      const email = context.newEmail();
      const body = { email, password: 'Secret-123456', data: { name: 'Ada', email_verified: true } };
      const { json } = await context.auth.send('POST', '/signup', { body });
      if (at(json, 'access_token') !== undefined)
        throw new NotRunError('the target confirms accounts at once');
      const data = at(json, 'identities', 0, 'identity_data');
      assert.deepEqual(
        ['email', 'name', 'email_verified', 'phone_verified', 'sub'].map((member) => at(data, member)),
        [email, 'Ada', false, false, at(json, 'id')],
        'the data of the identity',
      );
    },
  ),
  audit(
    'AUTH-120',
    'the fake user has the members of a new user',
    { source, needs: ['email-confirmation'], since: '1.0.0' },
    async (context) => {
      const { email } = await context.newUser();
      const membersOf = async (address: string) => {
        const body = { email: address, password: 'Secret-123456', data: { name: 'Ada' } };
        const response = await context.auth.send('POST', '/signup', { body });
        assertStatus(response, 200);
        return Object.keys(response.json as object).toSorted();
      };
      const ofNew = await membersOf(context.newEmail());
      assert.deepEqual(await membersOf(email), ofNew, 'the members of the fake user');
    },
  ),
];
