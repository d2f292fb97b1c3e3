import { createPostgRest } from '../../local-supabase/rest/postgrest.ts';
import type { PostgRest } from '../../local-supabase/rest/postgrest.ts';
import { createReplayWorld } from '../local-supabase/rest/replay-world.ts';

/**
 * The speed of the embedded PostgREST, without HTTP: `node --expose-gc --import tsx test/bench/local-supabase-rest.ts`.
 */
const world = await createReplayWorld();
const rest: PostgRest = await createPostgRest({ database: world.database });
await world.database.exec(`
  create table public.bench (id int primary key, name text, qty int, at timestamptz default now());
  insert into public.bench select i, 'name ' || i, i % 100 from generate_series(1, 20000) i;
  grant all on public.bench to anon, authenticated, service_role;
  analyze public.bench;`);

const claims = { role: 'service_role' };
const encoder = new TextEncoder();

async function ask(method: string, target: string, body = ''): Promise<void> {
  const headers = body === '' ? [] : [['content-type', 'application/json'] as const];
  const { status, body: answered } = await rest.answer(
    { method, target, headers, body: encoder.encode(body) },
    claims,
  );
  if (status >= 400) throw new Error(`${method} ${target}: ${status} ${answered.toString()}`);
}

async function measure(name: string, runs: number, task: (run: number) => Promise<void>): Promise<void> {
  const times: number[] = [];
  for (let run = -Math.min(20, runs); run < runs; run += 1) {
    const startMs = performance.now();
    await task(run);
    if (run >= 0) times.push(performance.now() - startMs);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  console.log(`${name.padEnd(40)} median ${at(0.5)} ms, 95 % ${at(0.95)} ms`);
}

const rows = (from: number, count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({ id: from + index, name: `row ${index}`, qty: index })),
  );

await measure('filtered GET', 500, (run) => ask('GET', `/bench?id=eq.${(run + 20) * 7}&select=id,name`));
await measure('GET of 100 rows, ordered', 200, () => ask('GET', '/bench?order=qty.desc,id&limit=100'));
await measure('two embeds', 200, () =>
  ask('GET', '/z_items?select=id,name,z_cats(name),z_labels(label)&limit=10'),
);
await measure('insert of one row', 200, (run) => ask('POST', '/bench', rows(1_000_000 + run, 1)));
await measure('update of one row', 200, (run) => ask('PATCH', `/bench?id=eq.${run + 100}`, '{"qty":1}'));
await measure('insert of 5,000 rows', 5, (run) =>
  ask('POST', '/bench', rows(2_000_000 + run * 5000 + 30_000, 5000)),
);
await measure('100 readers at once', 10, async () => {
  await Promise.all(Array.from({ length: 100 }, (_, index) => ask('GET', `/bench?id=eq.${index + 1}`)));
});
await rest.close();
await world.close();
