import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, textAt } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { enrollTotp } from './totp.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#access-token', since: '1.0.0' } as const;

/** Signs the token again for no session. @throws NotRunError if the secret is unknown. */
const withoutSession = ({ signAgain }: AuditContext, token: string): string =>
  signAgain(token, { session_id: '' });

/** The second factor of a new user, and a token of the second level for no session. */
async function newFactor(context: AuditContext) {
  const { accessToken } = await context.newUser();
  const factor = await enrollTotp(context, accessToken);
  return { factor, token: withoutSession(context, textAt(await factor.verify(), 'access_token')) };
}

/** Tokens that name no session. */
export const sessionlessAudits: readonly Audit[] = [
  audit(
    'AUTH-1213',
    'a token without a session has no second factor, and neither enrolls, verifies nor removes one',
    options,
    async (context) => {
      const { auth } = context;
      const { factor, token } = await newFactor(context);
      assertStatus(await auth.send('GET', '/user', { token }), 200);
      const body = { factor_type: 'totp', friendly_name: 'second' };
      assertRefusal(
        await auth.send('POST', '/factors', { token, body }),
        500,
        'unexpected_failure',
        'A valid session and a registered user are required to enroll a factor',
      );
      assertRefusal(
        await auth.send('DELETE', `/factors/${factor.id}`, { token }),
        500,
        'unexpected_failure',
        'A valid session and factor are required to unenroll a factor',
      );
      assertError(await factor.verify(false, token), 422, 'mfa_verification_failed');
      const message = 'Cannot read SessionId claim as UUID';
      assertRefusal(await factor.verify(true, token), 500, 'unexpected_failure', message);
    },
  ),
  audit(
    'AUTH-1214',
    'a token without a session manages no passkeys of a user with a second factor',
    options,
    async (context) => {
      const { auth } = context;
      const { token } = await newFactor(context);
      const message = 'AAL2 session is required to manage passkeys when MFA is enabled';
      const registered = await auth.send('POST', '/passkeys/registration/options', { token, body: {} });
      assertRefusal(registered, 403, 'insufficient_aal', message);
      const removed = await auth.send('DELETE', '/passkeys/7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11', { token });
      assertRefusal(removed, 403, 'insufficient_aal', message);
    },
  ),
  audit(
    'AUTH-1215',
    'a sign-out of a token without a session ends every session of the user, in each scope',
    options,
    async (context) => {
      for (const scope of ['local', 'others', 'global']) {
        const { accessToken } = await context.newUser();
        const token = withoutSession(context, accessToken);
        assertStatus(await context.auth.send('POST', '/logout', { token, query: { scope } }), 204);
        const read = (of: string) => context.auth.send('GET', '/user', { token: of });
        assertError(await read(accessToken), 403, 'session_not_found');
        assertStatus(await read(token), 200);
      }
    },
  ),
  audit(
    'AUTH-1232',
    'a refresh token without a session is refused',
    { ...options, source: 'protocol/auth.md#refresh-rules', needs: ['database', 'service-key'] },
    async (context) => {
      const { id, refreshToken } = await context.newUser();
      if (refreshToken.length > 12) throw new NotRunError('refresh tokens belong to a session');
      await context.query('update auth.refresh_tokens set session_id = null where user_id = $1', [id]);
      const query = { grant_type: 'refresh_token' };
      const body = { refresh_token: refreshToken };
      assertRefusal(
        await context.auth.send('POST', '/token', { query, body }),
        400,
        'session_not_found',
        'Invalid Refresh Token: No Valid Session Found',
      );
    },
  ),
  audit(
    'AUTH-1216',
    'userinfo of a token without a session has the subject alone',
    options,
    async (context) => {
      const { id, accessToken } = await context.newUser();
      const token = withoutSession(context, accessToken);
      const { status, json } = await context.auth.send('GET', '/oauth/userinfo', { token });
      if (status === 404) throw new NotRunError('the OAuth server is disabled');
      assert.deepEqual(json, { sub: id }, 'userinfo');
    },
  ),
];
