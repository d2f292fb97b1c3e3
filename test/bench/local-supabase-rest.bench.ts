import { createPostgRest } from 'local-supabase/testing';
import { createReplayWorld } from 'local-supabase/testing';
import { reportMetric } from './report.ts';

/**
 * The embedded PostgREST without HTTP. Its peer is one statement, written by hand for the same rows, in the same
 * PostgreSQL: the difference is what the service itself costs.
 */
const world = await createReplayWorld();
const { database } = world;
const rest = await createPostgRest({ database });
await database.exec(`
  create table public.bench (id int primary key, name text, qty int, at timestamptz default now());
  insert into public.bench select i, 'name ' || i, i % 100 from generate_series(1, 20000) i;
  grant all on public.bench to anon, authenticated, service_role;
  analyze public.bench;
  notify pgrst;`);

const encoder = new TextEncoder();

async function ask(method: string, target: string, body = ''): Promise<void> {
  const headers = body === '' ? [] : [['content-type', 'application/json'] as const];
  const request = { method, target, headers, body: encoder.encode(body) };
  const { status, body: text } = await rest.handle(request, { role: 'service_role' });
  if (status >= 400) throw new Error(`${method} ${target}: ${status} ${text.toString()}`);
}

async function medianMs(runs: number, task: (run: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const warmUps = Math.min(20, runs);
  for (let run = 0; run < warmUps + runs; run += 1) {
    const startMs = performance.now();
    await task(run);
    if (run >= warmUps) times.push(performance.now() - startMs);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function compare(
  name: string,
  runs: number,
  ours: (run: number) => Promise<unknown>,
  peer: (run: number) => Promise<unknown>,
): Promise<void> {
  const metric = { name: `Embedded REST: ${name}`, unit: 'ms', goal: null };
  reportMetric({ ...metric, ours: await medianMs(runs, ours), peer: await medianMs(runs, peer) });
}

const rows = (from: number) =>
  JSON.stringify(
    Array.from({ length: 5000 }, (_, index) => ({ id: from + index, name: `row ${index}`, qty: index })),
  );
const one = `select json_agg(b)::text from (select id, name from public.bench where id = $1) b`;
const everyone = Array.from({ length: 100 }, (_, index) => index + 1);

await compare(
  'filtered GET',
  500,
  (run) => ask('GET', `/bench?id=eq.${run + 1}&select=id,name`),
  (run) => database.query(one, [run + 1]),
);
await compare(
  'two embeds',
  200,
  () => ask('GET', '/z_items?select=id,name,z_cats(name),z_labels(label)&limit=10'),
  () =>
    database.query(`select json_agg(r)::text from (
      select i.id, i.name, (select row_to_json(c) from (select name from z_cats where id = i.cat_id) c) as z_cats,
        (select coalesce(json_agg(l), '[]') from (
          select label from z_labels l join z_item_labels il on il.label_id = l.id where il.item_id = i.id) l) as z_labels
      from z_items i limit 10) r`),
);
await compare(
  'insert of 5,000 rows',
  5,
  (run) => ask('POST', '/bench', rows(100_000 + run * 5000)),
  (run) =>
    database.query(
      `insert into public.bench (id, name, qty) select * from json_to_recordset($1::json) as _(id int, name text, qty int)`,
      [rows(1_000_000 + run * 5000)],
    ),
);
await compare(
  '100 readers at once',
  10,
  () => Promise.all(everyone.map((id) => ask('GET', `/bench?id=eq.${id}&select=id,name`))),
  () => Promise.all(everyone.map((id) => database.query(one, [id]))),
);
await rest.close();
await world.close();
