import { beforeAll, describe, expect, it } from 'vitest';

import { type AuthResponse, type AuthWorld, openAuthWorld } from './auth-world.ts';

const path = '/admin/oauth/clients';
const redirectUri = 'https://tool.example/callback';

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

let world: AuthWorld;
const asAdmin = async (method: string, to: string, body?: unknown): Promise<AuthResponse> =>
  world.ask(method, to, body, { token: world.keys.serviceRoleKey });

beforeAll(async () => {
  world = await openAuthWorld();
});

describe('administrators', () => {
  it('receive an empty object when there are no applications', async () => {
    await world.database.query('delete from auth.oauth_clients');
    expect((await asAdmin('GET', path)).body).toEqual({});
  });

  it('add, list, change and delete applications, and renew their secrets', async () => {
    const wanted = {
      redirect_uris: [redirectUri, 'myapp://done'],
      client_name: 'Mine',
      client_uri: '/about',
    };
    const { status, body } = await asAdmin('POST', path, wanted);
    const { client_id: id, client_secret: secret } = body as unknown as Client;
    expect([status, body]).toEqual([
      201,
      {
        ...wanted,
        client_id: id,
        client_secret: expect.stringMatching(/^[\w-]{43}$/) as string,
        client_type: 'confidential',
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        registration_type: 'manual',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    const one = `${path}/${id}`;
    expect((await asAdmin('GET', one)).body).not.toHaveProperty('client_secret');
    expect((await asAdmin('GET', path)).body).toMatchObject({
      clients: expect.arrayContaining([expect.objectContaining({ client_id: id })]) as unknown,
    });
    const changes = {
      client_name: '',
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'client_secret_post',
    };
    const { body: changed } = await asAdmin('PUT', one, changes);
    expect(changed).toMatchObject({
      grant_types: ['authorization_code'],
      redirect_uris: wanted.redirect_uris,
    });
    expect(changed).not.toHaveProperty('client_name');
    const renewed = (await asAdmin('POST', `${one}/regenerate_secret`)).body as unknown as Client;
    expect(renewed.client_secret).not.toBe(secret);
    const post = async (clientSecret: string) =>
      world.post('/oauth/token', { client_id: id, client_secret: clientSecret, grant_type: 'refresh_token' });
    expect((await post(secret)).body.code).toBe('invalid_credentials');
    expect((await post(renewed.client_secret)).body).toMatchObject({ error: 'unsupported_grant_type' });
    expect((await asAdmin('DELETE', one)).status).toBe(204);
    expect((await asAdmin('GET', one)).body.code).toBe('oauth_client_not_found');
    expect((await post(renewed.client_secret)).body.message).toBe('Invalid client credentials');
  });

  it.each([
    [{ redirect_uris: [] }, 'redirect_uris is required'],
    [{ redirect_uris: ['/callback'] }, "invalid redirect_uri '/callback': must have scheme and host"],
    [
      { redirect_uris: ['http://tool.example'] },
      "invalid redirect_uri 'http://tool.example': HTTP scheme only allowed for localhost",
    ],
    [
      { redirect_uris: ['javascript://x'] },
      "invalid redirect_uri 'javascript://x': scheme 'javascript' is not allowed for security reasons",
    ],
    [
      { redirect_uris: ['https://tool.example/#x'] },
      "invalid redirect_uri 'https://tool.example/#x': fragment not allowed in redirect URI",
    ],
    [{ redirect_uris: ['https://a/%zz'] }, "invalid redirect_uri 'https://a/%zz': invalid URL format"],
    [{ redirect_uris: Array<string>(11).fill(redirectUri) }, 'redirect_uris cannot exceed 10 items'],
    [
      { grant_types: ['password'] },
      "grant_types must only contain 'authorization_code' and/or 'refresh_token'",
    ],
    [{ client_name: 'x'.repeat(1025) }, 'client_name cannot exceed 1024 characters'],
    [{ logo_uri: 'logo' }, 'logo_uri must be a valid URL'],
    [{ client_type: 'secret' }, "client_type must be 'public' or 'confidential'"],
    [
      { token_endpoint_auth_method: 'key' },
      'token_endpoint_auth_method must be one of: [none client_secret_basic client_secret_post]',
    ],
    [
      { client_type: 'public', token_endpoint_auth_method: 'client_secret_post' },
      "client_type 'public' is inconsistent with token_endpoint_auth_method 'client_secret_post' (expected client_type 'confidential')",
    ],
  ])('cannot add an application with %j', async (wrong, message) => {
    const { status, body } = await asAdmin('POST', path, { redirect_uris: [redirectUri], ...wrong });
    expect({ status, ...body }).toEqual({
      status: 400,
      code: 'validation_failed',
      message: `400: ${message}`,
    });
  });

  it('cannot change an application to values that its type forbids', async () => {
    const publicClient = { redirect_uris: [redirectUri], client_type: 'public' };
    const { client_id: id } = (await asAdmin('POST', path, publicClient)).body as unknown as Client;
    const messageOf = async (response: Promise<AuthResponse>) => (await response).body.message;
    const put = async (body: unknown) => messageOf(asAdmin('PUT', `${path}/${id}`, body));
    expect(await put({})).toBe('No fields provided for update');
    expect(await put({ redirect_uris: [] })).toBe('redirect_uris cannot be empty');
    expect(await put({ token_endpoint_auth_method: 'client_secret_basic' })).toBe(
      "token_endpoint_auth_method 'client_secret_basic' is not valid for client_type 'public'; valid methods: [none]",
    );
    expect(await put('{')).toBe('Invalid JSON body');
    expect(await messageOf(asAdmin('POST', `${path}/${id}/regenerate_secret`))).toBe(
      'Cannot regenerate secret for public client',
    );
    expect(await messageOf(asAdmin('GET', `${path}/x`))).toBe('invalid client_id format');
    const { access_token: token } = await world.signedUp();
    expect((await world.get(path, { token })).body.code).toBe('not_admin');
  });
});
