import { PostgrestClient } from '@supabase/postgrest-js';
import { build, type Plugin } from 'esbuild';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import type * as Rest from '../../src/rest-client/index.ts';
import type * as RestTable from '../../src/rest-client/table.ts';

/** `npx tsx test/bench/rest-bench.ts`: the client beside postgrest-js, in one run, and the bytes that it ships. */
const root = join(import.meta.dirname, '../..');

// Built as it ships: what runs TypeScript as it stands names every function anew, which would be timed too.
const outfile = join(root, 'node_modules/.cache/rest-bench/client.mjs');
await build({
  stdin: {
    contents: `export * from './src/rest-client/index.ts'; export * from './src/rest-client/table.ts';`,
    resolveDir: root,
  },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  packages: 'external',
  outfile,
});
const { createRestClient, table } = (await import(pathToFileURL(outfile).href)) as typeof Rest &
  typeof RestTable;

const rows = Array.from({ length: 1000 }, (_, index) => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  recipient_id: 'ada00000-0000-4000-8000-000000000001',
  status: index % 2 ? 'read' : 'unread',
  content: '{"type":"mention","metadata":{}}',
  created_at: '2026-01-01T00:00:00.000Z',
  n: index,
}));
const answer = JSON.stringify(rows);
const fetch = async () => new Response(answer, { headers: { 'Content-Type': 'application/json' } });
const url = 'https://project.test';
const options = { url, apiKey: 'sb_publishable_x', platform: createBrowserPlatform({ fetch }) };
const defined = table('notifications', {
  columns: {
    id: z.string(),
    recipient_id: z.string(),
    status: z.enum(['unread', 'read', 'archived']),
    content: z.nullable(z.string()),
    created_at: z.string(),
    n: z.number(),
  },
});
const ours = createRestClient(options);
const theirs = new PostgrestClient(`${url}/rest/v1`, { fetch });

const cases = {
  'build 1,000 queries with their URLs': {
    ours: async () => {
      for (let n = 0; n < 1000; n += 1) {
        ours
          .from('notifications')
          .select('id, status')
          .eq('recipient_id', `u${n}`)
          .neq('status', 'archived')
          .order('created_at', { ascending: false })
          .limit(50)
          .toRequest();
      }
    },
    'postgrest-js': async () => {
      for (let n = 0; n < 1000; n += 1) {
        const query = theirs
          .from('notifications')
          .select('id, status')
          .eq('recipient_id', `u${n}`)
          .neq('status', 'archived')
          .order('created_at', { ascending: false })
          .limit(50);
        String((query as unknown as { readonly url: URL }).url);
      }
    },
  },
  'fetch and read 1,000 rows': {
    ours: () => ours.from('notifications').select().execute(),
    ...Object.fromEntries(
      (['all', 'first', 'off'] satisfies Rest.Validate[]).map((validate) => {
        const client = createRestClient({ ...options, validate });
        return [`ours, zod/mini validates ${validate}`, () => client.from(defined).select().execute()];
      }),
    ),
    'postgrest-js': async () => theirs.from('notifications').select(),
  },
};

for (const [name, contenders] of Object.entries(cases)) {
  const times = new Map<string, number[]>();
  for (let round = 0; round < 60; round += 1) {
    for (const [contender, run] of Object.entries(contenders)) {
      const started = performance.now();
      await run();
      if (round >= 10) times.set(contender, [...(times.get(contender) ?? []), performance.now() - started]);
    }
  }
  const median = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const theirsMs = median(times.get('postgrest-js') ?? []);
  for (const [contender, values] of times) {
    const ms = median(values);
    console.log(`${name} · ${contender}: ${ms.toFixed(2)} ms (${(ms / theirsMs).toFixed(2)} × postgrest-js)`);
  }
}

/** What is not the client's own: the platform beneath it, and packages. */
const beneath: Plugin = {
  name: 'beneath',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/platform\/|^ky$|^zod/ }, () => ({ path: 'beneath', external: true })),
};

async function gzipBytes(
  names: readonly string[],
  from: string,
  plugins: Plugin[] = [beneath],
): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names.join()} } from '${from}';`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    plugins,
  });
  // Neither the names nor what they come from are part of what an application bundles.
  const code = outputFiles[0]?.text.replaceAll(/export\{[^}]*\};\s*$|import\{[^}]*\}from"beneath";/g, '');
  return gzipSync(code ?? '', { level: 9 }).length;
}

const namesOf = async (entry: string) => Object.keys((await import(`../../src/${entry}`)) as object);
const all = async (entry: string) => gzipBytes(await namesOf(entry), `./src/${entry}`);
const sizes: Record<string, number> = {
  'rest-client, what a first screen takes': await gzipBytes(
    ['createRestClient', 'RestError'],
    './src/rest-client/index.ts',
  ),
  'rest-client, every name of its index': await all('rest-client/index.ts'),
  'rest-client/long-reads': await all('rest-client/long-reads.ts'),
  'rest-client/table': await all('rest-client/table.ts'),
  'storage-client': await all('storage-client/index.ts'),
  'functions-client': await all('functions-client/index.ts'),
  'postgrest-js': await gzipBytes(['PostgrestClient'], '@supabase/postgrest-js', []),
};
for (const [name, bytes] of Object.entries(sizes)) console.log(`${name}: ${bytes} bytes gzip`);
