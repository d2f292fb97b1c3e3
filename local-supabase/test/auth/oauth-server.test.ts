import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import { password, readClaims } from './auth-world.ts';
import {
  bodyOf,
  openOAuthApplication,
  redirectUri,
  targetOf,
  verifier,
  type OAuthApplication,
} from './oauth-application.ts';

let app: OAuthApplication;
beforeAll(async () => {
  app = await openOAuthApplication();
});

describe('an application that signs users in', () => {
  it('asks on the page of the site, and gets tokens that are refreshed and revoked', async () => {
    const begun = await app.authorize({ nonce: 'a nonce' });
    expect([begun.status, begun.location.origin + begun.location.pathname]).toEqual([
      302,
      'http://localhost:5173/oauth/consent',
    ]);
    const id = begun.location.searchParams.get('authorization_id') ?? '';
    expect(bodyOf(await app.read(id))).toMatchObject({
      authorization_id: id,
      redirect_uri: redirectUri,
      client: { id: app.client.client_id, name: 'Tool' },
      user: { id: app.userId },
      scope: 'openid email profile',
    });
    const target = targetOf(await app.decide(id, 'approve'));
    expect(target.search).toContain('&state=a+state~%2A');
    expect(target.searchParams.get('state')).toBe('a state~*');
    const code = target.searchParams.get('code') ?? '';
    const issued = await app.exchangeCode(code);
    expect(Object.keys(issued.body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'token_type',
    ]);
    expect(readClaims(issued.body.access_token)).toMatchObject({
      sub: app.userId,
      client_id: app.client.client_id,
      scope: 'openid email profile',
      amr: [{ method: 'oauth_provider/authorization_code' }],
    });
    const { email } = readClaims(issued.body.access_token);
    expect(readClaims(issued.body.id_token)).toMatchObject({
      iss: 'http://project.test/auth/v1',
      aud: app.client.client_id,
      sub: app.userId,
      nonce: 'a nonce',
      email,
      email_verified: true,
      phone_number_verified: false,
      name: email,
    });
    expect((await app.exchangeCode(code)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid authorization code',
    });
    const { body: refreshed } = await app.exchange({
      grant_type: 'refresh_token',
      refresh_token: issued.body.refresh_token,
    });
    expect(refreshed).not.toHaveProperty('user');
    const { body: info } = await app.world.get('/oauth/userinfo', { token: refreshed.access_token });
    expect(info).toMatchObject({ sub: app.userId, email, email_verified: true, name: email });
    const grants = await app.world.get('/user/oauth/grants', { token: app.token });
    expect(grants.body).toMatchObject([
      { client: { id: app.client.client_id, name: 'Tool' }, scopes: ['openid', 'email', 'profile'] },
    ]);
    const grant = `/user/oauth/grants?client_id=${app.client.client_id}`;
    expect((await app.world.ask('DELETE', grant, undefined, { token: app.token })).status).toBe(204);
    expect((await app.world.ask('DELETE', grant, undefined, { token: app.token })).body.code).toBe(
      'oauth_consent_not_found',
    );
    expect((await app.world.get('/oauth/userinfo', { token: refreshed.access_token })).body.code).toBe(
      'session_not_found',
    );
    expect((await app.world.get('/user/oauth/grants', { token: app.token })).body).toEqual([]);
  });

  it('skips the consent page while an earlier consent covers the scopes', async () => {
    await app.obtainCode();
    expect((await app.read(await app.begin({ scope: 'email' }))).body).toHaveProperty('redirect_url');
    expect((await app.read(await app.begin({ scope: 'email phone' }))).body).not.toHaveProperty(
      'redirect_url',
    );
  });

  it('gets no ID token without the scope openid, and only the claims that its scopes allow', async () => {
    const { body } = await app.exchangeCode(await app.obtainCode({ scope: 'phone' }));
    expect(body).not.toHaveProperty('id_token');
    expect((await app.world.get('/oauth/userinfo', { token: body.access_token })).body).toEqual({
      sub: app.userId,
    });
  });

  it('can use a plain challenge, and is public without a secret', async () => {
    const tool = await app.registerPublic();
    expect(tool).not.toHaveProperty('client_secret');
    const params = { client_id: tool.client_id, code_challenge: verifier, code_challenge_method: 'plain' };
    const grant = {
      grant_type: 'authorization_code',
      code: await app.obtainCode(params),
      code_verifier: verifier,
    };
    const { status } = await app.world.post('/oauth/token', { ...grant, client_id: tool.client_id });
    expect(status).toBe(200);
  });

  it('receives an error when the user denies the request', async () => {
    const id = await app.begin({ scope: 'email phone' });
    await app.read(id);
    expect(Object.fromEntries(targetOf(await app.decide(id, 'deny')).searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'User denied the request',
      state: 'a state~*',
    });
    expect((await app.decide(id, 'approve')).body.message).toBe('authorization request is no longer pending');
  });
});

