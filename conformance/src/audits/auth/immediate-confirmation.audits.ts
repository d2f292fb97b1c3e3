import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, newAnonymousUser, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { verifyToken } from './mail-link.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#sign-up', since: '1.0.0' } as const;

/** @throws NotRunError unless addresses or numbers are confirmed at once. */
async function assertConfirms(
  { auth }: AuditContext,
  setting: 'mailer_autoconfirm' | 'phone_autoconfirm',
): Promise<void> {
  const { json } = await auth.send('GET', '/settings');
  if (at(json, setting) !== true) throw new NotRunError(`${setting} is off`);
}

const identityOf = (user: unknown, provider: string): unknown =>
  ((at(user, 'identities') ?? []) as readonly unknown[]).find((found) => at(found, 'provider') === provider);

const ownUser = async ({ auth }: AuditContext, session: WireResponse): Promise<unknown> => {
  const response = await auth.send('GET', '/user', { token: textAt(session, 'access_token') });
  assertStatus(response, 200);
  return response.json;
};

const password = 'Secret-1 to be kept';

/** Projects that confirm addresses and numbers at once. */
export const immediateConfirmationAudits: readonly Audit[] = [
  audit(
    'AUTH-1182',
    'where addresses are confirmed at once, a sign-up returns a session of a confirmed user, and once',
    options,
    async (context) => {
      await assertConfirms(context, 'mailer_autoconfirm');
      const { auth } = context;
      const email = context.newEmail();
      const body = { email, password, data: { team: 'blue' } };
      const session = assertSession(await auth.send('POST', '/signup', { body }));
      const user = at(session.json, 'user');
      assert.equal(at(user, 'confirmed_at'), undefined, 'confirmed_at of the response');
      assert.equal(at(user, 'role'), 'authenticated', 'role of the user');
      assert.equal(at(user, 'confirmation_sent_at'), undefined, 'confirmation_sent_at of the user');
      assert.equal(
        at(identityOf(user, 'email'), 'identity_data', 'email_verified'),
        true,
        'email_verified in the response',
      );
      const own = await ownUser(context, session);
      assert.equal(at(own, 'confirmed_at'), at(own, 'email_confirmed_at'), 'confirmed_at of the user');
      assert.equal(
        at(identityOf(own, 'email'), 'identity_data', 'email_verified'),
        false,
        'email_verified of the identity',
      );
      assert.deepEqual(
        at(jwtPartOf(textAt(session, 'access_token')), 'user_metadata'),
        { email, email_verified: true, phone_verified: false, sub: at(user, 'id'), team: 'blue' },
        'user_metadata of the token',
      );
      const again = await auth.send('POST', '/signup', { body });
      assertRefusal(again, 422, 'user_already_exists', 'User already registered');
    },
  ),
  audit(
    'AUTH-1183',
    'where numbers are confirmed at once, a sign-up by phone returns a session, and a change of the number needs no code',
    options,
    async (context) => {
      await assertConfirms(context, 'phone_autoconfirm');
      const { auth } = context;
      const [phone, next] = [context.newPhone(), context.newPhone()];
      const session = assertSession(await auth.send('POST', '/signup', { body: { phone, password } }));
      const user = at(session.json, 'user');
      assert.deepEqual(
        [at(user, 'phone'), at(user, 'role')],
        [phone, 'authenticated'],
        'phone and role of the user',
      );
      assert.equal(typeof at(user, 'phone_confirmed_at'), 'string', 'the type of phone_confirmed_at');
      assert.deepEqual(
        at(user, 'identities', 0, 'identity_data'),
        { sub: at(user, 'id'), email_verified: false, phone_verified: false },
        'identity_data of the identity',
      );
      const token = textAt(session, 'access_token');
      const changed = await auth.send('PUT', '/user', { token, body: { phone: next } });
      assertStatus(changed, 200);
      assert.deepEqual(
        [at(changed.json, 'phone'), at(changed.json, 'new_phone')],
        [next, undefined],
        'phone and new_phone',
      );
      assertSession(
        await auth.send('POST', '/token', {
          query: { grant_type: 'password' },
          body: { phone: next, password },
        }),
      );
      const again = await auth.send('POST', '/signup', { body: { phone: next, password } });
      assertRefusal(again, 422, 'user_already_exists', 'User already registered');
    },
  ),
  audit(
    'AUTH-1184',
    'where numbers are confirmed at once, a code is sent to a new number nevertheless',
    { ...options, needs: ['sms'] },
    async (context) => {
      await assertConfirms(context, 'phone_autoconfirm');
      const phone = context.newPhone();
      const sent = await context.auth.send('POST', '/otp', { body: { phone } });
      assertStatus(sent, 200);
      assert.deepEqual(sent.json, {}, 'the response');
      const token = await context.mailedCode(phone);
      const session = assertSession(await verifyToken(context, { type: 'sms', phone, token }));
      assert.equal(at(session.json, 'user', 'phone'), phone, 'phone of the user');
    },
  ),
  audit(
    'AUTH-1185',
    'where addresses are confirmed at once, an anonymous user has an address at once, and other users confirm it',
    { ...options, needs: ['mailbox'] },
    async (context) => {
      await assertConfirms(context, 'mailer_autoconfirm');
      const [email, next] = [context.newEmail(), context.newEmail()];
      const token = textAt(await newAnonymousUser(context), 'access_token');
      const put = (body: object) => context.auth.send('PUT', '/user', { token, body });
      const changed = await put({ email });
      assertStatus(changed, 200);
      const members = ['email', 'new_email', 'is_anonymous'].map((name) => at(changed.json, name));
      assert.deepEqual(members, [email, undefined, false], 'email, new_email and is_anonymous');
      assert.equal(typeof at(changed.json, 'email_confirmed_at'), 'string', 'the type of email_confirmed_at');
      assert.equal(
        at(identityOf(changed.json, 'email'), 'identity_data', 'email'),
        email,
        'email of the identity',
      );
      assert.equal((await context.mails(email)).length, 0, 'the number of mails');
      const asked = await put({ email: next });
      assert.deepEqual(
        [at(asked.json, 'email'), at(asked.json, 'new_email')],
        [email, next],
        'email and new_email',
      );
    },
  ),
  audit(
    'AUTH-1186',
    'where addresses are confirmed at once, a magic link to a new address is that of a known one',
    { ...options, needs: ['mailbox', 'service-key'] },
    async (context) => {
      await assertConfirms(context, 'mailer_autoconfirm');
      const email = context.newEmail();
      assertStatus(await context.auth.send('POST', '/otp', { body: { email } }), 200);
      await context.mail(email);
      const { json } = await context.admin('GET', `/users?filter=${encodeURIComponent(email)}`);
      const user = at(json, 'users', 0);
      assert.equal(typeof at(user, 'email_confirmed_at'), 'string', 'the type of email_confirmed_at');
      assert.equal(typeof at(user, 'recovery_sent_at'), 'string', 'the type of recovery_sent_at');
      assert.equal(at(user, 'confirmation_sent_at'), undefined, 'confirmation_sent_at');
    },
  ),
  audit(
    'AUTH-1188',
    'the number 155500001234 has the code 123456, where it is a test number, and receives no SMS',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const { auth } = context;
      const phone = '155500001234';
      const body = { phone };
      const created = await context.admin('POST', '/users', body);
      if (created.status !== 200) throw new NotRunError('the number may belong to somebody');
      try {
        assertStatus(await auth.send('POST', '/otp', { body }), 200);
        const resent = await auth.send('POST', '/resend', { body: { ...body, type: 'sms' } });
        const verified = await verifyToken(context, { type: 'sms', phone, token: '123456' });
        if (at(verified.json, 'code') === 'otp_expired')
          throw new NotRunError('the number is no test number');
        const session = assertSession(verified);
        // The code of the request is used up; the number has it nevertheless.
        assertSession(await verifyToken(context, { type: 'sms', phone, token: '123456' }));
        const token = textAt(session, 'access_token');
        const sent = [
          await auth.send('POST', '/otp', { body }),
          await auth.send('GET', '/reauthenticate', { token }),
          ...(resent.status === 200 && at(resent.json, 'message_id') !== undefined ? [resent] : []),
        ];
        for (const { json } of sent) assert.deepEqual(json, { message_id: 'test-otp' }, 'the response');
        const again = await verifyToken(context, { type: 'sms', phone, token: '123456' });
        assert.equal(at(assertSession(again).json, 'user', 'phone'), phone, 'phone of the user');
        const wrong = await verifyToken(context, { type: 'sms', phone, token: '654321' });
        assertRefusal(wrong, 403, 'otp_expired', 'Token has expired or is invalid');
        if (context.target.smsInMailbox)
          assert.deepEqual(await context.mails(phone), [], 'the SMS to the number');
      } finally {
        await context.admin('DELETE', `/users/${textAt(created, 'id')}`);
      }
    },
  ),
];
