import * as OTPAuth from 'otpauth';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext, type AuditUser } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#factors', since: '1.0.0' } as const;
const path = '/factors/recovery-codes';

/** A user with a verified TOTP factor, and tokens of both levels. */
interface Protected {
  readonly user: AuditUser;
  readonly weak: string;
  readonly strong: string;
}

async function newProtectedUser(context: AuditContext): Promise<Protected> {
  const user = await context.newUser();
  const send = (route: string, body: object) =>
    context.auth.send('POST', route, { token: user.accessToken, body });
  const enrolled = await send('/factors', { factor_type: 'totp', friendly_name: 'phone app' });
  const id = textAt(enrolled, 'id');
  const challenge_id = textAt(await send(`/factors/${id}/challenge`, {}), 'id');
  const code = OTPAuth.URI.parse(textAt(enrolled, 'totp', 'uri')).generate();
  const verified = assertSession(await send(`/factors/${id}/verify`, { challenge_id, code }));
  const weak = assertSession(await context.signIn(user.email, user.password));
  return { user, weak: textAt(weak, 'access_token'), strong: textAt(verified, 'access_token') };
}

const send = ({ auth }: AuditContext, method: string, token: string, route = '', body?: object) =>
  auth.send(method, path + route, { token, ...(body && { body }) });

/** Generates the codes of a user. @throws NotRunError on a server before 2.197, or without recovery codes. */
async function generate(context: AuditContext, { strong }: Protected): Promise<WireResponse> {
  const generated = await send(context, 'POST', strong, '', { friendly_name: 'spare' });
  if ([404, 405].includes(generated.status) || /not_enabled/.test(generated.text))
    throw new NotRunError('the target has no recovery codes');
  assertStatus(generated, 200);
  return generated;
}

const codesOf = ({ json }: WireResponse): readonly string[] => at(json, 'codes') as readonly string[];

