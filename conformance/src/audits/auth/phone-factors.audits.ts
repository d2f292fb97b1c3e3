import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { assertRefusal } from './hook-call.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#factors', since: '1.0.0' } as const;

/** @throws NotRunError if phone factors are disabled. */
async function enroll(
  { auth }: AuditContext,
  token: string,
  phone: string,
  friendly_name: string,
): Promise<WireResponse> {
  const body = { factor_type: 'phone', friendly_name, phone };
  const response = await auth.send('POST', '/factors', { token, body });
  if (at(response.json, 'code') === 'mfa_phone_enroll_not_enabled')
    throw new NotRunError('phone factors are disabled');
  return response;
}

/** Enrolls and verifies a phone factor, and returns its id and the session of aal2. */
async function enrollVerified(context: AuditContext, token: string, phone: string) {
  const id = textAt(await enroll(context, token, phone, 'mobile'), 'id');
  const path = `/factors/${id}`;
  const challenged = await context.auth.send('POST', `${path}/challenge`, { token, body: {} });
  assertStatus(challenged, 200);
  const body = { challenge_id: textAt(challenged, 'id'), code: await context.mailedCode(phone) };
  const session = assertSession(await context.auth.send('POST', `${path}/verify`, { token, body }));
  return { id, challenged, session };
}

const factorsOf = async ({ auth }: AuditContext, token: string): Promise<readonly unknown[]> =>
  (at((await auth.send('GET', '/user', { token })).json, 'factors') ?? []) as readonly unknown[];

const refresh = ({ auth }: AuditContext, session: WireResponse) =>
  auth.send('POST', '/token', {
    query: { grant_type: 'refresh_token' },
    body: { refresh_token: textAt(session, 'refresh_token') },
  });

/** Whether a sign-in by SMS is refused for its channel. */
async function refusesChannel({ auth, newPhone }: AuditContext, channel: string): Promise<boolean> {
  const response = await auth.send('POST', '/otp', { body: { phone: newPhone(), channel } });
  return at(response.json, 'code') === 'validation_failed';
}

