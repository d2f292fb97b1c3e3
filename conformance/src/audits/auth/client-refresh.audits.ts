import { assert } from '../../target/assertion.ts';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { nextTokenSecond } from '../../audit/audit-context.ts';
import type { Audit } from '../../audit/audit.ts';
import {
  clientAuditsOf,
  createGate,
  eventually,
  refusalOf,
  type SignedInTab,
} from '../../clients/client-audit.ts';
import { ageToken, EXPIRED_MS, type Tab } from '../../clients/tab.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { eventNames } from './client-sign-in.audits.ts';

const audit = clientAuditsOf('auth-client');
const source = 'protocol/auth.md#one-refresh';

const refreshes = ({ wire }: Tab) =>
  wire.to('/auth/v1/token').filter(({ query }) => query.get('grant_type') === 'refresh_token');

/** Requests the token `count` times concurrently. */
const askTimes = (tab: Tab, count: number) =>
  Promise.all(Array.from({ length: count }, () => tab.auth.getAccessToken()));

/** Ends every session of a user, from another device. */
async function revoke({ user }: SignedInTab, server: Parameters<Audit['run']>[0]): Promise<void> {
  const response = await server.auth.send('POST', '/logout', {
    token: user.accessToken,
    query: { scope: 'global' },
  });
  assertStatus(response, 204);
}

const tooMany = () =>
  Response.json(
    { code: 'over_request_rate_limit', message: 'Request rate limit reached' },
    { status: 429, headers: { 'Retry-After': '1' } },
  );

