import { beforeAll, expect, it } from 'vitest';

import { createVerifier, openAuthWorld, readClaims, siteUrl, type AuthWorld } from './auth-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

const connection = { id: '5a3c5d1e-0000-4000-8000-000000000001', domain: 'sso.example.com' };

it.each([{ domain: connection.domain }, { provider_id: connection.id }])(
  'begins at the provider of %j',
  async (who) => {
    const { body } = await world.post('/sso', {
      ...who,
      skip_http_redirect: true,
      redirect_to: `${siteUrl}/home`,
    });
    const url = new URL(body.url);
    expect(url.pathname).toBe(`/auth/v1/test-provider/sso/${connection.id}`);
    expect((await world.post('/sso', who)).status).toBe(303);
    url.searchParams.set('prompt', 'none');
    url.searchParams.set('login_hint', `ada@${connection.domain}`);
    const asserted = await world.get(url.href);
    const { location } = await world.get(asserted.location.href);
    expect(location.href.startsWith(`${siteUrl}/home#access_token=`)).toBe(true);
    const claims = readClaims(new URLSearchParams(location.hash.slice(1)).get('access_token') ?? '');
    expect(claims).toMatchObject({
      amr: [{ method: 'sso/saml', provider: connection.id }],
      app_metadata: { provider: `sso:${connection.id}` },
    });
    const again = await world.get(asserted.location.href);
    expect(again.location.searchParams.get('error_code')).toBe('saml_relay_state_not_found');
  },
);

it('redirects to the site with the reason when an assertion is not accepted', async () => {
  const consume = (query: string) => world.get(`/sso/saml/acs?${query}`);
  const refusals = {
    'RelayState=neither': ['validation_failed', 'invalid_request'],
    'RelayState=': ['validation_failed', 'invalid_request'],
    [`RelayState=${connection.id}`]: ['saml_relay_state_not_found', 'server_error'],
  };
  for (const [query, [code, error]] of Object.entries(refusals)) {
    const { status, location } = await consume(query);
    expect([status, location.origin, location.searchParams.get('error_code')]).toEqual([
      303,
      new URL(siteUrl).origin,
      code,
    ]);
    expect([location.searchParams.get('error'), location.hash]).toEqual([error, '']);
  }
});

it('uses a relay state up with an assertion that is refused, and keeps it while the connection is disabled', async () => {
  const { body } = await world.post('/sso', { domain: connection.domain, skip_http_redirect: true });
  const relay = new URL(body.url).searchParams.get('RelayState');
  const codeOf = async () =>
    (await world.get(`/sso/saml/acs?RelayState=${relay}&SAMLResponse=nonsense`)).location.searchParams.get(
      'error_code',
    );
  const disable = (disabled: boolean) =>
    world.database.query('update auth.sso_providers set disabled = $2 where id = $1', [
      connection.id,
      disabled,
    ]);
  await disable(true);
  expect(await codeOf()).toBe('sso_provider_disabled');
  await disable(false);
  expect(await codeOf()).toBe('validation_failed');
  expect(await codeOf()).toBe('saml_relay_state_not_found');
});

it('returns a code when it began with a challenge, and does not link the account to others', async () => {
  const { user } = await world.signedUp();
  const { verifier, challenge } = createVerifier();
  const { body } = await world.post('/sso', {
    domain: connection.domain,
    skip_http_redirect: true,
    code_challenge: challenge,
    code_challenge_method: 's256',
  });
  const asserted = await world.get(`${body.url}&prompt=none&login_hint=${encodeURIComponent(user.email)}`);
  const { location } = await world.get(asserted.location.href);
  const tokens = await world.post('/token?grant_type=pkce', {
    auth_code: location.searchParams.get('code'),
    code_verifier: verifier,
  });
  expect(tokens.body.user.id).not.toBe(user.id);
  expect(
    await world.ask('PUT', '/user', { password: 'new password' }, { token: tokens.body.access_token }),
  ).toMatchObject({
    status: 422,
    body: { code: 'user_sso_managed' },
  });
});

it('refuses an unknown domain, an empty request and disabled single sign-on', async () => {
  expect(await world.post('/sso', { domain: 'unknown.example.com' })).toMatchObject({
    status: 404,
    body: { code: 'sso_provider_not_found', message: 'No SSO provider assigned for this domain' },
  });
  expect((await world.post('/sso', {})).body.code).toBe('validation_failed');
  const closed = await openAuthWorld({ ssoConnections: [] });
  expect((await closed.post('/sso', { domain: connection.domain })).body.code).toBe('saml_provider_disabled');
});
