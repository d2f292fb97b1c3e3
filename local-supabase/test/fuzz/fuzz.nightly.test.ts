import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from '../../src/entries/index.ts';
import { createPostgRest } from '../../src/services/rest/postgrest.ts';
import { connectRawClient } from '../realtime/raw-client.ts';
import { fuzz, leftBehind } from '../rest/fuzz.ts';
import { createReplayWorld } from '../rest/replay-world.ts';
import { authRequests } from './auth-requests.ts';
import {
  bodyOf,
  contentTypes,
  type FuzzedRequest,
  fuzzRequests,
  methods,
  printable,
  segmentOf,
  valueOf,
} from './fuzzed-requests.ts';
import { frames, realtimeRequests } from './realtime-requests.ts';
import { bucket, storageRequests } from './storage-requests.ts';

/** To repeat a run: FUZZ_SEED=7 FUZZ_RUNS=100 */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 10_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const timeout = 3_600_000;

let supabase: LocalSupabase;
let user: { readonly id: string; readonly token: string };
const reported: unknown[] = [];

beforeAll(async () => {
  supabase = await createLocalSupabase({
    config: false,
    project: new URL('../rest/no-project/', import.meta.url),
    auth: { bcryptCost: 4 },
    port: 0,
    functions: { echo: async (request) => new Response(await request.text()) },
    report: (problem) => reported.push(problem),
  });
  const post = async (path: string, key: string, body: object) => {
    const response = await supabase.fetch(`${supabase.url}/auth/v1${path}`, {
      method: 'POST',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { readonly id: string; readonly access_token: string };
  };
  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  const { id } = await post('/admin/users', supabase.serviceRoleKey, { ...ada, email_confirm: true });
  const { access_token: token } = await post('/token?grant_type=password', supabase.anonKey, ada);
  user = { id, token };
  await supabase.database.exec(
    `create table notes (id bigint primary key, body text); alter publication supabase_realtime add table notes;
     insert into storage.buckets (id, name) values ('${bucket}', '${bucket}')`,
  );
});
afterAll(() => supabase.close());

const requireCleanSession = async () => {
  const left = await leftBehind(supabase.database);
  if (left !== undefined) throw new Error(left);
};

const fuzzService = (path: string, requests: fc.Arbitrary<FuzzedRequest>) => {
  const { url, anonKey, serviceRoleKey: serviceKey } = supabase;
  const server = { url: `${url}${path}`, anonKey, serviceKey };
  return fuzzRequests(server, requests, requireCleanSession, { numRuns, seed });
};

describe(`no service fails at ${numRuns} generated requests with seed ${seed}`, { timeout }, () => {
  it('auth', () =>
    expect(fuzzService('/auth/v1', authRequests(user.id, user.token))).resolves.toBeUndefined());

  it('rest', async () => {
    const world = await createReplayWorld();
    const rest = await createPostgRest({ database: world.database });
    await expect(fuzz(rest, world.database, { numRuns, seed })).resolves.toBeUndefined();
    await rest.close();
    await world.close();
  });

  it('storage', () => expect(fuzzService('/storage/v1', storageRequests)).resolves.toBeUndefined());

  it('functions', async () => {
    const segment = segmentOf('echo');
    const requests = fc.record({
      method: methods,
      path: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`),
      headers: fc.record(
        { 'content-type': contentTypes, authorization: printable, 'x-region': printable },
        { requiredKeys: ['content-type'] },
      ),
      body: bodyOf(['name'], valueOf()),
      isService: fc.boolean(),
    });
    await expect(fuzzService('/functions/v1', requests)).resolves.toBeUndefined();
  });

  it('realtime by HTTP', () =>
    expect(fuzzService('/realtime/v1/api', realtimeRequests)).resolves.toBeUndefined());

  it('realtime by frames, none of which ends another connection', async () => {
    const connect = (version: '1.0.0' | '2.0.0' = '2.0.0') =>
      connectRawClient({ url: supabase.url, apiKey: supabase.anonKey, version });
    const bystander = await connect();
    bystander.join('realtime:fuzz');
    await bystander.nextOf('phx_reply');
    let client = await connect();
    const isHarmless = fc.asyncProperty(frames, fc.constantFrom('1.0.0', '2.0.0'), async (frame, version) => {
      if (client.socket.readyState !== client.socket.OPEN) client = await connect(version);
      client.socket.send(frame);
      await bystander.flush();
      if (bystander.socket.readyState !== bystander.socket.OPEN)
        throw new Error('the bystander was disconnected');
    });
    await expect(fc.assert(isHarmless, { numRuns, seed })).resolves.toBeUndefined();
    client.terminate();
    bystander.terminate();
    await requireCleanSession();
  });

  it('no service reports an error', () => expect(reported).toEqual([]));
});
