import { AuthClient as VendorClient } from '@supabase/auth-js';
import { createClient } from '@supabase/supabase-js';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { WebSocket } from 'ws';
import type * as Claims from '../../src/auth-client/features/claims.ts';
import type * as Auth from '../../src/auth-client/index.ts';
import type * as Server from '../../src/clients/server.ts';
import type * as BrowserPlatform from '../../src/platform/browser-platform.ts';
import { bundle } from './bundle.ts';
import { reportMetric } from './report.ts';
import { alternate, cpuMicroseconds, median } from './rounds.ts';

/**
 * CPU time of a session read, alone and by 1,000 callers at once, and of the verification of a token whose key is known, compared with the vendor's: `npm run bench auth-client`.
 */
const { createAuthClient, createMemoryStore, createPlatform, createClaims, verifyRequest } = (await import(
  await bundle(
    'auth',
    `export * from './src/auth-client/index.ts'; export * from './src/platform/browser-platform.ts';
       export * from './src/auth-client/features/claims.ts'; export * from './src/clients/server.ts';`,
  )
)) as typeof Auth & typeof BrowserPlatform & typeof Claims & typeof Server;
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }];
const accessToken = await new SignJWT({ sub: 'ada', role: 'authenticated' })
  .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'JWT' })
  .setIssuer('http://project.test/auth/v1')
  .setAudience('authenticated')
  .setExpirationTime('1h')
  .sign(privateKey);
const user = { id: 'ada', app_metadata: {}, user_metadata: {}, identities: [] };
let serial = 0;
let refreshes = 0;
const fetch = async (input: RequestInfo | URL) => {
  const address = input instanceof Request ? input.url : String(input);
  if (address.endsWith('jwks.json')) return Response.json({ keys });
  if (address.includes('refresh_token')) refreshes += 1;
  serial += 1;
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  const tokens = { access_token: `h.${serial}.s`, refresh_token: `r${serial}`, expires_in: 3600, expires_at };
  return Response.json({ ...tokens, token_type: 'bearer', user });
};

const values = new Map<string, string>();
const vendor = new VendorClient({
  url: 'http://project.test/auth/v1',
  fetch,
  autoRefreshToken: false,
  persistSession: true,
  storage: {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  },
});
const ours = createAuthClient({
  url: 'http://project.test',
  apiKey: 'k',
  platform: createPlatform({ fetch }),
  store: createMemoryStore(),
});
await vendor.signInWithPassword({ email: 'ada@example.com', password: 'p' });
await ours.signInWithPassword({ email: 'ada@example.com', password: 'p' });

async function compare(
  name: string,
  mine: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  times: number,
  goal: number | null,
) {
  const sides = { ours: mine, peer: theirs };
  const { ours, peer } = await alternate(30, (side) => cpuMicroseconds(sides[side], times));
  reportMetric({ name: `auth: ${name}`, ours: median(ours), peer: median(peer), unit: 'µs', goal });
}
/** Several at once, as in a server, because Web Crypto works in other threads. */
const atOnce = 20;
const together = (verify: () => Promise<void>) => () => Promise.all(Array.from({ length: atOnce }, verify));
const thousand = (read: () => Promise<unknown>) => () => Promise.all(Array.from({ length: 1_000 }, read));
await compare(
  'session read',
  () => ours.getSession(),
  () => vendor.getSession(),
  2_000,
  0.5,
);
await compare(
  'session read by 1,000 callers at once',
  thousand(() => ours.getSession()),
  thousand(() => vendor.getSession()),
  20,
  null,
);
const claims = createClaims(ours);
await compare(
  `verification of ${atOnce} tokens at once`,
  together(async () => {
    if ((await claims.getClaims({ accessToken }))?.sub !== 'ada') throw new Error('ours: not verified');
  }),
  together(async () => {
    if ((await vendor.getClaims(accessToken)).data?.claims.sub !== 'ada')
      throw new Error('peer: not verified');
  }),
  5,
  1,
);
const request = new Request('http://app.test', { headers: { authorization: `Bearer ${accessToken}` } });
const project = { url: 'http://project.test', apiKey: 'k', platform: createPlatform({ fetch }) };
await compare(
  `senders of ${atOnce} requests at once, verified, with their clients`,
  together(async () => {
    const { claims: verified } = await verifyRequest(request, { ...project, allow: 'user' });
    if (verified?.sub !== 'ada') throw new Error('ours: not verified');
  }),
  together(async () => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
    const client = createClient('http://project.test', 'k', {
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
      // Node 20 has no WebSocket.
      realtime: { transport: WebSocket as unknown as typeof globalThis.WebSocket },
      global: { fetch, headers: { Authorization: `Bearer ${token}` } },
    });
    if ((await client.auth.getClaims(token)).data?.claims.sub !== 'ada')
      throw new Error('peer: not verified');
  }),
  5,
  1,
);

refreshes = 0;
const rejectedToken = (await ours.getAccessToken()) ?? '';
await thousand(() => ours.getAccessToken({ rejectedToken }))();
console.log(`1,000 callers with a refused token: ${refreshes} refresh`);
ours.close();
