import { assert } from '../../target/assertion.ts';
import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, locationOf, textAt, type Wire } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { assertRefusal } from './hook-call.ts';
import { anySite, isDisabled, isoIn, signedSolanaMessage, walletSite, web3 } from './wallet.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#oauth';
const unknownId = '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11';
/** A Sign-In-With-Ethereum message (EIP-4361) of one address with a valid signature of another. */
function foreignEthereumMessage(site: string): { message: string; signature: string } {
  const { host, origin } = new URL(site);
  const address = `0x${randomBytes(20).toString('hex')}`;
  const message = `${host} wants you to sign in with your Ethereum account:\n${address}\n\nAudit\n\nURI: ${origin}/\nVersion: 1\nChain ID: 1\nNonce: ${randomBytes(8).toString('hex')}\nIssued At: ${new Date().toISOString()}`;
  const [recovery = 0, ...bytes] = secp256k1.sign(randomBytes(32), secp256k1.utils.randomSecretKey(), {
    prehash: false,
    format: 'recovered',
  });
  return { message, signature: `0x${Buffer.from([...bytes, 27 + recovery]).toString('hex')}` };
}

/** A social provider of the target. @throws NotRunError if none is enabled. */
async function enabledProvider(auth: Wire): Promise<string> {
  const settings = await auth.send('GET', '/settings');
  const external = (at(settings.json, 'external') ?? {}) as Record<string, unknown>;
  const provider = Object.keys(external).find(
    (name) =>
      external[name] === true &&
      !['email', 'phone', 'anonymous_users'].includes(name) &&
      !name.startsWith('web3'),
  );
  if (provider === undefined) throw new NotRunError('no social provider is enabled');
  return provider;
}

