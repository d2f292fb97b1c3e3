import { afterAll, beforeAll, expect, it } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { useConsumer } from '../support/consumer.ts';
import { installRuntimes } from '../support/runtimes.ts';
import { startWorkerd, type Workerd } from '../support/workerd.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('hono', ['hono', '@types/node'], 'examples/servers');
let workerd: Workerd | undefined;
beforeAll(installRuntimes);
beforeAll(async () => {
  const { folder, compile } = consumer();
  await compile(['hono.ts', 'routes.ts']);
  const worker = `import { createHonoServer } from './hono.ts';
    export default { fetch: (request, { url, apiKey }) => createHonoServer({ url, apiKey })(request) };`;
  const { url, publishableKey } = supabase();
  workerd = await startWorkerd(folder, worker, { url, apiKey: publishableKey });
});
afterAll(() => workerd?.stop());

const send = (path: string, headers: Record<string, string> = {}, body?: object) =>
  fetch(`${workerd?.origin}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

it('signs in, responds as the user of its cookies, and signs out in Hono on workerd', async () => {
  expect((await send('/me')).status).toBe(401);
  expect((await send('/api/me')).status).toBe(401);
  const signedIn = await send('/login', {}, { email: ada.email, password: seedPassword });
  expect(await signedIn.json()).toEqual({ email: ada.email });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  expect(await (await send('/me', { cookie })).json()).toEqual({ email: ada.email, hasCount: true });
  expect(await (await send('/api/me', { cookie })).json()).toEqual({ user: ada.id, hasCount: true });
  const signedOut = await send('/logout', { cookie }, {});
  expect(await signedOut.json()).toEqual({ revoked: true });
  expect(signedOut.headers.getSetCookie().join()).toMatch(/Max-Age=0/i);
});