describe('as in GoTrue', () => {
  it("a token and an ID token of an application can change the account like the user's own", async () => {
    const { body } = await app.exchangeCode(await app.obtainCode());
    const change = (bearer: string) =>
      app.world.ask('PUT', '/user', { data: { name: 'Eve' } }, { token: bearer });
    expect((await change(body.access_token)).status).toBe(200);
    expect((await change(body.id_token)).status).toBe(200);
    const factor = { factor_type: 'totp', friendly_name: crypto.randomUUID() };
    expect((await app.world.post('/factors', factor, { token: body.access_token })).status).toBe(200);
  });

  it('a code can be exchanged after its user has signed out everywhere and revoked the grant', async () => {
    const user = await app.world.signedUp();
    const id = await app.begin();
    await app.read(id, user.access_token);
    const target = targetOf(await app.decide(id, 'approve', user.access_token));
    const path = `/user/oauth/grants?client_id=${app.client.client_id}`;
    expect((await app.world.ask('DELETE', path, undefined, { token: user.access_token })).status).toBe(204);
    expect((await app.world.post('/logout', {}, { token: user.access_token })).status).toBe(204);
    expect((await app.exchangeCode(target.searchParams.get('code') ?? '')).status).toBe(200);
  });

  it('a token of an application consents for its user to another application', async () => {
    const { access_token: session, user } = await app.world.signedUp();
    const first = await app.begin({ scope: 'email' });
    await app.read(first, session);
    const code = targetOf(await app.decide(first, 'approve', session)).searchParams.get('code') ?? '';
    const { access_token: token } = (await app.exchangeCode(code)).body;
    const other = await app.register({ client_name: 'Other' });
    const id = await app.begin({ client_id: other.client_id, scope: 'openid email phone profile' });
    await app.read(id, token);
    expect(targetOf(await app.decide(id, 'approve', token)).searchParams.get('code')).toBeTruthy();
    const grants = await app.world.get('/user/oauth/grants', { token: session });
    expect(grants.body).toContainEqual(
      expect.objectContaining({ client: expect.objectContaining({ id: other.client_id }) as object }),
    );
    expect(readClaims(token)).toMatchObject({ sub: user.id });
  });

  it('a session that has not used the second factor of its account signs in to an application', async () => {
    const { access_token: first, user } = await app.world.signedUp();
    const { body: factor } = await app.world.post('/factors', { factor_type: 'totp' }, { token: first });
    const challenge = await app.world.post(`/factors/${factor.id}/challenge`, {}, { token: first });
    const totp = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) });
    const proof = { challenge_id: challenge.body.id, code: totp.generate({ timestamp: app.world.nowMs() }) };
    expect((await app.world.post(`/factors/${factor.id}/verify`, proof, { token: first })).status).toBe(200);
    const low = await app.world.post('/token?grant_type=password', { email: user.email, password });
    const id = await app.begin();
    await app.read(id, low.body.access_token);
    const target = targetOf(await app.decide(id, 'approve', low.body.access_token));
    const { body } = await app.exchangeCode(target.searchParams.get('code') ?? '');
    expect(readClaims(body.access_token)).toMatchObject({ sub: user.id, aal: 'aal1' });
  });

  it('a redirect URI can have any scheme after a comma', async () => {
    const script = 'javascript://%0aalert(1)';
    const { client_id: id } = await app.register({ redirect_uris: [`https://tool.example/,${script}`] });
    expect((await app.authorize({ client_id: id, redirect_uri: script })).status).toBe(302);
  });
});