/** Social providers, single sign-on, linked identities, wallets. */
export const identityAudits: readonly Audit[] = [
  audit('AUTH-701', 'GET /authorize of an unknown provider is refused', { source }, async ({ auth }) => {
    assertError(
      await auth.send('GET', '/authorize', { query: { provider: 'no-such-provider' } }),
      400,
      'validation_failed',
    );
  }),
  audit(
    'AUTH-702',
    'GET /authorize redirects to the provider with a state',
    { source },
    async ({ auth, newPkce, target }) => {
      const provider = await enabledProvider(auth);
      const response = await auth.send('GET', '/authorize', {
        query: { provider, redirect_to: target.redirectTo, ...newPkce().challenge },
      });
      assertStatus(response, 302);
      const location = locationOf(response);
      assert.ok(location.searchParams.get('state'), 'the redirect carries a state');
      assert.equal(
        location.searchParams.get('response_type'),
        'code',
        'response_type of the query of the redirect',
      );
    },
  ),
  audit(
    'AUTH-704',
    "GET /authorize reads the provider's name without regard to case",
    { source, since: '1.0.0' },
    async ({ auth, newPkce }) => {
      const provider = (await enabledProvider(auth)).toUpperCase();
      const query = { provider, ...newPkce().challenge };
      assertStatus(await auth.send('GET', '/authorize', { query }), 302);
    },
  ),
  audit(
    'AUTH-703',
    'GET /callback with a bad state redirects to the site with the error in the query',
    { source },
    async ({ auth }) => {
      const states = {
        '': 'bad_oauth_callback',
        nonsense: 'bad_oauth_state',
        [unknownId]: 'bad_oauth_state',
      };
      for (const [state, code] of Object.entries(states)) {
        const response = await auth.send('GET', '/callback', { query: { state, code: 'x' } });
        assertStatus(response, 303);
        const location = locationOf(response);
        assert.equal(location.searchParams.get('error_code'), code, `error_code of the state "${state}"`);
        assert.ok(location.searchParams.get('error_description'), 'the redirect has an error_description');
      }
    },
  ),
  audit(
    'AUTH-711',
    'POST /sso of an unknown domain is refused',
    { source: 'protocol/auth.md#single-sign-on' },
    async ({ auth }) => {
      const response = await auth.send('POST', '/sso', {
        body: { domain: 'unknown.example.net', skip_http_redirect: true },
      });
      assertStatus(response, 404);
      assert.ok(
        ['sso_provider_not_found', 'saml_provider_disabled'].includes(String(at(response.json, 'code'))),
        'the code is sso_provider_not_found or saml_provider_disabled',
      );
    },
  ),
  audit(
    'AUTH-721',
    'the only identity of a user cannot be unlinked',
    { source: 'protocol/auth.md#identities' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const user = await context.auth.send('GET', '/user', { token });
      const response = await context.auth.send(
        'DELETE',
        `/user/identities/${textAt(user, 'identities', 0, 'identity_id')}`,
        { token },
      );
      if (at(response.json, 'code') === 'manual_linking_disabled')
        throw new NotRunError('manual linking is disabled');
      assertError(response, 422, 'single_identity_not_deletable');
    },
  ),
  audit(
    'AUTH-722',
    'linking an identity returns the URL of the provider',
    { source: 'protocol/auth.md#identities' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const settings = await context.auth.send('GET', '/settings');
      if (at(settings.json, 'external', 'github') !== true) throw new NotRunError('github is not enabled');
      const response = await context.auth.send('GET', '/user/identities/authorize', {
        token,
        query: {
          provider: 'github',
          skip_http_redirect: 'true',
          redirect_to: context.target.redirectTo,
          ...context.newPkce().challenge,
        },
      });
      assertStatus(response, 200);
      assert.ok(
        new URL(textAt(response, 'url')).searchParams.get('state'),
        'the address of the provider carries a state',
      );
    },
  ),
  audit(
    'AUTH-731',
    'a Solana wallet signs in with a signed message',
    { source: 'protocol/auth.md#wallets' },
    async (context) => {
      const response = await web3(context, signedSolanaMessage(walletSite(context)));
      if (isDisabled(response)) throw new NotRunError('web3 is disabled');
      const session = assertSession(response);
      assert.equal(
        at(session.json, 'user', 'app_metadata', 'provider'),
        'web3',
        'user.app_metadata.provider of the session',
      );
    },
  ),
  audit(
    'AUTH-732',
    'a message signed by another key is refused',
    { source: 'protocol/auth.md#wallets' },
    async (context) => {
      const { message } = signedSolanaMessage(anySite);
      const { signature } = signedSolanaMessage(anySite);
      const response = await web3(context, { message, signature });
      if (isDisabled(response)) throw new NotRunError('web3 is disabled');
      assertStatus(response, 400);
      assert.equal(at(response.json, 'error'), 'invalid_grant', 'error of the response');
    },
  ),
  audit(
    'AUTH-734',
    'an Ethereum message that another key signed is refused',
    { source: 'protocol/auth.md#wallets', since: '1.0.0' },
    async (context) => {
      const response = await web3(context, {
        chain: 'ethereum',
        ...foreignEthereumMessage(anySite),
      });
      if (isDisabled(response)) throw new NotRunError('web3 is disabled');
      assertStatus(response, 400);
      assert.equal(at(response.json, 'error'), 'invalid_grant', 'error of the response');
    },
  ),
  audit(
    'AUTH-733',
    'an unknown chain is refused',
    { source: 'protocol/auth.md#wallets' },
    async (context) => {
      const response = await web3(context, { chain: 'gold', message: 'x', signature: 'y' });
      if (isDisabled(response)) throw new NotRunError('web3 is disabled');
      assertRefusal(response, 400, 'web3_unsupported_chain', 'Unsupported chain');
    },
  ),
  audit(
    'AUTH-741',
    'an id_token that is not a JWT is refused in the OAuth format',
    { source: 'protocol/auth.md#id-tokens' },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'id_token' },
        body: { provider: 'google', id_token: 'nonsense' },
      });
      if (response.status === 500) throw new NotRunError('the server cannot reach the provider');
      assertStatus(response, 400);
      assert.ok(
        at(response.json, 'error') !== undefined || at(response.json, 'code') !== undefined,
        'the refusal has an error or a code',
      );
    },
  ),
  audit(
    'AUTH-742',
    'an id_token without a readable issuer is refused, without internet',
    { source: 'protocol/auth.md#id-tokens' },
    async ({ auth }) => {
      const response = await auth.send('POST', '/token', {
        query: { grant_type: 'id_token' },
        // The issuers of this provider are read from the token before its keys are fetched.
        body: { provider: 'apple', id_token: 'nonsense' },
      });
      assertStatus(response, 400);
    },
  ),
  audit(
    'AUTH-735',
    'a message for another site, or of another time, is refused as invalid_grant',
    { source: 'protocol/auth.md#wallets', since: '1.0.0' },
    async (context) => {
      const wrong = [
        { URI: 'https://evil.example.net/' },
        { 'Issued At': isoIn(-24) },
        { 'Issued At': isoIn(24) },
        { 'Issued At': isoIn(-0.1), 'Expiration Time': isoIn(-0.05) },
        { 'Not Before': isoIn(1) },
      ];
      for (const fields of wrong) {
        const response = await web3(context, signedSolanaMessage(walletSite(context), fields));
        if (isDisabled(response)) throw new NotRunError('web3 is disabled');
        assertStatus(response, 400);
        assert.equal(at(response.json, 'error'), 'invalid_grant', `error with ${Object.keys(fields).join()}`);
      }
    },
  ),
  audit(
    'AUTH-705',
    'the provider receives the callback, the scopes and further parameters, and no foreign state',
    { source, since: '1.0.0' },
    async ({ auth, newPkce }) => {
      const provider = await enabledProvider(auth);
      const query = {
        provider,
        scopes: 'audit',
        prompt: 'consent',
        state: 'own',
        redirect_uri: 'https://a.b/',
      };
      const response = await auth.send('GET', '/authorize', { query: { ...query, ...newPkce().challenge } });
      const sent = locationOf(response).searchParams;
      assert.match(sent.get('redirect_uri') ?? '', /\/callback$/, 'redirect_uri of the redirect');
      assert.ok(sent.get('scope')?.split(/[ ,]/).includes('audit'), 'the scope is requested', String(sent));
      assert.equal(sent.get('prompt'), 'consent', 'prompt of the redirect');
      assert.match(
        sent.get('state') ?? '',
        /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
        'state of the redirect',
      );
    },
  ),
  audit(
    'AUTH-706',
    "the provider's refusal leads to redirect_to, with the error in query and fragment",
    { source, since: '1.0.0' },
    async ({ auth, newPkce, target: { redirectTo } }) => {
      const provider = await enabledProvider(auth);
      const query = { provider, redirect_to: redirectTo, ...newPkce().challenge };
      const begun = await auth.send('GET', '/authorize', { query });
      const state = locationOf(begun).searchParams.get('state') ?? '';
      const refusal = { state, error: 'access_denied', error_description: 'Not today' };
      const response = await auth.send('GET', '/callback', { query: refusal });
      assertStatus(response, 302);
      const location = locationOf(response);
      assert.ok(location.href.startsWith(redirectTo), 'the redirect leads to redirect_to', location.href);
      for (const part of [location.searchParams, new URLSearchParams(location.hash.slice(1))])
        assert.deepEqual(
          [part.get('error'), part.get('error_description')?.replaceAll('%20', ' ').replaceAll('+', ' ')],
          ['access_denied', 'Not today'],
          'error and error_description of query and fragment',
        );
      assert.match(location.hash, /[#&]sb=?(&|$)/, 'the fragment is marked sb');
    },
  ),
  audit(
    'AUTH-707',
    'GET /authorize refuses a challenge of another form, an unknown method and an unknown invitation',
    { source, since: '1.0.0' },
    async ({ auth, newPkce }) => {
      const provider = await enabledProvider(auth);
      const { challenge } = newPkce();
      const begin = (query: Readonly<Record<string, string>>) =>
        auth.send('GET', '/authorize', { query: { provider, ...query } });
      const { code_challenge } = challenge;
      for (const query of [
        { code_challenge },
        { ...challenge, code_challenge: 'short' },
        { ...challenge, code_challenge_method: 'md5' },
      ])
        assertError(await begin(query), 400, 'validation_failed');
      assertError(await begin({ ...challenge, invite_token: 'unknown' }), 404, 'user_not_found');
    },
  ),
  audit(
    'AUTH-712',
    'POST /sso takes a domain or the id of a provider, and not both',
    { source: 'protocol/auth.md#single-sign-on', since: '1.0.0' },
    async ({ auth }) => {
      const send = (body: object) =>
        auth.send('POST', '/sso', { body: { skip_http_redirect: true, ...body } });
      const domain = 'unknown.example.net';
      if (at((await send({ domain })).json, 'code') === 'saml_provider_disabled')
        throw new NotRunError('SAML is disabled');
      assertError(await send({}), 400, 'validation_failed');
      assertError(await send({ domain, provider_id: unknownId }), 400, 'validation_failed');
      assertError(await send({ provider_id: unknownId }), 404, 'sso_provider_not_found');
    },
  ),
  audit(
    'AUTH-723',
    'an identity id that is no UUID is refused with 404 as validation_failed',
    { source: 'protocol/auth.md#identities', since: '1.0.0' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const response = await context.auth.send('DELETE', '/user/identities/no-uuid', { token });
      if (at(response.json, 'code') === 'manual_linking_disabled')
        throw new NotRunError('manual linking is disabled');
      assertError(response, 404, 'validation_failed');
    },
  ),
];
