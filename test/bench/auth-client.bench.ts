import { AuthClient as VendorClient } from '@supabase/auth-js';
import type * as Auth from '../../src/auth-client/index.ts';
import type * as BrowserPlatform from '../../src/platform/browser-platform.ts';
import { bundle } from './bundle.ts';
import { reportMetric } from './report.ts';

/** Time of a session read and of 1,000 callers at once, beside the vendor's, in one run: `npm run bench auth`. */
const { createAuthClient, createMemoryStore, createBrowserPlatform } = (await import(
  await bundle(
    'auth',
    `export * from './src/auth-client/index.ts'; export * from './src/platform/browser-platform.ts';`,
  )
)) as typeof Auth & typeof BrowserPlatform;
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

/** CPU, because the time on the clock is that of the machine's other work too. */
async function microsecondsOf(task: () => Promise<unknown>, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let run = 0; run < times; run += 1) await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
async function compare(
  name: string,
  mine: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  times: number,
  goal: number | null,
) {
  const measured = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < 25; round += 1) {
    measured.ours.push(await microsecondsOf(mine, times));
    measured.peer.push(await microsecondsOf(theirs, times));
  }
  // The first rounds warm up.
  const [ours, peer] = [median(measured.ours.slice(5)), median(measured.peer.slice(5))];
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
