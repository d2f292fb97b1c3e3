import { assert } from '../../target/assertion.ts';
import { randomUUID } from 'node:crypto';
import * as OTPAuth from 'otpauth';
import { createClaims } from 'supabase-protocol-clients/auth-client/claims';
import { AuthError, createCookieStore } from 'supabase-protocol-clients/auth-client';
import { createMfa } from 'supabase-protocol-clients/auth-client/mfa';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf, type ClientContext } from '../../clients/client-audit.ts';
import { createBrowser, type Tab } from '../../clients/tab.ts';
import { createCookieJar } from '../../clients/cookie-jar.ts';
import { at, assertStatus, jwtPartOf } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { eventNames } from './client-sign-in.audits.ts';

const audit = clientAuditsOf('auth-client');
const source = 'protocol/auth.md#factors';

/**
 * A tab and the verifier of its tokens. The clients of a process share the key set of a URL, so each audit has its own
 * URL, which the tab's network maps to the target.
 *
 * @throws NotRunError for tokens that are signed with a shared secret, or have no issuer.
 */
async function withClaims({ signIn }: ClientContext) {
  const tab = await signIn({ auth: { url: `https://${randomUUID()}.example` } });
  const token = await tab.auth.getAccessToken();
  if (String(at(jwtPartOf(token, 0), 'alg')).startsWith('HS'))
    throw new NotRunError('the target signs with a shared secret, which no client has');
  const issuer = at(jwtPartOf(token), 'iss');
  if (typeof issuer !== 'string') throw new NotRunError("the target's tokens name no issuer");
  return { ...tab, token, claims: createClaims(tab.auth, { issuer }) };
}

async function raiseToAal2({ auth }: Tab) {
  const mfa = createMfa(auth);
  const { id, totp } = await mfa.enroll({ factorType: 'totp', friendlyName: 'audit' });
  const code = OTPAuth.URI.parse(totp?.uri ?? '').generate();
  return { mfa, factorId: id, session: await mfa.challengeAndVerify({ factorId: id, code }) };
}

