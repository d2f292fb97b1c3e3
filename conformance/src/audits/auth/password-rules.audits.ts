import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { generateLink, openMailLink, verifyToken } from './mail-link.ts';
import { createUnwatchedWire } from './unwatched-wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#weak-passwords', since: '1.0.0' } as const;

interface PasswordRules {
  readonly minLength: number;
  /** A password contains a character of each. */
  readonly sets: readonly string[];
}

const signUp = (context: AuditContext, password: string): Promise<WireResponse> =>
  createUnwatchedWire(context).send('POST', '/signup', { body: { email: context.newEmail(), password } });

const lengthMessage = ({ minLength }: PasswordRules) =>
  `Password should be at least ${minLength} characters.`;
const setMessage = ({ sets }: PasswordRules) =>
  `Password should contain at least one character of each: ${sets.join(', ')}.`;

/** Reads the rules from the refusal of a password that breaks them all. @throws NotRunError without rules for characters. */
async function readRules(context: AuditContext): Promise<PasswordRules> {
  const message = String(at((await signUp(context, '\u00a0')).json, 'message'));
  const [, minLength, sets] =
    /^Password should be at least (\d+) characters\. Password should contain at least one character of each: (.*)\.$/.exec(
      message,
    ) ?? [];
  if (minLength === undefined || sets === undefined)
    throw new NotRunError('passwords need no certain characters');
  return { minLength: Number(minLength), sets: sets.split(', ') };
}

function assertWeak(response: WireResponse, reasons: readonly string[], messages: readonly string[]): void {
  assertRefusal(response, 422, 'weak_password', messages.join(' '));
  assert.deepEqual(at(response.json, 'weak_password'), { reasons }, 'weak_password');
}

/** Characters of these sets, the last one of each, filled up to a length in bytes. */
const compose = (sets: readonly string[], bytes: number): string => {
  const head = sets.map((set) => set.at(-1)).join('');
  return (
    head + '\u00a0'.repeat(Math.floor((bytes - head.length) / 2)) + ' '.repeat((bytes - head.length) % 2)
  );
};

