import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod/mini';
import type * as Vendor from '@supabase/postgrest-js';
import { createClient } from '@supabase/supabase-js';
import { WebSocket } from 'ws';
import type * as Clients from '../../src/clients/supabase-clients.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import type * as Rest from '../../src/rest-client/index.ts';
import type * as RestTable from '../../src/rest-client/table.ts';
import { bundle } from './bundle.ts';
import { reportMetric } from './report.ts';
import { alternate, cpuMicroseconds, median } from './rounds.ts';

/** The work of the REST client compared with postgrest-js, in one run: `npm run bench rest`. Both are built as they ship. */
const oursFile = await bundle(
  'rest',
  `export { createRestClient } from './src/rest-client/index.ts'; export { createPlatform } from './src/platform/browser-platform.ts';`,
);
const tableFile = await bundle(
  'rest-table',
  `export * from './src/rest-client/index.ts'; export * from './src/rest-client/table.ts';`,
);
const vendorFile = await bundle('vendor-rest', `export { PostgrestClient } from '@supabase/postgrest-js';`);
const { createRestClient } = (await import(oursFile)) as typeof Rest;
const { table, createRestClient: createTableClient } = (await import(tableFile)) as typeof Rest &
  typeof RestTable;
const { PostgrestClient } = (await import(vendorFile)) as typeof Vendor;

const clientsFile = await bundle(
  'clients',
  `export { createSupabaseClients } from './src/clients/supabase-clients.ts';`,
);
const { createSupabaseClients } = (await import(clientsFile)) as typeof Clients;

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    recipient_id: 'ada00000-0000-4000-8000-000000000001',
    status: index % 2 ? 'read' : 'unread',
    content: '{"type":"mention","metadata":{}}',
    created_at: '2026-01-01T00:00:00.000Z',
    n: index,
  }));
const headers = { 'Content-Type': 'application/json', 'Content-Range': '0-0/*' };
const fetchOf = (count: number) => {
  const body = JSON.stringify(rowsOf(count));
  return async () => new Response(body, { headers });
};
const url = 'https://project.test';
const vendorUrl = `${url}/rest/v1`;
const vendorHeaders = { apikey: 'sb_publishable_x', Authorization: 'Bearer token' };
const optionsOf = (count: number) => ({
  url,
  apiKey: 'sb_publishable_x',
  platform: createPlatform({ fetch: fetchOf(count) }),
  getAccessToken: async () => 'token',
});
const columns = {
  id: z.string(),
  recipient_id: z.string(),
  status: z.enum(['unread', 'read', 'archived']),
  content: z.nullable(z.string()),
  created_at: z.string(),
  n: z.number(),
};

/**
 * A server with one response, in a separate process, so that its work is not measured. The headers are those of
 * PostgREST 14, which sends its body in chunks, without those of a gateway.
 */