export const clientTokenAudits: readonly Audit[] = [
  audit(
    'CLIENT-AUTH-601',
    'a verified factor raises the session to aal2, which is announced, stored and accepted by the server',
    { source },
    async ({ server, signIn }) => {
      const tab = await signIn();
      const before = tab.stored();
      const { mfa, session } = await raiseToAal2(tab);
      assert.equal(at(jwtPartOf(session.accessToken), 'aal'), 'aal2', 'aal of the access token');
      assert.equal(eventNames(tab).at(-1), 'MFA_CHALLENGE_VERIFIED', 'the name of the last event');
      assert.equal(tab.stored()?.access_token, session.accessToken, 'access_token of the stored session');
      assert.notEqual(
        tab.stored()?.refresh_token,
        before?.refresh_token,
        'refresh_token of the stored session',
      );
      assert.equal((await mfa.getAuthenticatorAssuranceLevel()).currentLevel, 'aal2', 'the current level');
      assertStatus(await server.auth.send('GET', '/user', { token: session.accessToken }), 200);
    },
  ),
  audit(
    'CLIENT-AUTH-602',
    'a refresh after the verification keeps aal2; a new sign-in reports that a factor is pending',
    { source },
    async ({ open, signIn }) => {
      const tab = await signIn();
      await raiseToAal2(tab);
      const { accessToken } = await tab.auth.refreshSession();
      assert.equal(at(jwtPartOf(accessToken), 'aal'), 'aal2', 'aal of the access token');
      const other = await open();
      const { email, password } = tab.user;
      await other.auth.signInWithPassword({ email, password });
      const { currentLevel, nextLevel } = await createMfa(other.auth).getAuthenticatorAssuranceLevel();
      assert.deepEqual([currentLevel, nextLevel], ['aal1', 'aal2'], 'the current and next level');
    },
  ),
  audit(
    'CLIENT-AUTH-603',
    'a wrong code of a factor is refused as mfa_verification_failed and changes nothing',
    { source },
    async ({ signIn }) => {
      const tab = await signIn();
      const mfa = createMfa(tab.auth);
      const { id } = await mfa.enroll({ factorType: 'totp' });
      const before = tab.stored();
      const refusal = await refusalOf(AuthError, mfa.challengeAndVerify({ factorId: id, code: '000000' }));
      assert.equal(refusal.code, 'mfa_verification_failed', 'the code of the refusal');
      assert.deepEqual(tab.stored(), before, 'the stored session');
    },
  ),
  audit(
    'CLIENT-AUTH-611',
    'claims are verified by the key set, fetched once, without asking the server about the token',
    { source: 'protocol/auth.md#access-token' },
    async (context) => {
      const { claims, user, wire } = await withClaims(context);
      for (let count = 0; count < 3; count += 1)
        assert.equal((await claims.getClaims())?.sub, user.id, 'sub of the claims');
      assert.equal(
        wire.to('/auth/v1/.well-known/jwks.json').length,
        1,
        'the number of requests for the key set',
      );
      assert.equal(wire.to('/auth/v1/user').length, 0, 'the number of requests to /auth/v1/user');
    },
  ),
  audit(
    'CLIENT-AUTH-612',
    'a token with changed claims, without a signature or from another issuer is refused',
    { source: 'protocol/auth.md#access-token' },
    async (context) => {
      const { auth, claims, token } = await withClaims(context);
      const strict = createClaims(auth, { issuer: 'https://elsewhere.example' });
      assert.equal(
        (await refusalOf(AuthError, strict.getClaims())).code,
        'invalid-token',
        'the code of the refusal',
      );
      const [header = '', , signature = ''] = token?.split('.') ?? [];
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const payload = encode({ ...(jwtPartOf(token) as object), role: 'service_role' });
      const unsigned = encode({ alg: 'none', typ: 'JWT' });
      const refusalOfToken = (forged: string) =>
        refusalOf(AuthError, claims.getClaims({ accessToken: forged }));
      // A project with a shared secret publishes no key, so the client asks the server.
      assert.match(
        (await refusalOfToken(`${header}.${payload}.${signature}`)).code,
        /^(invalid-signature|bad_jwt)$/,
        'the code of the refusal',
      );
      assert.equal(
        (await refusalOfToken(`${unsigned}.${payload}.`)).code,
        'invalid-token',
        'the code of the refusal',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-621',
    'a session larger than a cookie is stored in chunks, and a sign-out removes them all',
    { source: 'protocol/auth.md#cookies' },
    async ({ open, signIn }) => {
      const jar = createCookieJar();
      const browser = createBrowser(createCookieStore({ jar, secure: true }));
      const { auth, user } = await signIn({ browser });
      await auth.updateUser({ data: { note: 'ä😀'.repeat(800) } });
      const chunks = [...jar.cookies.keys()];
      assert.ok(chunks.length > 1, 'the session is in several cookies', chunks.join());
      assert.deepEqual(
        chunks,
        chunks.map((_, index) => `audit.${index}`),
        'the chunks',
      );
      const attributes = 'Max-Age=34560000; Path=/; SameSite=lax; Secure';
      for (const line of jar.writes.filter((write) => !write.includes('Max-Age=0'))) {
        assert.ok(
          line.endsWith(attributes),
          `the cookie has the attributes ${attributes}`,
          line.slice(line.indexOf(';')),
        );
        assert.ok(
          line.slice(line.indexOf('=') + 1, line.indexOf(';')).length <= 3180,
          'a chunk of the cookie has at most 3180 characters',
        );
      }
      const reloaded = await open({ browser });
      assert.equal(reloaded.auth.getSnapshot().user?.id, user.id, 'the id of the user');
      assert.deepEqual(reloaded.wire.requests, [], 'the sent requests');
      await reloaded.auth.signOut({ scope: 'local' });
      assert.deepEqual([...jar.cookies.keys()], [], 'the cookies');
    },
  ),
];
