import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertStatus, at, textAt, type WireResponse } from '../../target/wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#user', since: '1.0.0' } as const;

function assertAbsent(json: unknown, member: string): void {
  assert.equal(at(json, member), undefined, `${member} of the user`);
}

/** Asserts a time of the last minutes, with a clock of the server that differs by some. */
function assertRecent(json: unknown, member: string): void {
  const ageMs = Date.now() - Date.parse(String(at(json, member)));
  assert.ok(Math.abs(ageMs) < 600_000, `${member} is a time of now`, String(at(json, member)));
}

const readUser = ({ auth }: AuditContext, token: string): Promise<WireResponse> =>
  auth.send('GET', '/user', { token });

/** The times of a user, and what belongs to them. */
export const userTimeAudits: readonly Audit[] = [
  audit(
    'AUTH-540',
    'a user to be confirmed has confirmation_sent_at, and no time of a confirmation',
    { ...options, needs: ['email-confirmation'] },
    async (context) => {
      const body = { email: context.newEmail(), password: 'Secret-123456' };
      const { json } = await context.auth.send('POST', '/signup', { body });
      assertRecent(json, 'confirmation_sent_at');
      for (const member of ['email_confirmed_at', 'confirmed_at', 'last_sign_in_at', 'invited_at'])
        assertAbsent(json, member);
    },
  ),
  audit('AUTH-541', 'a recovery mail sets recovery_sent_at', options, async (context) => {
    const { email, accessToken } = await context.newUser();
    assertAbsent((await readUser(context, accessToken)).json, 'recovery_sent_at');
    assertStatus(await context.auth.send('POST', '/recover', { body: { email } }), 200);
    assertRecent((await readUser(context, accessToken)).json, 'recovery_sent_at');
  }),
  audit('AUTH-542', 'a mail for a nonce sets reauthentication_sent_at', options, async (context) => {
    const { accessToken: token } = await context.newUser();
    assertAbsent((await readUser(context, token)).json, 'reauthentication_sent_at');
    assertStatus(await context.auth.send('GET', '/reauthenticate', { token }), 200);
    assertRecent((await readUser(context, token)).json, 'reauthentication_sent_at');
  }),
  audit(
    'AUTH-543',
    'a pending change of the address has new_email and email_change_sent_at',
    { ...options, needs: ['email-confirmation'] },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertAbsent((await readUser(context, token)).json, 'email_change_sent_at');
      const email = context.newEmail();
      const changed = await context.auth.send('PUT', '/user', { token, body: { email } });
      for (const { json } of [changed, await readUser(context, token)]) {
        assert.equal(at(json, 'new_email'), email, 'new_email of the user');
        assertRecent(json, 'email_change_sent_at');
      }
    },
  ),
  audit(
    'AUTH-544',
    'a pending change of the number has new_phone and phone_change_sent_at',
    { ...options, needs: ['sms', 'phone-confirmation'] },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertAbsent((await readUser(context, token)).json, 'phone_change_sent_at');
      const phone = context.newPhone();
      const changed = await context.auth.send('PUT', '/user', { token, body: { phone } });
      for (const { json } of [changed, await readUser(context, token)]) {
        assert.equal(at(json, 'new_phone'), phone, 'new_phone of the user');
        assertRecent(json, 'phone_change_sent_at');
      }
    },
  ),
  audit(
    'AUTH-545',
    'an invited user has invited_at and confirmation_sent_at until the invitation is accepted',
    { ...options, needs: ['service-key', 'mailbox'] },
    async (context) => {
      const { serviceKey, restUrl } = context.target;
      const email = context.newEmail();
      const { json } = await context.auth.send('POST', '/invite', {
        headers: restUrl === null ? {} : { apikey: serviceKey ?? '' },
        token: serviceKey ?? '',
        body: { email },
      });
      for (const member of ['invited_at', 'confirmation_sent_at']) assertRecent(json, member);
      assertAbsent(json, 'email_confirmed_at');
      const token = await context.mailedCode(email);
      const accepted = await context.auth.send('POST', '/verify', { body: { type: 'invite', email, token } });
      assertRecent(at(accepted.json, 'user'), 'email_confirmed_at');
      assertRecent(at(accepted.json, 'user'), 'invited_at');
    },
  ),
  audit(
    'AUTH-546',
    'a banned user has banned_until until the ban is lifted',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const { id } = await context.newUser();
      const ban = (ban_duration: string) => context.admin('PUT', `/users/${id}`, { ban_duration });
      for (const { json } of [await ban('2h'), await context.admin('GET', `/users/${id}`)]) {
        const hours = (Date.parse(String(at(json, 'banned_until'))) - Date.now()) / 3_600_000;
        assert.ok(hours > 1.8 && hours < 2.2, 'banned_until is two hours ahead', `${hours} hours`);
      }
      await ban('none');
      assertAbsent((await context.admin('GET', `/users/${id}`)).json, 'banned_until');
    },
  ),
  audit('AUTH-547', 'a change of a user moves updated_at and keeps created_at', options, async (context) => {
    const { accessToken: token } = await context.newUser();
    const before = await readUser(context, token);
    const changed = await context.auth.send('PUT', '/user', { token, body: { data: { a: 1 } } });
    const timeOf = (response: WireResponse, member: string) => Date.parse(textAt(response, member));
    for (const response of [changed, await readUser(context, token)]) {
      assert.ok(timeOf(response, 'updated_at') > timeOf(before, 'updated_at'), 'updated_at has moved');
      assert.equal(timeOf(response, 'created_at'), timeOf(before, 'created_at'), 'created_at of the user');
    }
  }),
  audit(
    'AUTH-548',
    'a user confirmed by an administrator has the times of both confirmations',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const body = { email: context.newEmail(), phone: context.newPhone() };
      const created = await context.admin('POST', '/users', body);
      assertStatus(created, 200);
      const path = `/users/${textAt(created, 'id')}`;
      const { json: unconfirmed } = await context.admin('GET', path);
      const members = ['email_confirmed_at', 'phone_confirmed_at', 'confirmed_at'];
      for (const member of members) assertAbsent(unconfirmed, member);
      assertStatus(await context.admin('PUT', path, { email_confirm: true, phone_confirm: true }), 200);
      const { json } = await context.admin('GET', path);
      for (const member of members) assertRecent(json, member);
      assert.deepEqual(
        [at(json, 'app_metadata', 'provider'), at(json, 'app_metadata', 'providers')],
        ['email', ['email', 'phone']],
        'provider and providers of the user',
      );
    },
  ),
];
