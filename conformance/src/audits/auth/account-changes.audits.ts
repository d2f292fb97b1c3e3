import { auditsOf, type Audit } from '../../audit/audit.ts';
import {
  assertSession,
  newAnonymousUser,
  type AuditContext,
  type AuditUser,
} from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import type { ReceivedMail } from '../../target/mailbox.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import { openMailLink } from './mail-link.ts';
import { enrollTotp } from './totp.ts';

const audit = auditsOf('auth');
const options = {
  source: 'protocol/auth.md#mails-of-changes',
  since: '1.0.0',
  level: 'SHOULD',
  needs: ['mailbox', 'service-key'],
} as const;

/** Does something, and returns the one mail to the address that it sends. @throws NotRunError if it sends none. */
async function mailOf(
  context: AuditContext,
  address: string,
  act: () => Promise<unknown>,
): Promise<ReceivedMail> {
  const before = await context.mails(address);
  await act();
  for (const startedMs = Date.now(); Date.now() - startedMs < 1500;) {
    const mails = await context.mails(address);
    const [mail, ...others] = mails.filter(({ id }) => before.every((earlier) => earlier.id !== id));
    if (!mail) continue;
    assert.equal(others.length, 0, 'the number of further mails');
    assert.ok(mail.subject.trim() !== '', 'the mail has a subject');
    assert.equal(mail.code, null, 'the code of the mail');
    assert.ok(!mail.links.some((link) => link.includes('/verify?')), 'the mail has no link to /verify');
    return mail;
  }
  throw new NotRunError('the project does not mail this change');
}

function assertNames(mail: ReceivedMail, values: readonly string[]): void {
  for (const value of values) assert.ok(mail.body.includes(value), `the mail names ${value}`, mail.body);
}

const put = async ({ auth }: AuditContext, token: string, body: object): Promise<void> =>
  assertStatus(await auth.send('PUT', '/user', { token, body }), 200);

/** Opens the links of a change of email: that to the new address, and that to the old one if it must confirm, too. */
async function confirmEmail(context: AuditContext, user: AuditUser, next: string): Promise<void> {
  await openMailLink(context, next);
  const { json } = await context.admin('GET', `/users/${user.id}`);
  if (at(json, 'email') !== next) await openMailLink(context, user.email);
}

/** Mails about changes of an account, which a project may send. */
export const accountChangeAudits: readonly Audit[] = [
  audit('AUTH-1168', 'a changed password is mailed to the user', options, async (context) => {
    const user = await context.newUser();
    const body = { password: `${user.password}+`, current_password: user.password };
    const mail = await mailOf(context, user.email, () => put(context, user.accessToken, body));
    assert.ok(!mail.body.includes(body.password), 'the mail does not name the password');
    const further = await context.mails(user.email);
    await put(context, user.accessToken, { data: { team: 'blue' } });
    assert.equal(
      (await context.mails(user.email)).length,
      further.length,
      'the number of mails after a change of metadata',
    );
  }),
  audit(
    'AUTH-1169',
    'a changed address is mailed to the former one, and names both',
    options,
    async (context) => {
      const user = await context.newUser();
      const next = context.newEmail();
      await put(context, user.accessToken, { email: next });
      const [asked] = await context.mails(next);
      assert.ok(asked?.body.includes(next), 'the mail to the new address names it');
      const mail = await mailOf(context, user.email, () => confirmEmail(context, user, next));
      assertNames(mail, [user.email, next]);
    },
  ),
  audit(
    'AUTH-1170',
    'a new second factor is mailed once it is verified, and so is its removal; both name its type',
    options,
    async (context) => {
      const user = await context.newUser();
      const factor = await enrollTotp(context, user.accessToken);
      let token = '';
      const enrolled = await mailOf(context, user.email, async () => {
        token = textAt(assertSession(await factor.verify()), 'access_token');
      });
      assertNames(enrolled, ['totp']);
      const removed = await mailOf(context, user.email, () =>
        context.auth.send('DELETE', `/factors/${factor.id}`, { token }),
      );
      assertNames(removed, ['totp']);
      assert.notEqual(removed.subject, enrolled.subject, 'the subject of the second mail');
    },
  ),
  audit(
    'AUTH-1171',
    'a removed sign-in method is mailed to the address that the user had before, and names the method',
    options,
    async (context) => {
      const user = await context.newUser();
      const phone = context.newPhone();
      assertStatus(await context.admin('PUT', `/users/${user.id}`, { phone, phone_confirm: true }), 200);
      const own = await context.auth.send('GET', '/user', { token: user.accessToken });
      const identities = (at(own.json, 'identities') ?? []) as readonly unknown[];
      const identity = identities.find((found) => at(found, 'provider') === 'phone');
      if (identity === undefined) throw new NotRunError('a number by an administrator is no identity');
      const path = `/user/identities/${String(at(identity, 'identity_id'))}`;
      const mail = await mailOf(context, user.email, async () => {
        const removed = await context.auth.send('DELETE', path, { token: user.accessToken });
        if (at(removed.json, 'code') === 'manual_linking_disabled')
          throw new NotRunError('linking is disabled');
        assertStatus(removed, 200);
      });
      assertNames(mail, ['phone', user.email]);
    },
  ),
  audit(
    'AUTH-1172',
    'a changed number and a new sign-in method by phone are mailed to the user',
    { ...options, needs: ['mailbox', 'service-key', 'sms', 'phone-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const [phone, next] = [context.newPhone(), context.newPhone()];
      const change = async (to: string) => {
        await put(context, user.accessToken, { phone: to });
        const body = { type: 'phone_change', phone: to, token: await context.mailedCode(to) };
        assertSession(await context.auth.send('POST', '/verify', { body }));
      };
      const linked = await mailOf(context, user.email, () => change(phone));
      assertNames(linked, ['phone', user.email]);
      const changed = await mailOf(context, user.email, () => change(next));
      assertNames(changed, [phone, next]);
    },
  ),
  audit(
    'AUTH-1187',
    'a change of the address keeps the time of the first confirmation, and confirms an anonymous user',
    { ...options, source: 'protocol/auth.md#user', level: 'MUST' },
    async (context) => {
      const user = await context.newUser();
      const confirmedAt = async (token: string) =>
        at((await context.auth.send('GET', '/user', { token })).json, 'email_confirmed_at');
      const before = await confirmedAt(user.accessToken);
      const next = context.newEmail();
      await put(context, user.accessToken, { email: next });
      await confirmEmail(context, user, next);
      assert.equal(await confirmedAt(user.accessToken), before, 'email_confirmed_at');
      const anonymous = textAt(await newAnonymousUser(context), 'access_token');
      const email = context.newEmail();
      await put(context, anonymous, { email });
      if ((await confirmedAt(anonymous)) === undefined) await openMailLink(context, email);
      assert.equal(typeof (await confirmedAt(anonymous)), 'string', 'the type of email_confirmed_at');
    },
  ),
];
