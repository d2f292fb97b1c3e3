import { PostgrestClient } from '@supabase/postgrest-js';
import { build } from 'esbuild';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import { createRestClient, type Validate } from '../../src/rest-client/index.ts';
import { table } from '../../src/rest-client/table.ts';

/** `npx tsx test/bench/rest-bench.ts`: the client beside postgrest-js, in one run, and the bytes that it ships. */
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
  'build 1,000 queries': {
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
        theirs
          .from('notifications')
          .select('id, status')
          .eq('recipient_id', `u${n}`)
          .neq('status', 'archived')
          .order('created_at', { ascending: false })
          .limit(50);
      }
    },
  },
  'fetch and read 1,000 rows': {
    ours: () => ours.from('notifications').select().execute(),
    ...Object.fromEntries(
      (['all', 'first', 'off'] satisfies Validate[]).map((validate) => {
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

const root = join(import.meta.dirname, '../..');
async function gzipBytes(contents: string, external: string[]): Promise<number> {
  const built = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    external,
  });
  return gzipSync(built.outputFiles[0]?.contents ?? '', { level: 9 }).length;
}
const own = ['ky', 'zod/mini', '../platform/http.ts'];
const use = (names: string, from: string) =>
  `import { ${names} } from './src/${from}'; globalThis.used = [${names}];`;
const everything = Object.keys(await import('../../src/rest-client/index.ts')).join(', ');
const sizes: Record<string, number> = {
  'rest-client, what a first screen takes': await gzipBytes(
    use('createRestClient, RestError', 'rest-client/index.ts'),
    own,
  ),
  'rest-client, every name of its index': await gzipBytes(use(everything, 'rest-client/index.ts'), own),
  'rest-client/table': await gzipBytes(use('table, one, many, int8', 'rest-client/table.ts'), own),
  'storage-client': await gzipBytes(use('createStorageClient, StorageError', 'storage-client/index.ts'), own),
  'functions-client': await gzipBytes(
    use('createFunctionsClient, FunctionsError', 'functions-client/index.ts'),
    own,
  ),
  'postgrest-js': await gzipBytes(`export { PostgrestClient } from '@supabase/postgrest-js'`, []),
};
for (const [name, bytes] of Object.entries(sizes)) console.log(`${name}: ${bytes} bytes gzip`);
