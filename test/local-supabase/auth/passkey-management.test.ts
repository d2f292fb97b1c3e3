import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import { openAuthWorld, readClaims, type AnswerBody, type AuthWorld } from './auth-world.ts';
import { createPasskeyUser, register, signInWithPasskey } from './passkey-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

const passkeyNotFound = { status: 404, body: { code: 'validation_failed', message: 'Passkey not found' } };
const insufficientAal = {
  status: 403,
  body: {
    code: 'insufficient_aal',
    message: 'AAL2 session is required to manage passkeys when MFA is enabled',
  },
};

const rename = async (token: string, id: string, body: unknown) =>
  world.ask('PATCH', `/passkeys/${id}`, body, { token });
const remove = async (token: string, id: string) =>
  world.ask('DELETE', `/passkeys/${id}`, undefined, { token });

describe('the passkeys of a user', () => {
  it('are listed oldest first, without those of other users', async () => {
    await createPasskeyUser(world);
    const { token, passkeyId, session } = await createPasskeyUser(world);
    world.advance(1);
    const { passkeyId: second } = await createPasskeyUser(world, {}, session);
    const { status, body } = await world.get('/passkeys', { token });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: passkeyId,
        friendly_name: 'Passkey',
        created_at: new Date(world.nowMs() - 1000).toISOString(),
      },
      { id: second, friendly_name: 'Passkey', created_at: new Date(world.nowMs()).toISOString() },
    ]);
    expect((await world.get('/passkeys/', { token })).body).toEqual(body);
  });

  it('are renamed', async () => {
    const { token, passkeyId } = await createPasskeyUser(world);
    expect(await rename(token, passkeyId, { friendly_name: 'Laptop' })).toMatchObject({
      status: 200,
      body: { id: passkeyId, friendly_name: 'Laptop' },
    });
    expect((await world.get('/passkeys', { token })).body).toMatchObject([{ friendly_name: 'Laptop' }]);
  });

  it('have names of 1 to 120 bytes', async () => {
    const { token, passkeyId } = await createPasskeyUser(world);
    for (const [name, status, message] of [
      ['x'.repeat(120), 200, undefined],
      ['x'.repeat(121), 400, 'friendly_name must be 120 characters or less'],
      ['ä'.repeat(61), 400, 'friendly_name must be 120 characters or less'],
      ['', 400, 'friendly_name is required'],
      [null, 400, 'friendly_name is required'],
    ] as const) {
      const answer = await rename(token, passkeyId, { friendly_name: name });
      expect([answer.status, answer.body.message]).toEqual([status, message]);
    }
    expect((await rename(token, passkeyId, '{')).body.code).toBe('bad_json');
  });

  it('are deleted, and no longer sign in', async () => {
    const { token, passkeyId, authenticator } = await createPasskeyUser(world);
    const removed = await remove(token, passkeyId);
    expect(removed.status).toBe(204);
    expect((await world.get('/passkeys', { token })).body).toEqual([]);
    expect((await signInWithPasskey(world, authenticator)).body.code).toBe('webauthn_verification_failed');
    expect(await remove(token, passkeyId)).toMatchObject(passkeyNotFound);
  });

  it('cannot be changed by another user, without a session, or under another id', async () => {
    const { passkeyId, token: owner } = await createPasskeyUser(world);
    const { access_token: token } = await world.signedUp();
    for (const id of [passkeyId, crypto.randomUUID(), 'x']) {
      expect(await rename(token, id, { friendly_name: 'mine' })).toMatchObject(passkeyNotFound);
      expect(await remove(token, id)).toMatchObject(passkeyNotFound);
    }
    for (const [method, path] of [
      ['GET', '/passkeys'],
      ['PATCH', `/passkeys/${passkeyId}`],
      ['DELETE', `/passkeys/${passkeyId}`],
    ] as const)
      expect(await world.ask(method, path)).toMatchObject({
        status: 401,
        body: { code: 'no_authorization' },
      });
    expect((await world.get('/passkeys', { token: owner })).body).toMatchObject([
      { friendly_name: 'Passkey' },
    ]);
  });
});

