import { request as sendRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requestApi, useLocalSupabase } from '../../test/support/local-supabase.ts';
import { normalizePath } from '../src/server/request-path.ts';

const supabase = useLocalSupabase({ port: 0 });

/** Sends the path unchanged; fetch would resolve it. */
async function statusOf(method: string, path: string, apiKey?: string): Promise<number | undefined> {
  const { port } = new URL(supabase().url);
  return new Promise((resolve, reject) => {
    sendRequest(
      { host: '127.0.0.1', port, path, method, headers: apiKey ? { apikey: apiKey } : {} },
      (response) => resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
}

describe('the path of a request', () => {
  // Recorded from nginx 1.22.1 with the router and the path functions of Kong 2.8.1, and the routes of the vendor's local stack.
  it.each([
    '/a/../../b',
    '/a/%2e%2e/%2e%2E/b',
    '/a%00b',
    '/a%zz',
    '/a/b/%2',
    '/a%2f..%2f..%2fb',
    '/a/../..',
    '/a\tb',
    '/a b',
  ])('is rejected if it is %j', (path) => {
    expect(normalizePath(path)).toBeNull();
  });

  it.each([
    ['/a/%2e%2E/b', '/b'],
    ['/a/.%2e/b', '/b'],
    ['/a/./b/', '/a/b/'],
    ['/a/b/.', '/a/b/'],
    ['/a/b/..', '/a/'],
    ['/.', '/'],
    ['/a//b', '/a/b'],
    ['//a//..//b', '/b'],
    ['/a%2fb/../../c', '/c'],
    ['/a%2f..%2fb', '/a%2F..%2Fb'],
    ['/a/..\\b', '/a/..%5Cb'],
    ['/a/..%5cb', '/a/..%5Cb'],
    ['/a/..;/b', '/a/..;/b'],
    ['/a/.../b', '/a/.../b'],
    ['/a%09b%0ac', '/a%09b%0Ac'],
    ['/%252e%252e/%25%32%65', '/%252e%252e/%252e'],
    ['/%7e%41%2d%c3%a9', '/~A-%C3%A9'],
    ['/\xe9"^|`', '/%E9%22%5E%7C%60'],
    ["/!$&'()*+,:;=@[]", "/!$&'()*+,:;=@[]"],
  ])('%j is forwarded as %j', (path, forwarded) => {
    expect(normalizePath(path)).toBe(forwarded);
  });

  it.each(['/auth/v1', '/REST/v1/notifications', '/rest/v1%2fnotifications', '/rest/v1/.%2e/settings'])(
    'selects no service if it is %s',
    async (path) => {
      expect(await statusOf('GET', path, supabase().anonKey)).toBe(404);
    },
  );

  it('selects one name of an object however its slashes are repeated', async () => {
    const { secretKey } = supabase();
    const send = (method: string, path: string, body?: object) =>
      requestApi(supabase(), `/storage/v1/${path}`, { method, body, apiKey: secretKey });
    await send('POST', 'bucket', { name: 'slashes' });
    await send('POST', 'object/slashes/a//b.json', { text: 'x' });
    expect((await send('GET', 'object/slashes/a/b.json')).status).toBe(200);
  });

  it('gets 400 from every service if it leaves the root', async () => {
    expect(await statusOf('GET', '/auth/v1/../../../etc/passwd', supabase().serviceRoleKey)).toBe(400);
    expect(await statusOf('GET', '/storage/v1/object/%00', supabase().serviceRoleKey)).toBe(400);
  });

  it('is resolved before it selects the service and the key check', async () => {
    expect(await statusOf('GET', '/storage/v1/../../rest/v1/notifications')).toBe(401);
    expect(await statusOf('GET', '/rest/v1/../../auth/v1//settings', supabase().anonKey)).toBe(200);
  });

  it('finds no user if the id is not a UUID', async () => {
    const { secretKey } = supabase();
    const response = await requestApi(supabase(), '/auth/v1/admin/users/...', { apiKey: secretKey });
    expect(response.status).toBe(404);
    await expect(response.json()).resolves.toMatchObject({ msg: 'user_id must be an UUID' });
  });
});
