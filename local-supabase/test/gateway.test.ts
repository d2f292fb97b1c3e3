import { describe, expect, it } from 'vitest';
import { requestApi, signIn, useLocalSupabase, ada } from '../../test/support/local-supabase.ts';
import { createCorsReplay, readRecordedCors, throughGateway } from './cors/recorded-cors.ts';
import type { CorsResponse } from './cors/recorded-cors.ts';

// The CORS headers were recorded with version 14, which sends no `Vary`.
const supabase = useLocalSupabase({ rest: { version: 14 } });
const table = '/rest/v1/notifications?select=id';
const get = (path: string, headers: Record<string, string> = {}) =>
  supabase().fetch(supabase().url + path, { headers, redirect: 'manual' });

describe('an API key', () => {
  it.each(['/rest/v1/notifications', '/auth/v1/settings', '/realtime/v1/api/broadcast'])(
    'is required for %s',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(401);
      await expect(response.json()).resolves.toEqual({
        message: 'No API key found in request',
        hint: 'No `apikey` request header or url param was found.',
      });
    },
  );

  it('must be the project’s', async () => {
    const response = await get('/auth/v1/settings', { apikey: 'sb_publishable_other' });
    expect(response.status).toBe(401);
    await expect(response.json()).resolves.toMatchObject({ message: 'Invalid API key' });
  });

  it('cannot be a user’s token or any other text', async () => {
    const response = await get('/auth/v1/settings', { apikey: await signIn(supabase(), ada.email) });
    expect(response.status).toBe(401);
  });

  it('is accepted in both forms, and from the query too', async () => {
    const { anonKey, publishableKey } = supabase();
    expect((await get('/auth/v1/settings', { apikey: anonKey })).status).toBe(200);
    expect((await get('/auth/v1/settings', { apikey: publishableKey })).status).toBe(200);
    expect((await get(`/auth/v1/settings?apikey=${publishableKey}`)).status).toBe(200);
  });

  it.each([
    '/auth/v1/.well-known/jwks.json',
    '/auth/v1/verify?token=x&type=signup',
    '/auth/v1/authorize?provider=x',
  ])('is not required for browser navigations: %s', async (path) => {
    expect((await get(path)).status).not.toBe(401);
  });

  it('is by default one of the demonstration keys of the vendor’s local stack', () => {
    const { anonKey, publishableKey, secretKey } = supabase();
    expect(anonKey).toBe(
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0',
    );
    expect([publishableKey, secretKey]).toEqual([
      'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
      'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
    ]);
  });

  it('determines the role of REST: anon for public keys, service_role for secret keys', async () => {
    const { anonKey, publishableKey, serviceRoleKey, secretKey } = supabase();
    const statuses = [anonKey, publishableKey, serviceRoleKey, secretKey].map(
      async (apikey) => (await get(table, { apikey })).status,
    );
    await expect(Promise.all(statuses)).resolves.toEqual([401, 401, 200, 200]);
  });

  it('an API key of the newer form is accepted as a bearer token, although it is not a JWT', async () => {
    const { publishableKey, secretKey } = supabase();
    const asBearer = (key: string) => get(table, { apikey: key, authorization: `Bearer ${key}` });
    expect((await asBearer(publishableKey)).status).toBe(401);
    expect((await asBearer(secretKey)).status).toBe(200);
  });

  it('is refused from a browser when it is secret', async () => {
    const response = await get(table, { apikey: supabase().secretKey, 'user-agent': 'Mozilla/5.0 (X11)' });
    expect(response.status).toBe(401);
    await expect(response.json()).resolves.toEqual({ message: 'Forbidden use of secret API key in browser' });
  });
});