describe('for a user with a verified factor', () => {
  /** Raises a session to aal2 by a new TOTP factor. */
  async function raise(session: AnswerBody): Promise<AnswerBody> {
    const token = session.access_token;
    const { body: factor } = await world.post(
      '/factors',
      { factor_type: 'totp', friendly_name: 'a' },
      { token },
    );
    const { body: challenge } = await world.post(`/factors/${factor.id}/challenge`, {}, { token });
    const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate({
      timestamp: world.nowMs(),
    });
    const proof = { challenge_id: challenge.id, code };
    return (await world.post(`/factors/${factor.id}/verify`, proof, { token })).body;
  }

  it('a session by passkey is of aal1 and may list and rename, not register and delete', async () => {
    const { authenticator, passkeyId, session } = await createPasskeyUser(world);
    const raised = await raise(session);
    const { body: low } = await signInWithPasskey(world, authenticator);
    const token = low.access_token;
    expect(readClaims(token)['aal']).toBe('aal1');
    expect((await world.get('/passkeys', { token })).status).toBe(200);
    expect((await rename(token, passkeyId, { friendly_name: 'Laptop' })).status).toBe(200);
    for (const path of ['/passkeys/registration/options', '/passkeys/registration/verify'])
      expect(await world.post(path, {}, { token })).toMatchObject(insufficientAal);
    expect(await remove(token, 'x')).toMatchObject(insufficientAal);
    expect(await remove(raised.access_token, passkeyId)).toMatchObject({ status: 204 });
    expect((await register(world, raised.access_token, authenticator)).status).toBe(200);
  });
});

describe('an administrator', () => {
  it('lists and deletes the passkeys of a user, even where passkeys are disabled', async () => {
    const { session, passkeyId, authenticator } = await createPasskeyUser(world);
    const on = await openAuthWorld({ passkeysEnabled: false });
    const token = on.keys.serviceRoleKey;
    const path = `/admin/users/${session.user.id}/passkeys`;
    expect(await on.get(path, { token })).toMatchObject({ status: 200, body: [{ id: passkeyId }] });
    for (const id of [crypto.randomUUID(), 'x'])
      expect(await on.ask('DELETE', `${path}/${id}`, undefined, { token })).toMatchObject(passkeyNotFound);
    const removed = await on.ask('DELETE', `${path}/${passkeyId}`, undefined, { token });
    expect(removed.status).toBe(204);
    expect((await signInWithPasskey(world, authenticator)).status).toBe(400);
  });

  it('is required by the admin routes, and the user has to exist', async () => {
    const { session, token, passkeyId } = await createPasskeyUser(world);
    const path = `/admin/users/${session.user.id}/passkeys`;
    expect((await world.get(path, { token })).body.code).toBe('not_admin');
    expect((await world.ask('DELETE', `${path}/${passkeyId}`, undefined, { token })).body.code).toBe(
      'not_admin',
    );
    const unknown = `/admin/users/${crypto.randomUUID()}/passkeys`;
    expect((await world.get(unknown, { token: world.keys.serviceRoleKey })).body.code).toBe('user_not_found');
  });
});

describe('passkeys that are disabled', () => {
  it.each([
    ['POST', '/passkeys/authentication/options'],
    ['POST', '/passkeys/authentication/verify'],
    ['POST', '/passkeys/registration/options'],
    ['POST', '/passkeys/registration/verify'],
    ['GET', '/passkeys'],
    ['PATCH', '/passkeys/x'],
    ['DELETE', '/passkeys/x'],
    ['GET', '/passkeys/unknown/route'],
  ])('answer %s %s with 404', async (method, path) => {
    const on = await openAuthWorld({ passkeysEnabled: false });
    expect(await on.ask(method, path)).toMatchObject({
      status: 404,
      body: { code: 'passkey_disabled', message: 'Passkeys are disabled' },
    });
  });

  it('are shown in the settings', async () => {
    const on = await openAuthWorld({ passkeysEnabled: false });
    expect((await on.get('/settings')).body).toMatchObject({ passkeys_enabled: false });
    expect((await world.get('/settings')).body).toMatchObject({ passkeys_enabled: true });
  });
});
