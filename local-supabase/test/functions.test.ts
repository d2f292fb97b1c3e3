import { describe, expect, it } from 'vitest';
import { ada, requestApi, signIn, useLocalSupabase } from '../../test/support/local-supabase.ts';

const reported: unknown[] = [];
const supabase = useLocalSupabase({
  report: (problem) => reported.push(problem),
  functions: {
    echo: async (request) => Response.json({ method: request.method, said: await request.text() }),
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
    await expect(response.json()).resolves.toEqual({ method: 'POST', said: '{"a":1}' });
  });

  it('refuse requests without a valid token', async () => {
    await expect((await invoke('echo')).json()).resolves.toMatchObject({
      message: 'Missing authorization header',
    });
    const refused = await invoke('echo', 'none');
    expect(refused.status).toBe(401);
    await expect(refused.json()).resolves.toMatchObject({ message: 'Invalid JWT' });
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
