import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext, type Pkce } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, jwtPartOf, locationOf } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { openMailLink } from './mail-link.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#pkce';

/** Requests a recovery mail, opens its link and returns the auth code in the redirect. */
async function codeFromRecovery(context: AuditContext, pkce: Pkce): Promise<string> {
  const { email } = await context.newUser();
  const requested = await context.auth.send('POST', '/recover', {
    query: { redirect_to: context.target.redirectTo },
    body: { email, ...pkce.challenge },
  });
  assertStatus(requested, 200);
  const opened = await openMailLink(context, email);
  const code = new URL(opened).searchParams.get('code');
  assert.ok(code, 'the redirect carries a code', opened);
  return code;
}

const exchange = ({ auth }: AuditContext, auth_code: string, code_verifier: string) =>
  auth.send('POST', '/token', { query: { grant_type: 'pkce' }, body: { auth_code, code_verifier } });

/** Proof Key for Code Exchange on the links of mails. */
export const pkceAudits: readonly Audit[] = [
  audit(
    'AUTH-301',
    'the link of a PKCE mail redirects to redirect_to with a code and no tokens',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', {
        query: { redirect_to: context.target.redirectTo },
        body: { email, ...context.newPkce().challenge },
      });
      const location = await openMailLink(context, email);
      assert.ok(
        location.startsWith(context.target.redirectTo),
        'the link leads to the page that was asked for',
        location,
      );
      assert.ok(!location.includes('access_token'), 'the redirect contains no access token');
    },
  ),
  audit(
    'AUTH-302',
    'code and verifier are exchanged for a session',
    { source, needs: ['mailbox'] },
    async (context) => {
      const pkce = context.newPkce();
      const code = await codeFromRecovery(context, pkce);
      assertSession(await exchange(context, code, pkce.verifier));
    },
  ),
  audit(
    'AUTH-303',
    'a wrong verifier is refused as bad_code_verifier',
    { source, needs: ['mailbox'] },
    async (context) => {
      const code = await codeFromRecovery(context, context.newPkce());
      assertError(await exchange(context, code, context.newPkce().verifier), 400, 'bad_code_verifier');
    },
  ),
  audit(
    'AUTH-304',
    'a wrong verifier does not consume the code',
    { source, needs: ['mailbox'] },
    async (context) => {
      const pkce = context.newPkce();
      const code = await codeFromRecovery(context, pkce);
      await exchange(context, code, context.newPkce().verifier);
      assertSession(await exchange(context, code, pkce.verifier));
    },
  ),
  audit('AUTH-305', 'a code can be exchanged once', { source, needs: ['mailbox'] }, async (context) => {
    const pkce = context.newPkce();
    const code = await codeFromRecovery(context, pkce);
    assertSession(await exchange(context, code, pkce.verifier));
    assertError(await exchange(context, code, pkce.verifier), 404, 'flow_state_not_found');
  }),
  audit('AUTH-306', 'an unknown code is refused as flow_state_not_found', { source }, async (context) => {
    const response = await exchange(
      context,
      '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11',
      context.newPkce().verifier,
    );
    assertError(response, 404, 'flow_state_not_found');
  }),
  audit(
    'AUTH-307',
    'an exchange without a verifier is refused as validation_failed',
    { source },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'pkce' },
        body: { auth_code: '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11' },
      });
      assertError(response, 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-308',
    'a challenge of fewer than 43 characters is refused',
    { source },
    async ({ auth, newEmail }) => {
      const response = await auth.send('POST', '/recover', {
        body: { email: newEmail(), code_challenge: 'short', code_challenge_method: 's256' },
      });
      assertError(response, 400, 'validation_failed');
    },
  ),
  audit('AUTH-309', 'a challenge without its method is refused', { source }, async (context) => {
    const { code_challenge } = context.newPkce().challenge;
    assertError(
      await context.auth.send('POST', '/recover', { body: { email: context.newEmail(), code_challenge } }),
      400,
      'validation_failed',
    );
  }),
  audit(
    'AUTH-310',
    'the method plain compares the verifier itself',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { verifier } = context.newPkce();
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', {
        body: { email, code_challenge: verifier, code_challenge_method: 'plain' },
      });
      const code = new URL(await openMailLink(context, email)).searchParams.get('code') ?? '';
      assertSession(await exchange(context, code, verifier));
    },
  ),
  audit(
    'AUTH-316',
    "a link carries the code of the user's latest flow, not of an earlier one",
    { source, needs: ['mailbox'], since: '1.0.0' },
    async (context) => {
      const { email } = await context.newUser();
      const [first, latest] = [context.newPkce(), context.newPkce()];
      const request = (pkce: Pkce) =>
        context.auth.send('POST', '/recover', { body: { email, ...pkce.challenge } });
      assertStatus(await request(first), 200);
      await context.mail(email);
      assertStatus(await request(latest), 200);
      const code = new URL(await openMailLink(context, email)).searchParams.get('code') ?? '';
      assertSession(await exchange(context, code, latest.verifier));
    },
  ),
  audit(
    'AUTH-311',
    'a link that is opened again redirects with an error in query and fragment',
    { source: 'protocol/auth.md#mail-links', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email, ...context.newPkce().challenge } });
      const mail = await context.mail(email);
      const link = mail.links.find((candidate) => candidate.includes('/verify?')) ?? '';
      await context.auth.send('GET', link);
      const again = await context.auth.send('GET', link);
      assertStatus(again, 303);
      const location = locationOf(again);
      assert.equal(
        location.searchParams.get('error_code'),
        'otp_expired',
        'error_code of the query of the redirect',
      );
      const fragment = new URLSearchParams(location.hash.slice(1));
      assert.equal(fragment.get('error_code'), 'otp_expired', 'error_code of the fragment');
      assert.equal(fragment.get('error'), 'access_denied', 'error of the fragment');
    },
  ),
  audit(
    'AUTH-312',
    'without PKCE the link redirects with tokens in the fragment',
    { source: 'protocol/auth.md#mail-links', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const fragment = new URLSearchParams(new URL(await openMailLink(context, email)).hash.slice(1));
      for (const name of ['access_token', 'refresh_token', 'expires_in', 'expires_at', 'token_type']) {
        assert.ok(fragment.get(name), `the fragment has ${name}`);
      }
      assert.equal(fragment.get('type'), 'recovery', 'type of the fragment');
      assert.ok(fragment.has('sb'), 'the fragment is marked sb');
    },
  ),
  audit(
    'AUTH-313',
    'a redirect_to that is not allowed falls back to the site URL',
    { source: 'protocol/auth.md#mail-links', needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', {
        query: { redirect_to: 'https://evil.example.net/steal' },
        body: { email },
      });
      assert.ok(
        !(await openMailLink(context, email)).startsWith('https://evil.example.net'),
        'the link does not lead to a page that is not allowed',
      );
    },
  ),
  audit(
    'AUTH-314',
    'the session of a recovery link has otp or recovery in amr',
    { source: 'protocol/auth.md#access-token', level: 'SHOULD', needs: ['mailbox'] },
    async (context) => {
      const pkce = context.newPkce();
      const session = assertSession(
        await exchange(context, await codeFromRecovery(context, pkce), pkce.verifier),
      );
      const claims = jwtPartOf(at(session.json, 'access_token'));
      assert.ok(
        ['recovery', 'otp'].includes(String(at(claims, 'amr', 0, 'method'))),
        'the claim amr names recovery or otp',
      );
    },
  ),
  audit(
    'AUTH-315',
    'a sign-up link confirms the account and carries a code',
    { source, needs: ['mailbox'] },
    async (context) => {
      const email = context.newEmail();
      const pkce = context.newPkce();
      const response = await context.auth.send('POST', '/signup', {
        body: { email, password: 'Secret-123456', ...pkce.challenge },
      });
      assertStatus(response, 200);
      if (at(response.json, 'access_token') !== undefined)
        throw new NotRunError('the target confirms accounts at once');
      const code = new URL(await openMailLink(context, email)).searchParams.get('code') ?? '';
      assertSession(await exchange(context, code, pkce.verifier));
      assertSession(await context.signIn(email, 'Secret-123456'));
    },
  ),
  audit(
    'AUTH-317',
    'a challenge has 43 to 128 letters, digits, hyphens, periods, underscores and tildes',
    { source, since: '1.0.0' },
    async ({ auth, newEmail }) => {
      const request = (code_challenge: string) =>
        auth.send('POST', '/recover', {
          body: { email: newEmail(), code_challenge, code_challenge_method: 's256' },
        });
      for (const challenge of [
        'a'.repeat(42),
        'a'.repeat(129),
        `${'a'.repeat(43)}+`,
        `+${'a'.repeat(43)}`,
        `${'a'.repeat(43)}é`,
      ])
        assertError(await request(challenge), 400, 'validation_failed');
      for (const challenge of ['aA0-._~'.padEnd(43, 'x'), 'a'.repeat(128)])
        assertStatus(await request(challenge), 200);
    },
  ),
  audit(
    'AUTH-318',
    'an exchange without a code is refused as validation_failed',
    { source, since: '1.0.0' },
    async ({ auth, newPkce }) => {
      const body = { code_verifier: newPkce().verifier };
      assertError(
        await auth.send('POST', '/token', { query: { grant_type: 'pkce' }, body }),
        400,
        'validation_failed',
      );
    },
  ),
  audit(
    'AUTH-319',
    'amr names how the flow began: recovery, magiclink or email/signup',
    { source: 'protocol/auth.md#access-token', needs: ['mailbox', 'email-confirmation'], since: '1.0.0' },
    async (context) => {
      const flows = [
        ['/recover', 'recovery', (await context.newUser()).email],
        ['/otp', 'magiclink', (await context.newUser()).email],
        ['/signup', 'email/signup', context.newEmail()],
      ] as const;
      for (const [path, method, email] of flows) {
        const { challenge, verifier } = context.newPkce();
        const body = { email, password: 'Secret-123456', ...challenge };
        assertStatus(await context.auth.send('POST', path, { body }), 200);
        const code = new URL(await openMailLink(context, email)).searchParams.get('code') ?? '';
        const session = assertSession(await exchange(context, code, verifier));
        const claims = jwtPartOf(at(session.json, 'access_token'));
        assert.equal(at(claims, 'amr', 0, 'method'), method, `amr.0.method after ${path}`);
      }
    },
  ),
  audit(
    'AUTH-320',
    'the challenge method is read without regard to case',
    { source, needs: ['mailbox'], since: '1.0.0' },
    async (context) => {
      const { challenge, verifier } = context.newPkce();
      const pkce = { verifier, challenge: { ...challenge, code_challenge_method: 'S256' } };
      const code = await codeFromRecovery(context, pkce as unknown as Pkce);
      assertSession(await exchange(context, code, verifier));
    },
  ),
  audit(
    'AUTH-321',
    'the code of an old flow is refused as flow_state_expired',
    { source, needs: ['mailbox', 'database'], since: '1.0.0' },
    async (context) => {
      const pkce = context.newPkce();
      const code = await codeFromRecovery(context, pkce);
      await context.query(
        "update auth.flow_state set created_at = created_at - interval '1 day' where auth_code = $1",
        [code],
      );
      assertError(await exchange(context, code, pkce.verifier), 422, 'flow_state_expired');
    },
  ),
  audit(
    'AUTH-325',
    'the times in the fragment of a link are those of its access token',
    { source: 'protocol/auth.md#mail-links', needs: ['mailbox'], since: '1.0.0' },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const fragment = new URLSearchParams(new URL(await openMailLink(context, email)).hash.slice(1));
      const claims = jwtPartOf(fragment.get('access_token'));
      assert.deepEqual(
        [Number(fragment.get('expires_at')), Number(fragment.get('expires_in')), fragment.get('token_type')],
        [at(claims, 'exp'), Number(at(claims, 'exp')) - Number(at(claims, 'iat')), 'bearer'],
        'expires_at, expires_in and token_type',
      );
    },
  ),
];