export const clientRefreshAudits: readonly Audit[] = [
  audit('CLIENT-AUTH-301', 'a fresh token is returned without a request', { source }, async ({ signIn }) => {
    const tab = await signIn();
    const sent = tab.wire.requests.length;
    await askTimes(tab, 50);
    assert.equal(tab.wire.requests.length, sent, 'the number of requests');
  }),
  audit(
    'CLIENT-AUTH-302',
    'an expired token causes one refresh for any number of waiting calls',
    { source },
    async ({ server, signIn }) => {
      const tab = await signIn();
      const old = tab.stored();
      ageToken(tab, EXPIRED_MS);
      const tokens = [...new Set(await askTimes(tab, 50))];
      const renewed = tab.stored();
      assert.deepEqual(
        [tokens, refreshes(tab).length],
        [[renewed?.access_token], 1],
        'the tokens and the number of refreshes',
      );
      assert.notEqual(renewed?.refresh_token, old?.refresh_token, 'refresh_token of the renewed session');
      assertStatus(await server.auth.send('GET', '/user', { token: tokens[0] ?? '' }), 200);
      assert.equal(eventNames(tab).at(-1), 'TOKEN_REFRESHED', 'the name of the last event');
    },
  ),
  audit(
    'CLIENT-AUTH-303',
    'a token that has not expired is returned at once while one refresh is in flight',
    { source },
    async ({ signIn }) => {
      const tab = await signIn();
      const old = tab.stored();
      ageToken(tab, 60_000);
      assert.deepEqual(new Set(await askTimes(tab, 10)), new Set([old?.access_token]), 'the returned tokens');
      assert.deepEqual(tab.stored(), old, 'the stored session');
      await eventually('the refresh', () => tab.stored()?.refresh_token !== old?.refresh_token);
      assert.equal(refreshes(tab).length, 1, 'the number of refreshes');
    },
  ),
  audit(
    'CLIENT-AUTH-304',
    'each refresh sends the token from the last refresh, and stores the next',
    { source },
    async ({ signIn }) => {
      const tab = await signIn();
      const kept = [tab.stored()?.refresh_token];
      for (let round = 0; round < 3; round += 1) {
        await tab.auth.refreshSession();
        kept.push(tab.stored()?.refresh_token);
      }
      assert.deepEqual(
        refreshes(tab).map(({ json }) => at(json, 'refresh_token')),
        kept.slice(0, 3),
        'the refreshes',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-305',
    'two tabs of one browser refresh once and use the same new token',
    { source },
    async ({ open, signIn }) => {
      const first = await signIn();
      const second = await open({ browser: first.browser });
      for (const tab of [first, second]) ageToken(tab, EXPIRED_MS);
      const results = await Promise.all([askTimes(first, 10), askTimes(second, 10)]);
      const tokens = new Set(results.flat());
      assert.deepEqual(
        [tokens.size, refreshes(first).length + refreshes(second).length],
        [1, 1],
        'the numbers of tokens and of refreshes',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-306',
    'a session that the server has ended causes one SIGNED_OUT',
    { source: 'protocol/auth.md#keeping-the-session' },
    async ({ server, signIn }) => {
      const tab = await signIn();
      await revoke(tab, server);
      ageToken(tab, EXPIRED_MS);
      assert.deepEqual(new Set(await askTimes(tab, 10)), new Set([null]), 'the returned tokens');
      assert.deepEqual(
        eventNames(tab),
        ['INITIAL_SESSION', 'SIGNED_IN', 'SIGNED_OUT'],
        'the names of the events',
      );
      assert.deepEqual(
        [tab.events.at(-1)?.reason, tab.stored()],
        ['refused', null],
        'the reason of the last event, and the stored session',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-307',
    'a rate limit keeps the session, gets no request before its Retry-After, and the next refresh succeeds',
    { source: 'protocol/auth.md#keeping-the-session' },
    async ({ signIn }) => {
      const tab = await signIn();
      ageToken(tab, EXPIRED_MS);
      tab.wire.scriptResponse('/auth/v1/token', tooMany);
      const refusal = await refusalOf(AuthError, tab.auth.getAccessToken());
      assert.deepEqual(
        [refusal.code, refusal.status],
        ['over_request_rate_limit', 429],
        'the code and status of the refusal',
      );
      assert.ok(tab.stored(), 'the session is still stored');
      const sent = tab.wire.requests.length;
      assert.equal(
        (await refusalOf(AuthError, tab.auth.getAccessToken())).status,
        429,
        'the status of the refusal',
      );
      assert.equal(tab.wire.requests.length, sent, 'the number of requests');
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      assert.ok(await tab.auth.getAccessToken(), 'an access token is returned');
      assert.ok(!eventNames(tab).includes('SIGNED_OUT'), 'no SIGNED_OUT event');
    },
  ),
  audit(
    'CLIENT-AUTH-308',
    "a proxy's page in place of the response keeps the session",
    { source: 'protocol/auth.md#keeping-the-session' },
    async ({ signIn }) => {
      const tab = await signIn();
      ageToken(tab, EXPIRED_MS);
      tab.wire.scriptResponse('/auth/v1/token', () => new Response('<h1>Forbidden</h1>', { status: 403 }));
      assert.equal(
        (await refusalOf(AuthError, tab.auth.getAccessToken())).code,
        'not-the-service',
        'the code of the refusal',
      );
      assert.ok(await tab.auth.getAccessToken(), 'an access token is returned');
    },
  ),
  audit(
    'CLIENT-AUTH-309',
    'a refresh that fails in the network is retried with the same token',
    { source: 'protocol/auth.md#keeping-the-session' },
    async ({ signIn }) => {
      const tab = await signIn();
      ageToken(tab, EXPIRED_MS);
      tab.wire.scriptResponse('/auth/v1/token', () => Promise.reject(new TypeError('fetch failed')));
      assert.ok(await tab.auth.getAccessToken(), 'an access token is returned');
      const sent = refreshes(tab).map(({ json }) => at(json, 'refresh_token'));
      assert.deepEqual(
        [sent.length, new Set(sent).size],
        [2, 1],
        'the numbers of refreshes and of refresh tokens',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-310',
    'a token that another service rejected is refreshed once, although it has not expired',
    { source },
    async ({ signIn }) => {
      const tab = await signIn();
      const rejectedToken = await tab.auth.getAccessToken();
      assert.ok(rejectedToken, 'there is an access token');
      await nextTokenSecond();
      const ask = () => tab.auth.getAccessToken({ rejectedToken });
      const [a, b] = await Promise.all([ask(), ask()]);
      const later = await ask();
      assert.deepEqual(
        [a === b, b === later, a === rejectedToken],
        [true, true, false],
        'whether the tokens are equal',
      );
      assert.equal(refreshes(tab).length, 1, 'the number of refreshes');
    },
  ),
  audit(
    'CLIENT-AUTH-311',
    'a device with a wrong clock refreshes no more often than any other',
    { source: 'protocol/auth.md#device-clocks' },
    async ({ signIn }) => {
      for (const clockAheadMs of [7_200_000, -7_200_000]) {
        const tab = await signIn({ clockAheadMs });
        await askTimes(tab, 5);
        assert.equal(
          refreshes(tab).length,
          0,
          `the number of the refreshes of a clock ${clockAheadMs} ms ahead`,
        );
      }
    },
  ),
  audit('CLIENT-AUTH-312', 'a sign-out during a refresh stays in effect', { source }, async ({ signIn }) => {
    const tab = await signIn();
    ageToken(tab, EXPIRED_MS);
    const tokens = tab.auth.getAccessToken().catch(() => null);
    await Promise.all([tokens, tab.auth.signOut({ scope: 'local' })]);
    assert.deepEqual(
      [tab.auth.getSnapshot().status, tab.stored()],
      ['signed-out', null],
      'the status of the client, and the stored session',
    );
    assert.equal(eventNames(tab).filter((name) => name === 'SIGNED_OUT').length, 1, 'the number of events');
  }),
  audit(
    'CLIENT-AUTH-313',
    'a refresh that ends after another user has signed in does not restore the first user',
    { source },
    async ({ server, signIn }) => {
      const [tab, other] = [await signIn(), await server.newUser()];
      const body = { refresh_token: tab.stored()?.refresh_token };
      const entered = createGate();
      ageToken(tab, EXPIRED_MS);
      tab.wire.scriptResponse('/auth/v1/token', async () => {
        const query = { grant_type: 'refresh_token' };
        const { status, text } = await server.auth.send('POST', '/token', { query, body });
        await entered.opened;
        return new Response(text, { status });
      });
      // A request that began for the first user must not receive the token of the second.
      const refused = refusalOf(AuthError, tab.auth.getAccessToken());
      // If an earlier step fails, the unhandled rejection must not end the process.
      refused.catch(() => undefined);
      await eventually('the refresh', () => refreshes(tab).length === 1);
      await tab.auth.signInWithPassword({ email: other.email, password: other.password });
      entered.open();
      assert.equal((await refused).code, 'user-changed', 'the code of the refusal');
      assert.equal(tab.auth.getSnapshot().user?.id, other.id, 'the id of the user');
      const token = tab.stored()?.access_token ?? '';
      const { json } = await server.auth.send('GET', '/user', { token });
      assert.equal(at(json, 'id'), other.id, 'id of the response');
    },
  ),
  audit(
    'CLIENT-AUTH-314',
    'a refresh that fails in the network is retried with growing delays',
    { source: 'protocol/auth.md#keeping-the-session', since: '0.2.0' },
    async ({ signIn }) => {
      const tab = await signIn();
      ageToken(tab, EXPIRED_MS);
      const sentAtMs: number[] = [];
      for (let failures = 0; failures < 3; failures += 1)
        tab.wire.scriptResponse('/auth/v1/token', () => {
          sentAtMs.push(performance.now());
          return Promise.reject(new TypeError('fetch failed'));
        });
      assert.ok(await tab.auth.getAccessToken(), 'an access token is returned');
      const [first = 0, second = 0, third = 0] = sentAtMs;
      assert.ok(second - first >= 100, 'the first pause has at least 100 ms', `${second - first} ms`);
      assert.ok(third - second >= 200, 'the second pause has at least 200 ms', `${third - second} ms`);
    },
  ),
];