/** Second factors by phone, and what all factors have. */
export const phoneFactorAudits: readonly Audit[] = [
  audit(
    'AUTH-632',
    'enrolling an unverified number again replaces its factor, and another number adds one',
    options,
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const [phone, other] = [context.newPhone(), context.newPhone()];
      const first = await enroll(context, token, phone, 'first');
      const second = await enroll(context, token, other, 'second');
      const third = await enroll(context, token, phone, 'third');
      for (const response of [first, second, third]) assertStatus(response, 200);
      const ids = (await factorsOf(context, token)).map((factor) => String(at(factor, 'id')));
      assert.deepEqual(
        ids.toSorted(),
        [textAt(second, 'id'), textAt(third, 'id')].toSorted(),
        'the ids of the factors',
      );
      assert.notEqual(textAt(third, 'id'), textAt(first, 'id'), 'the id of the factor that replaces');
    },
  ),
  audit(
    'AUTH-633',
    'a verified number is enrolled once: mfa_verified_factor_exists',
    { ...options, needs: ['sms'] },
    async (context) => {
      const { accessToken } = await context.newUser();
      const phone = context.newPhone();
      const { session } = await enrollVerified(context, accessToken, phone);
      const token = textAt(session, 'access_token');
      assertError(await enroll(context, token, phone, 'again'), 422, 'mfa_verified_factor_exists');
      assertStatus(await enroll(context, token, context.newPhone(), 'other'), 200);
    },
  ),
  audit(
    'AUTH-634',
    'an administrator changes the number of a phone factor, not to an invalid one',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const [phone, other] = [context.newPhone(), context.newPhone()];
      const id = textAt(await enroll(context, user.accessToken, phone, 'mobile'), 'id');
      const path = `/users/${user.id}/factors/${id}`;
      const changed = await context.admin('PUT', path, { phone: other });
      assert.deepEqual(
        [at(changed.json, 'phone'), at(changed.json, 'friendly_name')],
        [other, 'mobile'],
        'phone and friendly_name of the response',
      );
      const [factor] = await factorsOf(context, user.accessToken);
      assert.equal(at(factor, 'phone'), other, 'phone of the factor');
      assertError(await context.admin('PUT', path, { phone: 'nonsense' }), 400, 'validation_failed');
      assertError(
        await context.admin('PUT', `/users/${user.id}/factors/${crypto.randomUUID()}`, { phone }),
        404,
        'mfa_factor_not_found',
      );
    },
  ),
  audit(
    'AUTH-1234',
    'a wrong code of a number is refused, and so is a challenge that is none',
    { ...options, needs: ['sms'] },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const phone = context.newPhone();
      const path = `/factors/${textAt(await enroll(context, token, phone, 'mobile'), 'id')}`;
      const challenged = await context.auth.send('POST', `${path}/challenge`, { token, body: {} });
      assertStatus(challenged, 200);
      const right = await context.mailedCode(phone);
      const challenge_id = textAt(challenged, 'id');
      const verify = (body: object) => context.auth.send('POST', `${path}/verify`, { token, body });
      const wrong = right.startsWith('0') ? `1${right.slice(1)}` : `0${right.slice(1)}`;
      assertRefusal(
        await verify({ challenge_id, code: wrong }),
        422,
        'mfa_verification_failed',
        'Invalid MFA Phone code entered',
      );
      assertRefusal(
        await verify({ challenge_id: 'nonsense', code: right }),
        400,
        'bad_json',
        'Could not parse request body as JSON: uuid: incorrect UUID length 8 in string "nonsense"',
      );
      assertSession(await verify({ challenge_id, code: right }));
    },
  ),
  audit(
    'AUTH-635',
    'a session that used a factor returns to aal1 when an administrator removes the factor',
    { ...options, needs: ['service-key', 'sms'] },
    async (context) => {
      const user = await context.newUser();
      const { id, session } = await enrollVerified(context, user.accessToken, context.newPhone());
      assertStatus(await context.admin('DELETE', `/users/${user.id}/factors/${id}`), 200);
      const claims = jwtPartOf(at(assertSession(await refresh(context, session)).json, 'access_token'));
      assert.equal(at(claims, 'aal'), 'aal1', 'aal of the refreshed session');
      const methods = (at(claims, 'amr') as readonly unknown[]).map((one) => at(one, 'method'));
      assert.deepEqual(methods, ['password'], 'the methods in amr');
    },
  ),
  audit(
    'AUTH-636',
    'a factor has its number and the time of its last challenge, and a factor by TOTP no number',
    { ...options, needs: ['sms'] },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const phone = context.newPhone();
      const id = textAt(await enroll(context, token, phone, 'mobile'), 'id');
      const body = { factor_type: 'totp', friendly_name: 'app' };
      const totp = textAt(await context.auth.send('POST', '/factors', { token, body }), 'id');
      const read = async (factorId: string) =>
        (await factorsOf(context, token)).find((factor) => at(factor, 'id') === factorId);
      const members = (factor: unknown) => [at(factor, 'phone'), at(factor, 'last_challenged_at') ?? null];
      assert.deepEqual(members(await read(id)), [phone, null], 'phone and last_challenged_at of the number');
      assert.deepEqual(members(await read(totp)), ['', null], 'phone and last_challenged_at of TOTP');
      for (const factorId of [id, totp]) {
        const path = `/factors/${factorId}/challenge`;
        assertStatus(await context.auth.send('POST', path, { token, body: {} }), 200);
        const time = at(await read(factorId), 'last_challenged_at');
        assert.ok(Date.parse(String(time)) > 1e12, 'last_challenged_at is a time', String(time));
      }
    },
  ),
  audit(
    'AUTH-637',
    'responses to enrolling and challenging a number have its id, its type, its name and its end',
    { ...options, needs: ['sms'] },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const phone = context.newPhone();
      const enrolled = await enroll(context, token, phone, 'mobile');
      const id = textAt(enrolled, 'id');
      assert.deepEqual(
        enrolled.json,
        { id, type: 'phone', friendly_name: 'mobile', phone },
        'the enrolled factor',
      );
      const response = await context.auth.send('POST', `/factors/${id}/challenge`, { token, body: {} });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'type'), 'phone', 'type of the challenge');
      const seconds = Number(at(response.json, 'expires_at')) - Date.now() / 1000;
      assert.ok(seconds > 240 && seconds < 360, 'the challenge ends after 300 seconds', `${seconds} seconds`);
    },
  ),
  audit(
    'AUTH-638',
    'a channel that is none of sms and whatsapp is refused as validation_failed',
    options,
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const id = textAt(await enroll(context, token, context.newPhone(), 'mobile'), 'id');
      const channel = 'pigeon';
      const response = await context.auth.send('POST', `/factors/${id}/challenge`, {
        token,
        body: { channel },
      });
      if (response.status === 200 && !(await refusesChannel(context, channel)))
        throw new NotRunError('a hook sends the SMS of the target, by any channel');
      assertError(response, 400, 'validation_failed');
    },
  ),
];
