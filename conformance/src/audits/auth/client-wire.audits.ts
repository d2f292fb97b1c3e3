import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf } from '../../clients/client-audit.ts';
import { at } from '../../target/wire.ts';

const audit = clientAuditsOf('auth-client');
const source = 'protocol/auth.md#request-headers';

export const clientWireAudits: readonly Audit[] = [
  audit(
    'CLIENT-AUTH-201',
    'every request has the key, the client and the version of the interface',
    { source },
    async ({ signIn }) => {
      const { auth, wire, apiKey } = await signIn();
      await auth.getUser();
      await auth.refreshSession();
      await auth.signOut();
      assert.equal(wire.requests.length, 4, 'the number of requests');
      for (const { headers, path } of wire.requests) {
        assert.equal(headers.get('apikey'), apiKey, `the header apikey of ${path}`);
        assert.equal(
          headers.get('x-supabase-api-version'),
          '2024-01-01',
          `the header x-supabase-api-version of ${path}`,
        );
        assert.match(headers.get('x-client-info') ?? '', /\S/, `the header x-client-info of ${path}`);
      }
    },
  ),
  audit(
    'CLIENT-AUTH-202',
    "requests of a user carry the user's token, requests for a session carry none",
    { source },
    async ({ signIn }) => {
      const { auth, wire } = await signIn();
      const first = await auth.getAccessToken();
      await auth.getUser();
      await auth.refreshSession();
      const second = await auth.getAccessToken();
      await auth.updateUser({ data: {} });
      const bearers = wire.requests.map(({ headers }) => headers.get('authorization'));
      assert.deepEqual(bearers, [null, `Bearer ${first}`, null, `Bearer ${second}`], 'the bearer tokens');
    },
  ),
  audit(
    'CLIENT-AUTH-203',
    'no URL contains a token, a password or a verifier',
    { source },
    async ({ server, signIn }) => {
      const { auth, wire, browser, user } = await signIn();
      const tokens = [await auth.getAccessToken(), browser.store.get('audit')];
      await auth.getUser();
      await auth.refreshSession();
      await auth.resetPasswordForEmail({ email: user.email, redirectTo: server.target.redirectTo });
      await auth.updateUser({ password: 'Another-horse-battery-1' });
      await auth.signOut({ scope: 'local' });
      const [, refreshToken] = /"refresh_token":"([^"]+)/.exec(tokens[1] ?? '') ?? [];
      const [, verifier] = /"(.+)\/recovery"/.exec(browser.store.get('audit-code-verifier') ?? '') ?? [];
      const secrets = [tokens[0], refreshToken, verifier, user.password, 'Another-horse-battery-1'];
      for (const { path, query } of wire.requests) {
        const url = decodeURIComponent(`${path}?${query}`);
        for (const secret of secrets)
          assert.ok(secret && !url.includes(secret), `no secret is in the URL of ${path}`);
      }
    },
  ),
  audit(
    'CLIENT-AUTH-204',
    'a redirect address is sent in the query, credentials are sent in the body',
    { source },
    async ({ server, signIn }) => {
      const { auth, wire, user } = await signIn();
      await auth.resetPasswordForEmail({ email: user.email, redirectTo: server.target.redirectTo });
      const [request] = wire.to('/auth/v1/recover');
      assert.equal(request?.query.get('redirect_to'), server.target.redirectTo, 'redirect_to of the request');
      assert.equal(at(request?.json, 'email'), user.email, 'email of the request');
      const [signedIn] = wire.to('/auth/v1/token');
      assert.deepEqual(
        Object.fromEntries(signedIn?.query ?? []),
        { grant_type: 'password' },
        'the query of the sign-in',
      );
      assert.equal(at(signedIn?.json, 'password'), user.password, 'password of the sign-in');
    },
  ),
];
