import { assert } from '../../target/assertion.ts';
import { createHash } from 'node:crypto';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import type { Audit } from '../../audit/audit.ts';
import { openMailLink } from './mail-link.ts';
import { clientAuditsOf, refusalOf } from '../../clients/client-audit.ts';
import { storageKey, type Tab } from '../../clients/tab.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { eventNames } from './client-sign-in.audits.ts';

const audit = clientAuditsOf('auth-client');
const source = 'protocol/auth.md#verifiers';

/** The verifier of the latest flow; empty without one. */
function verifierIn({ browser }: Tab): string {
  const kept = browser.store.get(`${storageKey}-code-verifier`);
  return kept === null ? '' : String(JSON.parse(kept)).replace(/\/.*/, '');
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** Mail links by PKCE (RFC 7636), opened in the same browser or in another one. */
export const clientLinkAudits: readonly Audit[] = [
  audit(
    'CLIENT-AUTH-501',
    'the challenge is the S256 of the stored verifier, and the verifier is not sent',
    { source },
    async ({ server, open }) => {
      const { email } = await server.newUser();
      const tab = await open();
      await tab.auth.resetPasswordForEmail({ email, redirectTo: server.target.redirectTo });
      const verifier = verifierIn(tab);
      assert.match(verifier, /^[\w.~-]{43,128}$/, 'the verifier');
      const [request] = tab.wire.to('/auth/v1/recover');
      assert.equal(
        at(request?.json, 'code_challenge'),
        challengeOf(verifier),
        'code_challenge of the request',
      );
      assert.equal(
        at(request?.json, 'code_challenge_method'),
        's256',
        'code_challenge_method of the request',
      );
      assert.ok(!request?.body.includes(verifier), 'the request does not contain the verifier');
    },
  ),
  audit('CLIENT-AUTH-502', 'no two flows share a verifier', { source }, async ({ server, open }) => {
    const tab = await open();
    const verifiers = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      await tab.auth.signInWithOAuth({ provider: 'github', redirectTo: server.target.redirectTo });
      verifiers.add(verifierIn(tab));
    }
    assert.equal(verifiers.size, 5, 'the number of verifiers');
  }),
  audit(
    'CLIENT-AUTH-503',
    "a provider's URL is /authorize with the challenge of a stored verifier, and no request is sent",
    { source: 'protocol/auth.md#oauth' },
    async ({ server, open }) => {
      const tab = await open();
      const { redirectTo } = server.target;
      const { url } = await tab.auth.signInWithOAuth({ provider: 'github', redirectTo, scopes: 'a b' });
      const { origin, pathname, searchParams } = new URL(url);
      assert.equal(origin + pathname, `${tab.url}/auth/v1/authorize`, 'the origin and path');
      assert.deepEqual(
        Object.fromEntries(searchParams),
        {
          provider: 'github',
          redirect_to: redirectTo,
          scopes: 'a b',
          code_challenge: challengeOf(verifierIn(tab)),
          code_challenge_method: 's256',
        },
        'the search params',
      );
      assert.deepEqual(tab.wire.requests, [], 'the sent requests');
    },
  ),
  audit(
    'CLIENT-AUTH-504',
    "a mailed link's code becomes a session; the verifier and the code in the address are removed",
    { source, needs: ['mailbox'] },
    async ({ server, open }) => {
      const { email, id } = await server.newUser();
      const { redirectTo } = server.target;
      const { browser, auth } = await open();
      await auth.signInWithOtp({ email, redirectTo, createUser: false });
      const page = await open({ browser, href: await openMailLink(server, email) });
      assert.deepEqual(
        [page.auth.getSnapshot().user?.id, page.href()],
        [id, redirectTo],
        'the id of the user and the address of the page',
      );
      assert.deepEqual(eventNames(page), ['INITIAL_SESSION', 'SIGNED_IN'], 'the names of the events');
      const [exchanged] = page.wire.to('/auth/v1/token');
      assert.equal(exchanged?.query.get('grant_type'), 'pkce', 'grant_type of the exchange');
      assert.match(
        String(at(exchanged?.json, 'code_verifier')),
        /^[\w.~-]{43,128}$/,
        'code_verifier of the exchange',
      );
      assert.equal(verifierIn(page), '', 'the stored verifier');
    },
  ),
  audit(
    'CLIENT-AUTH-505',
    'a network failure during the exchange keeps verifier and code',
    { source, needs: ['mailbox'] },
    async ({ server, open }) => {
      const { email, id } = await server.newUser();
      const { browser, auth } = await open();
      await auth.signInWithOtp({ email, redirectTo: server.target.redirectTo, createUser: false });
      const href = await openMailLink(server, email);
      const page = await open({ browser });
      page.wire.scriptResponse('/auth/v1/token', () => Promise.reject(new TypeError('fetch failed')));
      assert.equal(
        (await page.auth.handleCallback(href)).callbackError?.code,
        'network',
        'the code of the callback error of the result',
      );
      assert.equal((await page.auth.handleCallback(href)).user?.id, id, 'the id of the user of the result');
    },
  ),
  audit(
    'CLIENT-AUTH-506',
    'a recovery link causes one PASSWORD_RECOVERY, which lasts until the password is set',
    { source: 'protocol/auth.md#callback-links', needs: ['mailbox'] },
    async ({ server, open }) => {
      const { email } = await server.newUser();
      const asking = await open();
      await asking.auth.resetPasswordForEmail({ email, redirectTo: server.target.redirectTo });
      const page = await open({ browser: asking.browser, href: await openMailLink(server, email) });
      assert.deepEqual(eventNames(page), ['INITIAL_SESSION', 'PASSWORD_RECOVERY'], 'the names of the events');
      assert.equal(
        (await open({ browser: asking.browser })).auth.getSnapshot().recovery,
        true,
        'the recovery of the auth client',
      );
      await page.auth.updateUser({ password: 'Another-horse-battery-1' });
      assert.equal(page.auth.getSnapshot().recovery, false, 'the recovery of the auth client');
      assertStatus(await server.signIn(email, 'Another-horse-battery-1'), 200);
    },
  ),
  audit(
    'CLIENT-AUTH-507',
    'a link from another browser has its own error, sends nothing and leaves a clean address',
    { source: 'protocol/auth.md#callback-links', needs: ['mailbox'] },
    async ({ server, open }) => {
      const { email } = await server.newUser();
      const { redirectTo } = server.target;
      const { auth } = await open();
      await auth.signInWithOtp({ email, redirectTo, createUser: false });
      const href = await openMailLink(server, email);
      const elsewhere = await open({ href, auth: { callbackPaths: [new URL(redirectTo).pathname] } });
      assert.equal(
        elsewhere.auth.getSnapshot().callbackError?.code,
        'pkce-verifier-missing',
        'the code of the callback error of the auth client',
      );
      assert.deepEqual(
        [elsewhere.wire.requests, elsewhere.href()],
        [[], redirectTo],
        'the sent requests and the address of the page',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-508',
    'a wrong code is refused as otp_expired and opens no session',
    { source: 'protocol/auth.md#one-time-codes' },
    async ({ server, open }) => {
      const { email } = await server.newUser();
      const { auth } = await open();
      await auth.signInWithOtp({ email, createUser: false });
      const refusal = await refusalOf(AuthError, auth.verifyOtp({ type: 'email', email, token: '000000' }));
      assert.deepEqual(
        [refusal.code, refusal.status],
        ['otp_expired', 403],
        'the code and status of the refusal',
      );
      assert.equal(auth.getSnapshot().status, 'signed-out', 'the status of the client');
    },
  ),
  audit(
    'CLIENT-AUTH-509',
    'a code in the address that belongs to no pending flow is ignored',
    { source: 'protocol/auth.md#callback-links' },
    async ({ server, open }) => {
      const href = `${server.target.redirectTo}?code=of-another-library`;
      const tab = await open({ href });
      assert.deepEqual(
        [tab.href(), tab.wire.requests],
        [href, []],
        'the address of the page and the sent requests',
      );
      assert.equal(tab.auth.getSnapshot().callbackError, null, 'the callback error of the auth client');
    },
  ),
  audit(
    'CLIENT-AUTH-510',
    'the code of a mail signs in in any browser, even if the link cannot',
    { source: 'protocol/auth.md#callback-links', needs: ['mailbox'] },
    async ({ server, open }) => {
      const { email, id } = await server.newUser();
      const { auth } = await open();
      await auth.signInWithOtp({ email, redirectTo: server.target.redirectTo, createUser: false });
      const elsewhere = await open();
      await elsewhere.auth.verifyOtp({ type: 'email', email, token: await server.mailedCode(email) });
      assert.equal(elsewhere.auth.getSnapshot().user?.id, id, 'the id of the user');
      assert.deepEqual(eventNames(elsewhere), ['INITIAL_SESSION', 'SIGNED_IN'], 'the names of the events');
    },
  ),
  audit(
    'CLIENT-AUTH-511',
    'if they are allowed, the tokens of a recovery link cause one PASSWORD_RECOVERY and are removed from the address',
    { source: 'protocol/auth.md#callback-links', since: '0.2.0' },
    async ({ server, open }) => {
      const { redirectTo } = server.target;
      const { accessToken, refreshToken } = await server.newUser();
      const tokens = { access_token: accessToken, refresh_token: refreshToken, expires_in: '3600' };
      const fragment = new URLSearchParams({ ...tokens, token_type: 'bearer', type: 'recovery', sb: '' });
      const page = await open({ href: `${redirectTo}#${fragment}`, auth: { acceptImplicitFlow: true } });
      assert.deepEqual(eventNames(page), ['INITIAL_SESSION', 'PASSWORD_RECOVERY'], 'the names of the events');
      assert.equal(page.stored()?.refresh_token, refreshToken, 'refresh_token of the stored session');
      assert.equal(page.href(), redirectTo, 'the address of the page');
    },
  ),
];
