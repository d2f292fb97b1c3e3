import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { portableAuditsOf } from './any-client-audit.ts';
import type { RecordingProxy } from '../../clients/recording-proxy.ts';

const audit = portableAuditsOf('auth-client');
const tokenPath = '/auth/v1/token';
const refreshes = ({ to }: RecordingProxy) =>
  to(tokenPath).filter(({ query }) => query.get('grant_type') === 'refresh_token');
const oneRefresh = { source: 'protocol/auth.md#one-refresh' } as const;
const keeping = { source: 'protocol/auth.md#keeping-the-session' } as const;
const unavailable = { status: 503, body: '{"code":"unexpected_failure","message":"unavailable"}' };

export const anyAuthAudits: readonly Audit[] = [
  audit(
    'ANY-AUTH-101',
    'a sign-in by password opens a session with a token that the server accepts',
    { source: 'protocol/auth.md#session' },
    async ({ server, signIn }) => {
      const { token, user } = await signIn();
      const response = await server.auth.send('GET', '/user', { token: await token() });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'id'), user.id, 'the id of the user of the token');
    },
  ),
  audit(
    'ANY-AUTH-102',
    'a wrong password is refused as invalid_credentials and opens no session',
    { source: 'protocol/auth.md#password-grant' },
    async ({ server, open }) => {
      const user = await server.newUser();
      const { attempt, ask } = await open();
      const outcome = await attempt('signIn', { email: user.email, password: 'not the password' });
      assert.equal(outcome.type, 'refused', 'the end of the sign-in');
      assert.equal(at(outcome, 'code'), 'invalid_credentials', 'the code of the refusal');
      assert.equal(await ask('getAccessToken', {}), null, 'the access token');
    },
  ),
  audit(
    'ANY-AUTH-103',
    'requests carry the key, and no URL contains a token or a password',
    { source: 'protocol/auth.md#request-headers' },
    async ({ server, signIn }) => {
      const { proxy, ask, token, user } = await signIn();
      const accessToken = await token();
      await ask('signOut', { scope: 'local' });
      assert.ok(proxy.requests.length >= 2, 'the client sends requests', `${proxy.requests.length}`);
      for (const { headers, path, query } of proxy.requests) {
        assert.equal(headers.get('apikey'), server.target.anonKey || 'none', `the header apikey of ${path}`);
        for (const secret of [accessToken, user.password])
          assert.ok(!String(query).includes(secret), `no secret is in the URL of ${path}`);
      }
    },
  ),
  audit(
    'ANY-AUTH-104',
    "requests contain the client's name",
    { source: 'protocol/auth.md#request-headers', level: 'SHOULD' },
    async ({ signIn }) => {
      const { proxy } = await signIn();
      assert.match(
        proxy.to(tokenPath)[0]?.headers.get('x-client-info') ?? '',
        /\S/,
        'the header x-client-info',
      );
    },
  ),
  audit(
    'ANY-AUTH-201',
    'an expired token causes one refresh for any number of waiting calls',
    oneRefresh,
    async ({ signIn }) => {
      const { proxy, ask } = await signIn({ lifetimeSeconds: -10 });
      const tokens = await Promise.all(Array.from({ length: 20 }, () => ask('getAccessToken', {})));
      assert.equal(new Set(tokens).size, 1, 'the number of different tokens');
      assert.equal(refreshes(proxy).length, 1, 'the number of refreshes');
    },
  ),
  audit('ANY-AUTH-202', 'a fresh token is returned without a request', oneRefresh, async ({ signIn }) => {
    const { proxy, ask } = await signIn();
    const before = proxy.requests.length;
    for (let calls = 0; calls < 10; calls += 1) await ask('getAccessToken', {});
    assert.equal(proxy.requests.length, before, 'the number of requests');
  }),
  audit(
    'ANY-AUTH-203',
    'each refresh sends the token of the refresh before',
    oneRefresh,
    async ({ signIn }) => {
      const { proxy, ask } = await signIn({ lifetimeSeconds: -10 });
      proxy.shortenSessions(-10);
      for (let rounds = 0; rounds < 3; rounds += 1) await ask('getAccessToken', {});
      const sent = refreshes(proxy).map(({ json }) => at(json, 'refresh_token'));
      assert.ok(sent.length >= 3, 'there are three refreshes', `${sent.length}`);
      assert.equal(new Set(sent).size, sent.length, 'the number of different refresh tokens');
    },
  ),
  audit(
    'ANY-AUTH-204',
    'a token that is still valid is returned while its refresh fails',
    { ...keeping, level: 'SHOULD' },
    async ({ signIn }) => {
      const { proxy, ask } = await signIn({ lifetimeSeconds: 30 });
      for (let failures = 0; failures < 12; failures += 1) proxy.scriptResponse(tokenPath, unavailable);
      const startedMs = performance.now();
      assert.ok(typeof (await ask('getAccessToken', {})) === 'string', 'a token is returned');
      const tookMs = performance.now() - startedMs;
      assert.ok(tookMs < 10_000, 'it is returned within 10 s', `${Math.round(tookMs)} ms`);
    },
  ),
  audit(
    'ANY-AUTH-301',
    'an interrupted refresh is retried with the same token, and the session stays',
    keeping,
    async ({ signIn }) => {
      const { proxy, ask } = await signIn({ lifetimeSeconds: -10 });
      proxy.scriptResponse(tokenPath, null);
      assert.ok(typeof (await ask('getAccessToken', {})) === 'string', 'a token is returned');
      const sent = refreshes(proxy).map(({ json }) => at(json, 'refresh_token'));
      assert.deepEqual(
        [sent.length, new Set(sent).size],
        [2, 1],
        'the numbers of refreshes and of their tokens',
      );
    },
  ),
  audit(
    'ANY-AUTH-302',
    "a proxy's page in place of the response to a refresh does not end the session",
    { ...keeping, level: 'SHOULD' },
    async ({ signIn }) => {
      const { proxy, attempt, ask } = await signIn({ lifetimeSeconds: -10 });
      for (let pages = 0; pages < 3; pages += 1)
        proxy.scriptResponse(tokenPath, { status: 403, body: '<h1>Please sign in to the Wi-Fi</h1>' });
      await attempt('getAccessToken', {});
      assert.ok(!JSON.stringify(await ask('getEvents', {})).includes('SIGNED_OUT'), 'no SIGNED_OUT event');
    },
  ),
  audit(
    'ANY-AUTH-303',
    'a session that the server has ended is announced by one SIGNED_OUT',
    keeping,
    async ({ server, signIn }) => {
      const { proxy, attempt, ask, user } = await signIn({ lifetimeSeconds: -10 });
      // A client may refresh an expired session by itself; a longer one would be used without a refresh afterwards.
      proxy.shortenSessions(-10);
      const { status } = await server.auth.send('POST', '/logout', {
        token: user.accessToken,
        query: { scope: 'global' },
      });
      assert.equal(status, 204, 'the status of the sign-out elsewhere');
      await attempt('getAccessToken', {});
      // Listeners are called after the call that caused the event.
      await delay(500);
      const events = (await ask('getEvents', {})) as readonly string[];
      assert.equal(events.filter((name) => name === 'SIGNED_OUT').length, 1, 'the number of SIGNED_OUT');
    },
  ),
  audit('ANY-AUTH-304', 'a rate limit of a refresh does not end the session', keeping, async ({ signIn }) => {
    const { proxy, attempt, ask } = await signIn({ lifetimeSeconds: -10 });
    proxy.scriptResponse(tokenPath, {
      status: 429,
      body: '{"code":"over_request_rate_limit","message":"Request rate limit reached"}',
    });
    await attempt('getAccessToken', {});
    assert.ok(!JSON.stringify(await ask('getEvents', {})).includes('SIGNED_OUT'), 'no SIGNED_OUT event');
  }),
  audit(
    'ANY-AUTH-401',
    'scope global ends every session of the user',
    { source: 'protocol/auth.md#sign-out' },
    async ({ server, signIn }) => {
      const { ask, user } = await signIn();
      await ask('signOut', { scope: 'global' });
      assertStatus(await server.auth.send('GET', '/user', { token: user.accessToken }), 403);
      assert.equal(await ask('getAccessToken', {}), null, 'the access token');
    },
  ),
  audit(
    'ANY-AUTH-402',
    'scope local ends only this session',
    { source: 'protocol/auth.md#sign-out' },
    async ({ server, signIn }) => {
      const { ask, token, user } = await signIn();
      const accessToken = await token();
      await ask('signOut', { scope: 'local' });
      assertStatus(await server.auth.send('GET', '/user', { token: user.accessToken }), 200);
      assertStatus(await server.auth.send('GET', '/user', { token: accessToken }), 403);
    },
  ),
  audit(
    'ANY-AUTH-403',
    'a server that fails does not prevent the local sign-out',
    { source: 'protocol/auth.md#local-sign-out', level: 'SHOULD' },
    async ({ signIn }) => {
      const { proxy, attempt, ask } = await signIn();
      for (let failures = 0; failures < 5; failures += 1)
        proxy.scriptResponse('/auth/v1/logout', unavailable);
      await attempt('signOut', { scope: 'global' });
      assert.equal(await ask('getAccessToken', {}), null, 'the access token');
    },
  ),
  audit(
    'ANY-AUTH-404',
    'an unreachable server does not prevent the local sign-out',
    { source: 'protocol/auth.md#local-sign-out', level: 'SHOULD' },
    async ({ signIn }) => {
      const { proxy, attempt, ask } = await signIn();
      for (let failures = 0; failures < 5; failures += 1) proxy.scriptResponse('/auth/v1/logout', null);
      await attempt('signOut', { scope: 'global' });
      assert.equal(await ask('getAccessToken', {}), null, 'the access token');
    },
  ),
  audit('ANY-AUTH-405', 'a sign-out during a refresh stays in effect', oneRefresh, async ({ signIn }) => {
    const { attempt, ask } = await signIn({ lifetimeSeconds: -10 });
    const refreshing = attempt('getAccessToken', {});
    await attempt('signOut', { scope: 'local' });
    await refreshing;
    await delay(200);
    assert.equal(await ask('getAccessToken', {}), null, 'the access token');
  }),
];