const server = spawn(
  process.execPath,
  [
    '--input-type=module',
    '-e',
    `import { createServer } from 'node:http';
     const body = ${JSON.stringify(JSON.stringify(rowsOf(1)))};
     const server = createServer((request, response) => {
       response.setHeader('Server', 'postgrest/14.17');
       response.setHeader('Content-Range', '0-0/*');
       response.setHeader('Content-Location', request.url.replace('/rest/v1', ''));
       response.setHeader('Content-Type', 'application/json; charset=utf-8');
       response.write(body);
       response.end();
     });
     server.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [port] = (await once(server.stdout, 'data')) as [Buffer];
const serverUrl = `http://127.0.0.1:${Number(port)}`;

type Task = () => unknown;

const few = createRestClient(optionsOf(1));
const many = createRestClient(optionsOf(1000));
const validating = createTableClient(optionsOf(1000));
const defined = table('notifications', { columns });
const vendorFew = new PostgrestClient(vendorUrl, { fetch: fetchOf(1), headers: vendorHeaders });
const vendorMany = new PostgrestClient(vendorUrl, { fetch: fetchOf(1000), headers: vendorHeaders });
const overHttp = createRestClient({
  ...optionsOf(1),
  url: serverUrl,
  platform: createPlatform(),
});
const vendorOverHttp = new PostgrestClient(`${serverUrl}/rest/v1`, { headers: vendorHeaders });
/** Aborts after a deadline, as this client always does and the vendor's only on request. */
const timeout = 10_000;
const vendorWithDeadline = new PostgrestClient(vendorUrl, {
  fetch: fetchOf(1),
  headers: vendorHeaders,
  timeout,
});
const vendorOverHttpWithDeadline = new PostgrestClient(`${serverUrl}/rest/v1`, {
  headers: vendorHeaders,
  timeout,
});

/** All clients, signed in: what an application uses. `to` handles the requests of the database. */
async function openClients(projectUrl: string, to: typeof fetch) {
  const user = { id: 'ada', app_metadata: {}, user_metadata: {}, identities: [] };
  const session = { access_token: 'h.p.s', refresh_token: 'r', expires_in: 3600, token_type: 'bearer', user };
  const respond: typeof fetch = async (input, init) =>
    (input instanceof Request ? input.url : input.toString()).includes('/auth/v1/')
      ? Response.json(session)
      : to(input, init);
  const { auth, rest } = createSupabaseClients({
    url: projectUrl,
    apiKey: 'sb_publishable_x',
    platform: createPlatform({ fetch: respond }),
  });
  const peer = createClient(projectUrl, 'sb_publishable_x', {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: respond },
    // Node 20 has no WebSocket.
    realtime: { transport: WebSocket as unknown as typeof globalThis.WebSocket },
  });
  const credentials = { email: 'ada@example.com', password: 'p' };
  await auth.signInWithPassword(credentials);
  await peer.auth.signInWithPassword(credentials);
  return { ours: rest, peer, close: () => auth.close() };
}
const applications = [
  await openClients(url, fetchOf(1)),
  await openClients(serverUrl, (input, init) => fetch(input, init)),
] as const;
const [stubbedApplication, application] = applications;
let serial = 0;

/** A client of either side, as far as a select needs it. */
interface Selects {
  from(table: string): {
    select(columns: string): {
      eq(
        column: string,
        value: string,
      ): { order(column: string): { limit(rows: number): PromiseLike<unknown> } };
    };
  };
}
const select = (client: unknown) => async () =>
  (client as Selects).from('notifications').select('id, status').eq('status', 'unread').order('id').limit(5);

/** Microseconds of CPU by case: the vendor's first, then ours. */
const cases: Readonly<
  Record<
    string,
    { readonly times: number; readonly goal: number | null; readonly vendor: Task; readonly ours: Task }
  >
> = {
  'CPU of a select, stubbed fetch, all clients': {
    times: 1000,
    goal: 1,
    vendor: select(stubbedApplication.peer),
    ours: select(stubbedApplication.ours),
  },
  'CPU of a select, stubbed fetch': {
    times: 1000,
    goal: 1,
    vendor: select(vendorFew),
    ours: select(few),
  },
  'CPU of a select, stubbed fetch, both with a deadline': {
    times: 1000,
    goal: 1,
    vendor: select(vendorWithDeadline),
    ours: select(few),
  },
  'CPU of a select over HTTP, all clients': {
    times: 100,
    goal: 1,
    vendor: select(application.peer),
    ours: select(application.ours),
  },
  'CPU of a select over HTTP': {
    times: 100,
    goal: 1,
    vendor: select(vendorOverHttp),
    ours: select(overHttp),
  },
  'CPU of a select over HTTP, both with a deadline': {
    times: 100,
    goal: 1,
    vendor: select(vendorOverHttpWithDeadline),
    ours: select(overHttp),
  },
  'building a query': {
    times: 2000,
    goal: 1.2,
    vendor: () => {
      const query = vendorFew
        .from('notifications')
        .select('id, status')
        .eq('recipient_id', `u${(serial += 1)}`)
        .neq('status', 'archived')
        .order('created_at', { ascending: false })
        .limit(50);
      return String((query as unknown as { readonly url: URL }).url);
    },
    ours: () =>
      few
        .from('notifications')
        .select('id, status')
        .eq('recipient_id', `u${(serial += 1)}`)
        .neq('status', 'archived')
        .order('created_at', { ascending: false })
        .limit(50)
        .toRequest().url,
  },
  'reading 1,000 rows': {
    times: 40,
    goal: 1,
    vendor: async () => vendorMany.from('notifications').select(),
    ours: async () => many.from('notifications').select(),
  },
  'reading 1,000 rows, all validated (zod/mini)': {
    times: 40,
    goal: null,
    vendor: async () => vendorMany.from('notifications').select(),
    ours: async () => validating.from(defined).select(),
  },
};

function report(name: string, ours: number, peer: number, unit: string, goal: number | null): void {
  reportMetric({ name: `REST: ${name}`, ours, peer, unit, goal });
}

/** The number that a script prints in a separate process. */
function numberFrom(script: string): number {
  const flags = ['--expose-gc', '--input-type=module', '-e', script];
  return Number(spawnSync(process.execPath, flags, { encoding: 'utf8' }).stdout);
}

const heapScript = (file: string, make: string) =>
  `const { createRestClient, createPlatform, PostgrestClient } = await import('${file}');
  const platform = createPlatform?.();
  const clients = Array.from({ length: 200 }, () => ${make});
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 2000; count += 1) clients.push(${make});
  gc();
  console.log((process.memoryUsage().heapUsed - before) / 2000);`;

for (const [name, { times, goal, vendor, ours }] of Object.entries(cases)) {
  const measured = await alternate(20, (side) => cpuMicroseconds(side === 'ours' ? ours : vendor, times));
  report(name, median(measured.ours), median(measured.peer), 'µs', goal);
}

report(
  'heap per client',
  numberFrom(heapScript(oursFile, `createRestClient({ url: '${url}', apiKey: 'k', platform })`)),
  numberFrom(heapScript(vendorFile, `new PostgrestClient('${vendorUrl}', { headers: { apikey: 'k' } })`)),
  'bytes',
  1,
);
for (const { close } of applications) close();
server.kill();
process.exit(0);