/** What a project's rules for passwords refuse. */
export const passwordRuleAudits: readonly Audit[] = [
  audit(
    'AUTH-1163',
    'a password has the minimum length in bytes and a character of each set; the refusal names what it lacks',
    options,
    async (context) => {
      const rules = await readRules(context);
      const { minLength, sets } = rules;
      assertWeak(await signUp(context, compose(sets, minLength - 1)), ['length'], [lengthMessage(rules)]);
      for (const missing of sets) {
        const others = sets.filter((set) => set !== missing);
        assertWeak(await signUp(context, compose(others, minLength)), ['characters'], [setMessage(rules)]);
      }
      const both = [lengthMessage(rules), setMessage(rules)];
      assertWeak(
        await signUp(context, compose(sets.slice(1), minLength - 1)),
        ['length', 'characters'],
        both,
      );
      const { status } = await signUp(context, compose(sets, minLength));
      assert.equal(status, 200, 'the status for a password of the minimum length');
    },
  ),
  audit(
    'AUTH-1164',
    'a user with a weak password signs in, and the session says why it is weak',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const rules = await readRules(context);
      const email = context.newEmail();
      // The hash of "weak" by bcrypt.
      const password_hash = '$2b$04$T8Cgxci7o1DzP.ceRwWA0.FRugvAejZ2sCPpiHPGxmLU8sRffVVZW';
      assertStatus(await context.admin('POST', '/users', { email, email_confirm: true, password_hash }), 200);
      const session = assertSession(await context.signIn(email, 'weak'));
      const messages = [lengthMessage(rules), setMessage(rules)];
      const expected = { message: messages.join(' '), reasons: ['length', 'characters'] };
      assert.deepEqual(at(session.json, 'weak_password'), expected, 'weak_password of the session');
      const user = await context.newUser();
      const strong = assertSession(await context.signIn(user.email, user.password));
      assert.equal(at(strong.json, 'weak_password') ?? null, null, 'weak_password of a strong password');
      const body = { password: 'weak' };
      assertWeak(
        await createUnwatchedWire(context).send('PUT', '/user', { token: user.accessToken, body }),
        ['length', 'characters'],
        messages,
      );
      assertWeak(await context.admin('PUT', `/users/${user.id}`, body), ['length', 'characters'], messages);
    },
  ),
  audit(
    'AUTH-1165',
    'a change of the password needs the current one, unless the session is a recovery',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const put = (token: string, body: object) =>
        createUnwatchedWire(context).send('PUT', '/user', { token, body });
      const password = `${user.password}+`;
      const first = await put(user.accessToken, { password });
      if (at(first.json, 'code') !== 'current_password_required')
        throw new NotRunError('a change of the password does not need the current one');
      const message = 'Current password required when setting new password.';
      assertRefusal(first, 400, 'current_password_required', message);
      const empty = await put(user.accessToken, { password, current_password: '' });
      assertRefusal(empty, 400, 'current_password_required', message);
      const wrong = await put(user.accessToken, { password, current_password: password });
      assertRefusal(wrong, 400, 'current_password_invalid', message);
      const same = { password: user.password, current_password: user.password };
      assertError(await put(user.accessToken, same), 422, 'same_password');
      assert.equal(
        (await put(user.accessToken, { password, current_password: user.password })).status,
        200,
        'the status of a change that is allowed',
      );
      assertSession(await context.signIn(user.email, password));
      const link = await generateLink(context, { type: 'recovery', email: user.email });
      const body = { type: 'recovery', token_hash: textAt(link, 'hashed_token') };
      const session = assertSession(await verifyToken(context, body));
      assert.equal(
        (await put(textAt(session, 'access_token'), { password: user.password })).status,
        200,
        'the status of a change that is allowed',
      );
      assertSession(await context.signIn(user.email, user.password));
    },
  ),
  audit(
    'AUTH-1210',
    'a change of the password needs no current one in the session of a code for a link of recovery or sign-in, but in that of a sign-up',
    { ...options, needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const password = 'Secret-1 to be kept';
      const put = async (path: string, email: string, changed: string) => {
        const { challenge, verifier } = context.newPkce();
        assertStatus(await context.auth.send('POST', path, { body: { email, password, ...challenge } }), 200);
        const auth_code = new URL(await openMailLink(context, email)).searchParams.get('code');
        const body = { auth_code, code_verifier: verifier };
        const session = await context.auth.send('POST', '/token', { query: { grant_type: 'pkce' }, body });
        const token = textAt(assertSession(session), 'access_token');
        return createUnwatchedWire(context).send('PUT', '/user', { token, body: { password: changed } });
      };
      const email = context.newEmail();
      const refused = await put('/signup', email, `${password}?`);
      if (refused.status === 200)
        throw new NotRunError('a change of the password does not need the current one');
      assertError(refused, 400, 'current_password_required');
      for (const path of ['/recover', '/otp'])
        assert.equal((await put(path, email, `${password}${path}`)).status, 200, `the status after ${path}`);
    },
  ),
  audit(
    'AUTH-1166',
    'a change of the password in a session of the day before needs a nonce',
    { ...options, needs: ['database', 'mailbox'] },
    async (context) => {
      const user = await context.newUser();
      const put = (body: object) =>
        createUnwatchedWire(context).send('PUT', '/user', { token: user.accessToken, body });
      const first = { password: `${user.password}-`, current_password: user.password };
      assert.equal((await put(first)).status, 200, 'the status of a change in a new session');
      const change = { password: `${user.password}+`, current_password: first.password };
      const setCreated = (age: string) =>
        context.query(`update auth.sessions set created_at = now() - $2::interval where user_id = $1`, [
          user.id,
          age,
        ]);
      await setCreated('24 hours 1 minute');
      const refused = await put(change);
      if (refused.status === 200) throw new NotRunError('a change of the password needs no nonce');
      assertRefusal(refused, 400, 'reauthentication_needed', 'Password update requires reauthentication');
      assertStatus(await context.auth.send('GET', '/reauthenticate', { token: user.accessToken }), 200);
      const nonce = await context.mailedCode(user.email);
      const other = nonce.startsWith('0') ? `1${nonce.slice(1)}` : `0${nonce.slice(1)}`;
      assertError(await put({ ...change, nonce: other }), 422, 'reauthentication_not_valid');
      assert.equal((await put({ ...change, nonce })).status, 200, 'the status of a change that is allowed');
      assertSession(await context.signIn(user.email, change.password));
      await setCreated('23 hours 59 minutes');
      const back = { password: user.password, current_password: change.password };
      assert.equal((await put(back)).status, 200, 'the status of a change that is allowed');
    },
  ),
];
