import { PostgrestClient } from '@supabase/postgrest-js';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readPublishedExamples } from './published-examples.ts';
import { openRestWorld, type RestWorld } from './rest-world.ts';

const examples = await readPublishedExamples();

/** Examples with published responses that no server returns, with the reason. */
const exceptions: ReadonlyMap<string, string> = new Map([
  [
    'PostgrestFilterBuilder.ts is: Checking for nullness, true or false',
    'The response shows null as "null".',
  ],
  ['PostgrestFilterBuilder.ts contains: On array columns', 'The response leaves out two selected columns.'],
  [
    'PostgrestQueryBuilder.ts select: Handling errors',
    'There is no SQL; the hint is from a patched PostgreSQL.',
  ],
  ['PostgrestQueryBuilder.ts select: Querying referenced table with count', 'The SQL refers to no table.'],
  ['PostgrestQueryBuilder.ts select: Switching schemas per query', 'The id is random.'],
  [
    'PostgrestQueryBuilder.ts upsert: Upsert your data',
    'PostgREST responds with 200 where no row is inserted.',
  ],
  [
    'PostgrestTransformBuilder.ts select: With `upsert()`',
    'PostgREST responds with 200 where no row is inserted.',
  ],
  [
    'PostgrestTransformBuilder.ts order: Order parent table by a referenced table',
    'The response ignores the alias.',
  ],
  ['PostgrestTransformBuilder.ts limit: On a referenced table', 'The rows have no order.'],
  [
    'PostgrestTransformBuilder.ts abortSignal: Aborting requests in-flight',
    'The response is the client’s own.',
  ],
  ['PostgrestTransformBuilder.ts abortSignal: Set a timeout', 'The response is the client’s own.'],
]);

/** Each call has its own tables in its own schema, so that the catalog is read only once. */
const calls = examples
  .filter(({ name }) => !exceptions.has(name))
  .flatMap(({ name, sql, response, ...example }) =>
    example.calls.map((call) => ({ name, sql, response, call })),
  );
const schemaOf = (index: number): string => `example_${index}`;

const createTables = (sql: string, schema: string): string => `
  create schema ${schema};
  set search_path = ${schema};
  ${sql.replaceAll('public.', `${schema}.`)};
  grant usage on schema ${schema} to anon;
  grant all on all tables in schema ${schema} to anon;
  grant usage on all sequences in schema ${schema} to anon;`;

let world: RestWorld;
beforeAll(async () => {
  const schemas = calls.map((_call, index) => schemaOf(index));
  const tables = calls.map(({ sql }, index) => createTables(sql, schemaOf(index)));
  world = await openRestWorld(tables.join('\n'), { schemas, allowsAggregates: true });
});
afterAll(async () => world.close());

const createClient = (schema: string) =>
  new PostgrestClient('http://project.test/rest/v1', {
    schema,
    fetch: async (input, init) =>
      world.ask(new Request(input).url.replace('http://project.test/rest/v1', ''), init, { role: 'anon' }),
  });

/** Runs an expression of the documentation, without its types. */
async function run(call: string, schema: string): Promise<unknown> {
  const { code } = await transform(`export const run = async (supabase) => ${call}`, { loader: 'ts' });
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    run(client: ReturnType<typeof createClient>): Promise<unknown>;
  };
  return module.run(createClient(schema));
}

describe('the examples that the vendor publishes', () => {
  it('are found in the installed package', () => {
    const names = new Set(examples.map(({ name }) => name));
    expect([...exceptions.keys()].filter((name) => !names.has(name))).toEqual([]);
    expect(examples.filter((example) => example.calls.length === 0)).toEqual([]);
    expect(calls.length).toBeGreaterThan(60);
  });

  for (const [index, { name, call, response }] of calls.entries())
    it(`get the published response: ${name} (${index})`, async () => {
      // HTTP/2 has no reason phrase (RFC 9113 §8.3.2), and the published responses were sent over it.
      const { statusText: _phrase, ...published } = response;
      expect(await run(call, schemaOf(index))).toMatchObject(published);
    });
});
