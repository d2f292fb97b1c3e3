import { describe, expect, it } from 'vitest';
import { ada, requestApi, signIn, useLocalSupabase } from '../../test/support/local-supabase.ts';

const reported: unknown[] = [];
const supabase = useLocalSupabase({
  functionSettings: { credentials: { verifyJwt: false } },
  report: (problem) => reported.push(problem),
  functions: {
    credentials: (request) => Response.json(request.headers.get('authorization')),
    echo: async (request) => Response.json({ method: request.method, body: await request.text() }),
    broken: () => {
      throw new Error('on purpose');
    },
  },
});
const invoke = async (name: string, token?: string) =>
  requestApi(supabase(), `/functions/v1/${name}`, {
    method: 'POST',
    body: { a: 1 },
    ...(token && { token }),
  });

describe('functions', () => {
  it('receive the request of a signed-in user', async () => {
    const response = await invoke('echo', await signIn(supabase(), ada.email));
    await expect(response.json()).resolves.toEqual({ method: 'POST', body: '{"a":1}' });
  });

  it('refuse requests without a valid token, with the code of the platform', async () => {
    const header = (alg?: string) => Buffer.from(JSON.stringify({ alg })).toString('base64url');
    const refusals = [
      [undefined, 'UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header'],
      [supabase().publishableKey, 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'],
      [`${header()}.e30.x`, 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'],
      [`${header('HS256')}.e30.x`, 'UNAUTHORIZED_LEGACY_JWT', 'Invalid JWT'],
      [`${header('ES256')}.e30.x`, 'UNAUTHORIZED_ASYMMETRIC_JWT', 'Invalid JWT'],
      [
        `${header('none')}.e30.x`,
        'UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM',
        'Unsupported JWT algorithm none',
      ],
    ] as const;
    for (const apiKey of [supabase().anonKey, supabase().publishableKey])
      for (const [token, code, message] of refusals) {
        const request = { method: 'POST', apiKey, ...(token !== undefined && { token }) };
        const refused = await requestApi(supabase(), '/functions/v1/echo', request);
        expect([refused.status, refused.headers.get('sb-error-code'), await refused.json()]).toEqual([
          401,
          code,
          { code, message },
        ]);
      }
  });

  it('receive the Authorization header that was sent, and none for an API key alone', async () => {
    const { publishableKey, secretKey, anonKey } = supabase();
    const received = async (apiKey: string, token?: string) =>
      (await requestApi(supabase(), '/functions/v1/credentials', { apiKey, ...(token && { token }) })).json();
    await expect(received(publishableKey)).resolves.toBeNull();
    await expect(received(secretKey)).resolves.toBeNull();
    await expect(received(publishableKey, publishableKey)).resolves.toBe(`Bearer ${publishableKey}`);
    await expect(received(publishableKey, anonKey)).resolves.toBe(`Bearer ${anonKey}`);
  });

  it('functions that do not exist are not found', async () => {
    const response = await invoke('nothing', supabase().anonKey);
    expect(response.status).toBe(404);
    await expect(response.json()).resolves.toEqual({
      code: 'NOT_FOUND',
      message: 'Requested function was not found',
    });
  });

  it('functions that throw respond with an error of the worker, not of the server', async () => {
    const response = await invoke('broken', supabase().anonKey);
    expect(response.status).toBe(500);
    await expect(response.json()).resolves.toMatchObject({ code: 'WORKER_ERROR' });
    expect(reported).toEqual([new Error('on purpose')]);
  });
});
