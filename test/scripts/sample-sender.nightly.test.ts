import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { samplePath, sampleSender } from '../../scripts/notify/sample-sender.ts';
import { ada, grace, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0 });
let vite: ViteDevServer;
let server: Server;
let origin: string;

beforeAll(async () => {
  const { url, serviceRoleKey } = supabase();
  vite = await createServer({
    configFile: false,
    logLevel: 'silent',
    server: { middlewareMode: true, ws: false },
    optimizeDeps: { noDiscovery: true },
    plugins: [sampleSender({ apiUrl: url, serviceRoleKey })],
  });
  server = createHttpServer(vite.middlewares);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await vite.close();
});
beforeEach(() => supabase().database.exec('delete from notifications'));

const send = async (token: string | null, headers: Record<string, string> = { origin }, method = 'POST') => {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(origin + samplePath, { method, headers: { ...headers, ...authorization } })).status;
};
const received = () =>
  supabase().database.query<{ recipient_id: string; sender_id: string | null; kind: string }>(
    'select recipient_id, sender_id, kind from notifications order by created_at',
  );

test('sends the user of the token one kind after the other, from the other seeded account', async () => {
  const token = await signIn(supabase(), ada.email);
  for (let count = 0; count < 4; count += 1) expect(await send(token)).toBe(204);
  const from = (sender: string | null, kind: string) => ({ recipient_id: ada.id, sender_id: sender, kind });
  expect(await received()).toEqual([
    from(grace.id, 'mention'),
    from(grace.id, 'comment'),
    from(grace.id, 'edit'),
    from(null, 'system'),
  ]);
  expect(await send(await signIn(supabase(), grace.email))).toBe(204);
  expect((await received()).at(-1)).toEqual({ recipient_id: grace.id, sender_id: ada.id, kind: 'mention' });
});

test('refuses other origins, other methods and requests without a valid token', async () => {
  const token = await signIn(supabase(), ada.email);
  expect(await send(token, { origin: 'http://localhost:9' })).toBe(403);
  expect(await send(token, { 'sec-fetch-site': 'cross-site', origin })).toBe(403);
  expect(await send(token, {})).toBe(403);
  expect(await send(token, { origin }, 'GET')).toBe(405);
  expect(await send(null)).toBe(401);
  expect(await send('not-a-token')).toBe(401);
  expect(await received()).toEqual([]);
});
