import { AuthClient as VendorClient } from '@supabase/auth-js';
import { createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import { reportMetric } from './report.ts';

/** Time of a session read and of 1,000 callers at once, beside the vendor's, in one run: `npm run bench auth`. */
const user = { id: 'ada', app_metadata: {}, user_metadata: {}, identities: [] };
let serial = 0;
let refreshes = 0;
const fetch = async (input: RequestInfo | URL) => {
  if (String(input instanceof Request ? input.url : input).includes('refresh_token')) refreshes += 1;
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
  platform: createBrowserPlatform({ fetch }),
  store: createMemoryStore(),
});
await vendor.signInWithPassword({ email: 'ada@example.com', password: 'p' });
await ours.signInWithPassword({ email: 'ada@example.com', password: 'p' });

async function microsecondsOf(task: () => Promise<unknown>, times: number): Promise<number> {
  for (let warm = 0; warm < times / 10; warm += 1) await task();
  const start = performance.now();
  for (let run = 0; run < times; run += 1) await task();
  return ((performance.now() - start) * 1000) / times;
}
async function compare(
  name: string,
  mine: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  times: number,
  goal: number | null,
) {
  const [ours, peer] = [await microsecondsOf(mine, times), await microsecondsOf(theirs, times)];
  reportMetric({ name: `auth: ${name}`, ours, peer, unit: 'µs', goal });
}
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

refreshes = 0;
const rejectedToken = (await ours.getAccessToken()) ?? '';
await thousand(() => ours.getAccessToken({ rejectedToken }))();
console.log(`1,000 callers with a refused token: ${refreshes} refresh`);
ours.close();