describe('a bearer token for the data service', () => {
  const send = (token: string) => requestApi(supabase(), table, { token });
  const claims = () => ({ sub: ada.id, role: 'authenticated', iat: now(), exp: now() + 60 });
  const now = () => Math.floor(Date.now() / 1000);

  it('is refused with the role "none", which would be the superuser of the session', async () => {
    const token = await supabase().keys.sign({ ...claims(), role: 'none' });
    expect((await send(token)).status).toBe(401);
    expect((await requestApi(supabase(), '/storage/v1/bucket', { token })).status).toBe(400);
  });

  it.each(['postgres', 'supabase_admin'])('has no permissions in storage with the role %s', async (role) => {
    const { database, keys, serviceRoleKey } = supabase();
    const buckets = async (token: string) =>
      (await requestApi(supabase(), '/storage/v1/bucket', { token })).json() as Promise<unknown[]>;
    await database.exec(
      "insert into storage.buckets (id, name) values ('hidden', 'hidden') on conflict do nothing",
    );
    expect(await buckets(serviceRoleKey)).toHaveLength(1);
    expect(await buckets(await keys.sign({ ...claims(), role }))).toEqual([]);
  });

  it.each(['ES256', 'RS256', 'HS256'] as const)('is accepted with %s', async (algorithm) => {
    const response = await send(await supabase().keys.sign(claims(), { algorithm }));
    expect(response.status).toBe(200);
    await expect(response.json()).resolves.toHaveLength(4);
  });

  it('is refused after its expiry, with the error of PostgREST', async () => {
    const response = await send(await supabase().keys.sign({ ...claims(), exp: now() - 31 }));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token", error_description="JWT expired"',
    );
    expect(response.headers.get('proxy-status')).toBe('PostgREST; error=PGRST303');
    await expect(response.json()).resolves.toEqual({
      code: 'PGRST303',
      message: 'JWT expired',
      details: null,
      hint: null,
    });
  });

  it('is accepted for 30 seconds after its expiry, as by PostgREST', async () => {
    expect((await send(await supabase().keys.sign({ ...claims(), exp: now() - 20 }))).status).toBe(200);
  });

  it('is refused before its iat', async () => {
    const response = await send(await supabase().keys.sign({ ...claims(), iat: now() + 120 }));
    await expect(response.json()).resolves.toMatchObject({
      code: 'PGRST303',
      message: 'JWT issued at future',
    });
  });

  it.each([
    ['abc', 'Expected 3 parts in JWT; got 1'],
    ['a.b.c', 'JWT cryptographic operation failed'],
  ])('a bearer token for the data service that is not a JWT is refused: %s', async (token, message) => {
    const response = await send(token);
    expect(response.status).toBe(401);
    await expect(response.json()).resolves.toMatchObject({ code: 'PGRST301', message });
  });

  it('is refused when another key signed it', async () => {
    const [head = '', body = ''] = (await supabase().keys.sign(claims())).split('.');
    const response = await send(`${head}.${body}.${'A'.repeat(86)}`);
    await expect(response.json()).resolves.toMatchObject({
      code: 'PGRST301',
      message: 'No suitable key or wrong key type',
    });
  });

  it('is refused when its claims were changed', async () => {
    const [head = '', , signature = ''] = (await supabase().keys.sign(claims())).split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims(), role: 'service_role' })).toString('base64url');
    expect((await send(`${head}.${forged}.${signature}`)).status).toBe(401);
  });

  it('is refused with the algorithm none', async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect((await send(`${encode({ alg: 'none' })}.${encode(claims())}.`)).status).toBe(401);
  });

  it('a bearer token for the data service of an older key is accepted after a rotation', async () => {
    const token = await supabase().keys.sign(claims());
    await supabase().keys.rotate();
    expect((await send(token)).status).toBe(200);
    const { keys } = (await (await get('/auth/v1/.well-known/jwks.json')).json()) as { keys: object[] };
    expect(keys.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });
});

describe('a page of another origin', () => {
  it('receives the CORS headers of the real services, through the gateway of a project', async () => {
    const { url, fetch, anonKey, serviceRoleKey } = supabase();
    const send = (path: string, init: RequestInit) => fetch(url + path, init);
    const replay = createCorsReplay({ anonKey, serviceRoleKey, send });
    const wanted: Record<string, CorsResponse> = {};
    const received: Record<string, CorsResponse> = {};
    for (const request of readRecordedCors()) {
      const name = `${request.id} ${request.method} ${request.path}`;
      wanted[name] = throughGateway(request);
      received[name] = await replay(request);
    }
    expect(received).toEqual(wanted);
  });

  it('may read the error responses of the gateway, which expose no header', async () => {
    const response = await get(table, { origin: 'https://inbox.example' });
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.has('access-control-expose-headers')).toBe(false);
  });
});

it('an unknown path is not found', async () => {
  const response = await requestApi(supabase(), '/nothing/here');
  expect(response.status).toBe(404);
  await expect(response.json()).resolves.toEqual({ message: 'no Route matched with those values' });
});

describe('JSON nested 6,000 levels deep', () => {
  const nested = '['.repeat(6000) + ']'.repeat(6000);

  it.each(['/auth/v1/signup', '/rest/v1/notifications', '/storage/v1/bucket', '/realtime/v1/api/broadcast'])(
    'is refused by %s with 400',
    async (path) => {
      const { url, fetch, serviceRoleKey: apikey } = supabase();
      const headers = { apikey, 'content-type': 'application/json' };
      const response = await fetch(url + path, { method: 'POST', headers, body: `{"data":${nested}}` });
      expect(response.status).toBe(400);
      await expect(response.json()).resolves.toMatchObject({ code: 'bad_json' });
    },
  );

  it('does not count brackets within strings', async () => {
    const { url, fetch, anonKey: apikey } = supabase();
    const headers = { apikey, 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'signup', token_hash: `"\\${'['.repeat(6000)}` });
    const response = await fetch(`${url}/auth/v1/verify`, { method: 'POST', headers, body });
    expect(response.status).toBe(403);
  });
});
