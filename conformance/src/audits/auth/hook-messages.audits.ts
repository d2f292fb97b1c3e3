import { createHash } from 'node:crypto';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, parseJson, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal, lastCallOf, payloadOf } from './hook-call.ts';
import { generateLink, verifyToken } from './mail-link.ts';
import { enrollTotp } from './totp.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#hooks', since: '1.0.0', needs: ['service-key'] } as const;

const hashOf = (address: string, code: unknown): string =>
  createHash('sha224')
    .update(address + String(code))
    .digest('hex');

/** `email_data` of the service has each member, and empty texts where a mail needs none. */
const emptyData = {
  token: '',
  token_hash: '',
  token_new: '',
  token_hash_new: '',
  old_email: '',
  old_phone: '',
  provider: '',
  factor_type: '',
} as const;

interface SentMail {
  readonly user: unknown;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The latest mail about an address that the service passed to the hook. */
function lastMailOf(context: AuditContext, text: string): SentMail {
  const { user, email_data, ...rest } = lastCallOf(context, 'send_email', text, 'send-email');
  assert.deepEqual(rest, {}, 'further members of the payload');
  return { user, data: email_data as SentMail['data'] };
}

/** Asserts a mail with one code, which verifies as `type`, and returns the code. */
function assertCodeMail(context: AuditContext, email: string, type: string): string {
  const { user, data } = lastMailOf(context, email);
  const { token, redirect_to, site_url } = data;
  assert.match(String(token), /^\d{6,10}$/, 'token of the mail');
  assert.ok(URL.canParse(String(redirect_to)), 'redirect_to of the mail is a URL', String(redirect_to));
  assert.ok(URL.canParse(String(site_url)), 'site_url of the mail is a URL', String(site_url));
  assert.deepEqual(
    data,
    {
      ...emptyData,
      token,
      token_hash: hashOf(email, token),
      redirect_to,
      email_action_type: type,
      site_url,
    },
    'email_data',
  );
  assert.equal(at(user, 'email'), email, 'the email of the user in the payload');
  return String(token);
}

/** Mails of an account's changes contain no code. */
function assertNotice(context: AuditContext, email: string, type: string, members: object): void {
  const call = context.hooks.calls('send_email', email).findLast(({ text }) => text.includes(`"${type}"`));
  if (!call) return assert.fail(`the service mails ${type}`, 'no call of the hook');
  const data = payloadOf(call.json, 'send-email')['email_data'];
  const [redirect_to, site_url] = [at(data, 'redirect_to'), at(data, 'site_url')];
  assert.deepEqual(
    data,
    { ...emptyData, redirect_to, email_action_type: type, site_url, ...members },
    `email_data of ${type}`,
  );
}

/** The latest SMS to a number that the service passed to the hook. */
function lastSmsOf(context: AuditContext, phone: string): SentMail {
  const { user, sms, ...rest } = lastCallOf(context, 'send_sms', phone, 'send-sms');
  assert.deepEqual(rest, {}, 'further members of the payload');
  return { user, data: sms as SentMail['data'] };
}

/** @throws NotRunError if the database lacks the function of the hook. */
async function assertFunctionHook(context: AuditContext): Promise<void> {
  void context.hooks;
  const name = 'conformance_hooks.before_user_created(jsonb)';
  const rows = await context.query('select to_regprocedure($1) is not null as found', [name]);
  if (at(rows, 0, 'found') !== true) throw new NotRunError(`the database has no function ${name}`);
}

/** Hooks that send mails and SMS, and the one that decides about new users. */
export const hookMessageAudits: readonly Audit[] = [
  audit(
    'AUTH-1148',
    'the hook of mails receives the code and its hash of each mail, and the code is accepted',
    { ...options, needs: ['service-key', 'email-confirmation'] },
    async (context) => {
      const { auth, newEmail } = context;
      const email = newEmail();
      const query = { redirect_to: context.target.redirectTo };
      assertStatus(
        await auth.send('POST', '/signup', { query, body: { email, password: 'Secret-1 to be kept' } }),
        200,
      );
      const first = assertCodeMail(context, email, 'signup');
      assert.equal(lastMailOf(context, email).data['redirect_to'], context.target.redirectTo, 'redirect_to');
      assertStatus(await auth.send('POST', '/resend', { body: { type: 'signup', email } }), 200);
      const token = assertCodeMail(context, email, 'signup');
      assert.notEqual(token, first, 'the code of the second mail');
      const session = assertSession(await verifyToken(context, { type: 'signup', email, token }));
      assertStatus(await auth.send('POST', '/recover', { body: { email } }), 200);
      const recovery = assertCodeMail(context, email, 'recovery');
      assertSession(await verifyToken(context, { type: 'recovery', email, token: recovery }));
      assertStatus(await auth.send('POST', '/otp', { body: { email, create_user: false } }), 200);
      const magicLink = assertCodeMail(context, email, 'magiclink');
      assertSession(await verifyToken(context, { type: 'email', email, token: magicLink }));
      const accessToken = textAt(session, 'access_token');
      assertStatus(await auth.send('GET', '/reauthenticate', { token: accessToken }), 200);
      assertCodeMail(context, email, 'reauthentication');
      const invited = newEmail();
      assertStatus(
        await auth.send('POST', '/invite', {
          token: context.target.serviceKey ?? '',
          body: { email: invited },
        }),
        200,
      );
      const invitation = assertCodeMail(context, invited, 'invite');
      assertSession(await verifyToken(context, { type: 'invite', email: invited, token: invitation }));
    },
  ),
  audit('AUTH-1149', 'the hash of a mail in the PKCE flow begins with pkce_', options, async (context) => {
    const { accessToken: _token, email } = await context.newUser();
    const { challenge } = context.newPkce();
    assertStatus(await context.auth.send('POST', '/otp', { body: { email, ...challenge } }), 200);
    const { token, token_hash } = lastMailOf(context, email).data;
    assert.equal(token_hash, `pkce_${hashOf(email, token)}`, 'token_hash of the mail');
  }),
  audit(
    'AUTH-1150',
    'a change of email is one call of the hook of mails: each code beside the hash of the other',
    options,
    async (context) => {
      const user = await context.newUser();
      const next = context.newEmail();
      const changed = await context.auth.send('PUT', '/user', {
        token: user.accessToken,
        body: { email: next },
      });
      assertStatus(changed, 200);
      const { user: sentUser, data } = lastMailOf(context, next);
      assert.equal(data['email_action_type'], 'email_change', 'email_action_type');
      assert.deepEqual(
        [at(sentUser, 'email'), at(sentUser, 'new_email')],
        [user.email, next],
        'email and new_email',
      );
      const { token, token_hash, token_new, token_hash_new } = data;
      if (token_new === '') {
        assert.deepEqual([token_hash, token_hash_new], [hashOf(next, token), ''], 'the hashes of one code');
      } else {
        const hashes = [hashOf(next, token_new), hashOf(user.email, token)];
        assert.deepEqual([token_hash, token_hash_new], hashes, 'the hashes of the codes');
        const verified = await verifyToken(context, { type: 'email_change', email: user.email, token });
        assertStatus(verified, 200);
      }
      const code = token_new === '' ? token : token_new;
      assertSession(await verifyToken(context, { type: 'email_change', email: next, token: code }));
    },
  ),
  audit(
    'AUTH-1151',
    'an error of the hook of mails undoes the request',
    { ...options, needs: ['service-key', 'email-confirmation'] },
    async (context) => {
      const email = context.newEmail();
      const signUp = () =>
        context.auth.send('POST', '/signup', { body: { email, password: 'Secret-1 to be kept' } });
      const error = { http_code: 418, message: 'No mail.' };
      context.hooks.respond('send_email', email, { body: { error } });
      assertRefusal(await signUp(), 418, 'unknown', 'No mail.');
      context.hooks.respond('send_email', email, { status: 500 });
      const message = 'Unexpected status code returned from hook: 500';
      assertRefusal(await signUp(), 500, 'unexpected_failure', message);
      const listed = await context.admin('GET', `/users?filter=${encodeURIComponent(email)}`);
      assert.deepEqual(at(listed.json, 'users'), [], 'the users of the address');
      context.hooks.respond('send_email', email, { status: 204, headers: {} });
      assertStatus(await signUp(), 200);
      assertCodeMail(context, email, 'signup');
    },
  ),
  audit(
    'AUTH-1152',
    'the hook of mails receives the changes of accounts, without a code',
    { ...options, needs: ['service-key', 'phone-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const token = user.accessToken;
      const put = async (body: object) =>
        assertStatus(await context.auth.send('PUT', '/user', { token, body }), 200);
      await put({ password: 'Another-1 to be kept' });
      assertNotice(context, user.email, 'password_changed_notification', {});
      const [phone, next] = [context.newPhone(), context.newEmail()];
      const verifyPhone = async (to: string) => {
        await put({ phone: to });
        const code = lastSmsOf(context, to).data['otp'];
        assertSession(await verifyToken(context, { type: 'phone_change', phone: to, token: code }));
      };
      await verifyPhone(phone);
      assertNotice(context, user.email, 'identity_linked_notification', { provider: 'phone' });
      await verifyPhone(context.newPhone());
      assertNotice(context, user.email, 'phone_changed_notification', { old_phone: phone });
      await put({ email: next });
      const { token: first, token_new } = lastMailOf(context, next).data;
      if (token_new !== '')
        await verifyToken(context, { type: 'email_change', email: user.email, token: first });
      const code = token_new === '' ? first : token_new;
      assertSession(await verifyToken(context, { type: 'email_change', email: next, token: code }));
      assertNotice(context, user.email, 'email_changed_notification', { old_email: user.email });
      const own = await context.auth.send('GET', '/user', { token });
      const identities = at(own.json, 'identities') as readonly unknown[];
      const identity = identities.find((found) => at(found, 'provider') === 'phone');
      const path = `/user/identities/${String(at(identity, 'identity_id'))}`;
      assertStatus(await context.auth.send('DELETE', path, { token }), 200);
      assertNotice(context, next, 'identity_unlinked_notification', { provider: 'phone' });
      const factor = await enrollTotp(context, token);
      const proved = textAt(assertSession(await factor.verify()), 'access_token');
      assertNotice(context, next, 'mfa_factor_enrolled_notification', { factor_type: 'totp' });
      assertStatus(await context.auth.send('DELETE', `/factors/${factor.id}`, { token: proved }), 200);
      assertNotice(context, next, 'mfa_factor_unenrolled_notification', { factor_type: 'totp' });
    },
  ),
  audit(
    'AUTH-1153',
    'the hook of SMS receives the code and the number, and for a factor the type mfa',
    { ...options, needs: ['service-key', 'phone-confirmation'] },
    async (context) => {
      const { auth, newPhone } = context;
      const phone = newPhone();
      assertStatus(await auth.send('POST', '/otp', { body: { phone } }), 200);
      const { user, data } = lastSmsOf(context, phone);
      assert.deepEqual(data, { otp: data['otp'], phone }, 'sms');
      assert.deepEqual([at(user, 'phone'), at(user, 'email')], [phone, ''], 'phone and email of the user');
      assert.match(String(data['otp']), /^\d{6,10}$/, 'otp');
      const session = assertSession(await verifyToken(context, { type: 'sms', phone, token: data['otp'] }));
      const token = textAt(session, 'access_token');
      const next = newPhone();
      assertStatus(await auth.send('PUT', '/user', { token, body: { phone: next } }), 200);
      const change = lastSmsOf(context, next);
      assert.deepEqual(change.data, { otp: change.data['otp'], phone: next }, 'sms of a change');
      assert.deepEqual(
        [at(change.user, 'phone'), at(change.user, 'new_phone')],
        [phone, next],
        'phone and new_phone',
      );
      assertStatus(await auth.send('GET', '/reauthenticate', { token }), 200);
      const proof = lastSmsOf(context, phone).data;
      assert.deepEqual(proof, { otp: proof['otp'], phone }, 'sms of a reauthentication');
      assert.notEqual(proof['otp'], data['otp'], 'the code of a reauthentication');
      await assertFactorSms(context, token);
    },
  ),
  audit(
    'AUTH-1154',
    'an error of the hook of SMS refuses the request',
    { ...options, needs: ['service-key', 'phone-confirmation'] },
    async (context) => {
      const phone = context.newPhone();
      const send = () => context.auth.send('POST', '/otp', { body: { phone } });
      const error = { http_code: 418, message: 'No SMS.' };
      context.hooks.respond('send_sms', phone, { body: { error } });
      assertRefusal(await send(), 418, 'unknown', 'No SMS.');
      context.hooks.respond('send_sms', phone, { status: 401 });
      assertRefusal(await send(), 500, 'unexpected_failure', 'Hook requires authorization token');
      context.hooks.respond('send_sms', phone, { body: {} });
      assertStatus(await send(), 200);
    },
  ),
  audit(
    'AUTH-1155',
    'the hook of new users, a function, receives the account before it exists',
    { ...options, needs: ['service-key', 'database'] },
    async (context) => {
      await assertFunctionHook(context);
      const { auth, newEmail, newPhone } = context;
      const data = { hook_tells_call: true, team: 'blue' };
      const password = 'Secret-1 to be kept';
      const assertUser = (response: WireResponse, members: object, user_metadata: object = data) => {
        assertStatus(response, 418);
        const { user, ...rest } = payloadOf(parseJson(textAt(response, 'message')), 'before-user-created');
        assert.deepEqual(rest, {}, 'further members of the payload');
        const expected = {
          id: at(user, 'id'),
          aud: 'authenticated',
          role: '',
          email: '',
          phone: '',
          app_metadata: { provider: 'email', providers: ['email'] },
          user_metadata,
          identities: [],
          created_at: '0001-01-01T00:00:00Z',
          updated_at: '0001-01-01T00:00:00Z',
          is_anonymous: false,
          ...members,
        };
        assert.deepEqual(user, expected, 'the user of the payload');
        assert.match(String(at(user, 'id')), /^[\da-f-]{36}$/, 'the id of the user');
      };
      const email = newEmail();
      assertUser(await auth.send('POST', '/signup', { body: { email, password, data } }), { email });
      const phone = newPhone();
      const byPhone = { phone, app_metadata: { provider: 'phone', providers: ['phone'] } };
      assertUser(await auth.send('POST', '/signup', { body: { phone, password, data } }), byPhone);
      assertUser(await auth.send('POST', '/otp', { body: { email, data } }), { email });
      assertUser(await auth.send('POST', '/otp', { body: { phone, data } }), byPhone);
      assertUser(await auth.send('POST', '/magiclink', { body: { email, data } }), { email });
      assertUser(await auth.send('POST', '/signup', { body: { data } }), {
        app_metadata: {},
        is_anonymous: true,
      });
      const token = context.target.serviceKey ?? '';
      assertUser(await auth.send('POST', '/invite', { token, body: { email, data } }), { email });
      assertUser(await generateLink(context, { type: 'signup', email, password, data }), { email });
      assertUser(await generateLink(context, { type: 'invite', email, data }), { email });
    },
  ),
  audit(
    'AUTH-1156',
    'the hook of new users refuses an account; its failure is 500 unexpected_failure',
    { ...options, needs: ['service-key', 'database'] },
    async (context) => {
      await assertFunctionHook(context);
      const email = context.newEmail();
      const signUp = (data: object) =>
        context.auth.send('POST', '/signup', { body: { email, password: 'Secret-1 to be kept', data } });
      const refuse = (error: object) => signUp({ hook_response: { error } });
      assertRefusal(
        await refuse({ http_code: 403, message: 'Members only.' }),
        403,
        'unknown',
        'Members only.',
      );
      assertRefusal(await refuse({ message: 'Members only.' }), 500, 'unexpected_failure', 'Members only.');
      for (const hook_response of [[], 'text', 1]) {
        const failed = await signUp({ hook_response });
        assertRefusal(failed, 500, 'unexpected_failure', 'Error unmarshaling JSON output.');
      }
      const uri = 'pg-functions://postgres/conformance_hooks/before_user_created';
      const failed = await signUp({ hook_divides_by: 0 });
      assertRefusal(failed, 500, 'unexpected_failure', `Error running hook URI: ${uri}`);
      const listed = await context.admin('GET', `/users?filter=${encodeURIComponent(email)}`);
      assert.deepEqual(at(listed.json, 'users'), [], 'the users of the address');
      assertStatus(await signUp({ hook_response: { unknown: true } }), 200);
    },
  ),
];

async function assertFactorSms(context: AuditContext, token: string): Promise<void> {
  const phone = context.newPhone();
  const body = { factor_type: 'phone', friendly_name: 'mobile', phone };
  const enrolled = await context.auth.send('POST', '/factors', { token, body });
  if (at(enrolled.json, 'code') === 'mfa_phone_enroll_not_enabled') return;
  const path = `/factors/${textAt(enrolled, 'id')}`;
  const challenged = await context.auth.send('POST', `${path}/challenge`, { token, body: {} });
  assertStatus(challenged, 200);
  const { otp } = lastSmsOf(context, phone).data;
  assert.deepEqual(lastSmsOf(context, phone).data, { otp, sms_type: 'mfa', phone }, 'sms of a factor');
  const proof = { challenge_id: textAt(challenged, 'id'), code: otp };
  assertSession(await context.auth.send('POST', `${path}/verify`, { token, body: proof }));
  context.hooks.respond('send_sms', phone, { body: { error: { http_code: 418, message: 'No SMS.' } } });
  const failed = await context.auth.send('POST', `${path}/challenge`, { token, body: {} });
  assertRefusal(failed, 500, 'unexpected_failure', 'error invoking hook');
}