/** Recovery codes as a second factor. */
export const recoveryCodeAudits: readonly Audit[] = [
  audit(
    'AUTH-641',
    'recovery codes are shown once, counted, replaced and removed, all but the count at aal2',
    options,
    async (context) => {
      const user = await newProtectedUser(context);
      const { weak, strong } = user;
      const generated = await generate(context, user);
      const codes = codesOf(generated);
      assert.deepEqual(
        [at(generated.json, 'type'), at(generated.json, 'friendly_name'), at(generated.json, 'total')],
        ['recovery_code', 'spare', codes.length],
        'type, friendly_name and total of the response',
      );
      assert.equal(new Set(codes).size, 10, 'the number of different codes');
      assertError(await send(context, 'POST', strong), 422, 'mfa_verified_factor_exists');
      const described = await send(context, 'GET', weak);
      assert.deepEqual(
        ['id', 'total', 'remaining', 'codes'].map((member) => at(described.json, member)),
        [at(generated.json, 'id'), 10, 10, undefined],
        'id, total, remaining and codes of the description',
      );
      for (const [method, route] of [
        ['POST', ''],
        ['POST', '/regenerate'],
        ['DELETE', ''],
      ] as const)
        assertError(await send(context, method, weak, route), 403, 'insufficient_aal');
      const replaced = codesOf(await send(context, 'POST', strong, '/regenerate'));
      assert.ok(!replaced.some((code) => codes.includes(code)), 'the new codes differ from the former ones');
      const removed = await send(context, 'DELETE', strong);
      assert.equal(at(removed.json, 'id'), at(generated.json, 'id'), 'id of the removed codes');
      assertError(await send(context, 'GET', strong), 404, 'mfa_factor_not_found');
    },
  ),
  audit(
    'AUTH-642',
    'a recovery code raises a session to aal2 once, in any case, with blanks and hyphens',
    options,
    async (context) => {
      const user = await newProtectedUser(context);
      const [code = ''] = codesOf(await generate(context, user));
      const verify = (token: string, text: string) => send(context, 'POST', token, '/verify', { code: text });
      assertError(await verify(user.weak, ' - '), 400, 'validation_failed');
      const spelled = `${code.slice(0, 4).toUpperCase()}-${code.slice(4, 8)} ${code.slice(8)}`;
      const verified = assertSession(await verify(user.weak, spelled));
      const token = textAt(verified, 'access_token');
      const claims = jwtPartOf(token);
      const methods = (at(claims, 'amr') as readonly unknown[]).map((entry) => at(entry, 'method'));
      assert.equal(at(claims, 'aal'), 'aal2', 'aal of the claims');
      assert.ok(
        methods.includes('mfa/recovery_code'),
        'the claim amr names mfa/recovery_code',
        methods.join(),
      );
      assert.equal(at((await send(context, 'GET', token)).json, 'remaining'), 9, 'remaining after one code');
      assertError(await verify(token, code), 422, 'mfa_verification_failed');
    },
  ),
  audit(
    'AUTH-643',
    'the fifth wrong recovery code in a row locks also the right ones',
    options,
    async (context) => {
      const user = await newProtectedUser(context);
      const [code = '', second = ''] = codesOf(await generate(context, user));
      const verify = (token: string, text: string) => send(context, 'POST', token, '/verify', { code: text });
      const fail = async (token: string, times: number) => {
        for (let count = 0; count < times; count += 1)
          assertError(await verify(token, `wrong ${count}`), 422, 'mfa_verification_failed');
      };
      await fail(user.weak, 4);
      const verified = textAt(assertSession(await verify(user.weak, code)), 'access_token');
      await fail(verified, 5);
      assertError(await verify(verified, second), 429, 'mfa_recovery_codes_locked');
    },
  ),
  audit(
    'AUTH-647',
    'the last other factor stays while a user has recovery codes, which are no second factor by themselves',
    { ...options, needs: ['database'] },
    async (context) => {
      const user = await newProtectedUser(context);
      const { strong } = user;
      const generated = await generate(context, user);
      const factors = async () =>
        (at((await context.auth.send('GET', '/user', { token: strong })).json, 'factors') ??
          []) as readonly unknown[];
      const totp = (await factors()).find((factor) => at(factor, 'factor_type') === 'totp');
      const remove = (id: unknown) =>
        context.auth.send('DELETE', `/factors/${String(id)}`, { token: strong });
      assertError(await remove(at(generated.json, 'id')), 422, 'validation_failed');
      assertError(await remove(at(totp, 'id')), 422, 'mfa_recovery_codes_sole_factor');
      const body = { factor_type: 'totp', friendly_name: 'pending' };
      const pending = await context.auth.send('POST', '/factors', { token: strong, body });
      assertStatus(pending, 200);
      assertError(await remove(at(totp, 'id')), 422, 'mfa_recovery_codes_sole_factor');
      assertStatus(await remove(at(pending.json, 'id')), 200);
      assertStatus(await send(context, 'DELETE', strong), 200);
      await context.query('delete from auth.mfa_factors where id = $1', [at(totp, 'id')]);
      assertError(await send(context, 'POST', strong), 422, 'mfa_recovery_codes_sole_factor');
    },
  ),
  audit(
    'AUTH-648',
    'recovery codes have a name by default, which a new set keeps, and are listed as a factor without the codes',
    options,
    async (context) => {
      const user = await newProtectedUser(context);
      const { strong } = user;
      await generate(context, user);
      await send(context, 'DELETE', strong);
      for (const body of [undefined, {}, { friendly_name: ' ' }]) {
        const generated = await send(context, 'POST', strong, '', body);
        assertStatus(generated, 200);
        const id = textAt(generated, 'id');
        const expected = { id, type: 'recovery_code', friendly_name: 'Recovery codes', total: 10 };
        const codes = codesOf(generated);
        assert.deepEqual(generated.json, { ...expected, codes }, 'the response');
        const replaced = await send(context, 'POST', strong, '/regenerate');
        assert.deepEqual(replaced.json, { ...expected, codes: codesOf(replaced) }, 'the replaced codes');
        const { json } = await context.auth.send('GET', '/user', { token: strong });
        const factor = (at(json, 'factors') as readonly unknown[]).find((one) => at(one, 'id') === id);
        assert.deepEqual(
          ['status', 'friendly_name', 'factor_type', 'phone'].map((member) => at(factor, member)),
          ['verified', 'Recovery codes', 'recovery_code', ''],
          'the factor',
        );
        assert.deepEqual((await send(context, 'DELETE', strong)).json, { id }, 'the response to the removal');
      }
    },
  ),
];
