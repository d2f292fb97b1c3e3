import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRestClient, RestError } from '../../src/rest-client/index.ts';
import { ada, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import { type Call, type CallContext, Failing, itemsOf } from './rest-calls/call.ts';
import { accessCalls } from './rest-calls/access.ts';
import { filterCalls } from './rest-calls/filters.ts';
import { resultCalls } from './rest-calls/results.ts';
import { writeCalls } from './rest-calls/writes.ts';

// The results were recorded with version 14.
const supabase = useLocalSupabase({ rest: { version: 14 } });
const recorded = join(import.meta.dirname, '../../local-supabase/test/rest/recorded');
let seed = '';

beforeAll(async () => {
  await supabase().database.exec(await readFile(join(recorded, 'schema.sql'), 'utf8'));
  await supabase().database.exec("notify pgrst, 'reload schema'");
  seed = await readFile(join(recorded, 'seed.sql'), 'utf8');
  await supabase().database.exec(seed);
});

function connect(): CallContext {
  const { url, fetch, serviceRoleKey, anonKey, database } = supabase();
  const platform = createPlatform({ fetch });
  const rest = createRestClient({ url, apiKey: serviceRoleKey, platform });
  return {
    rest,
    items: () => itemsOf(rest),
    ids: (rows) => rows.map(({ id }) => id),
    connectAs: (getAccessToken) => createRestClient({ url, apiKey: anonKey, platform, getAccessToken }),
    signInAda: () => signIn(supabase(), ada.email),
    readBack: (table) => database.query(`select * from ${table} order by id`),
  };
}

/** What a call yields, or the codes of the error that it rejects with. */
async function outcomeOf(call: Call[1]): Promise<unknown> {
  try {
    return await call(connect());
  } catch (problem) {
    if (problem instanceof RestError) return new Failing(problem.code, problem.serverCode);
    throw problem;
  }
}

test.each([...filterCalls, ...resultCalls, ...accessCalls])('%s', async (_name, call, result) => {
  expect(await outcomeOf(call)).toEqual(result);
});

describe('writes on freshly seeded tables', () => {
  beforeEach(() => supabase().database.exec(seed));

  test.each(writeCalls)('%s', async (_name, call, result) => {
    expect(await outcomeOf(call)).toEqual(result);
  });
});
