import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgRest } from '../../src/services/rest/postgrest.ts';
import type { PostgRest } from '../../src/services/rest/postgrest.ts';
import { fuzz } from './fuzz.ts';
import { createReplayWorld } from './replay-world.ts';
import type { ReplayWorld } from './replay-world.ts';

let world: ReplayWorld;
let rest: PostgRest;

beforeAll(async () => {
  world = await createReplayWorld();
  rest = await createPostgRest({ database: world.database });
});
afterAll(async () => {
  await rest.close();
  await world.close();
});

const ask = async (target: string, method = 'GET', body = '') => {
  const bytes = new TextEncoder().encode(body);
  const request = { method, target, headers: [['content-type', 'application/json']] as const, body: bytes };
  return rest.handle(request, { role: 'service_role' });
};

const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);

describe('requests at the limits', () => {
  it('get a response, and so does the next one (npm run fuzz:rest sends 20,000)', async () => {
    await expect(fuzz(rest, world.database, { numRuns: 100, seed: 17 })).resolves.toBeUndefined();
  });

  it.each([
    ['an empty array literal', '/z_items?tags=cs.{}&select=id', 200],
    ['a logic tree of 200 levels', `/z_items?select=id&or=(${nested('and(', 'id.eq.1', ')', 200)})`, 200],
    [
      'a logic tree of 20,000 levels',
      `/z_items?select=id&or=(${nested('and(', 'id.eq.1', ')', 20_000)})`,
      500,
    ],
    ['hundreds of filters', `/z_items?${'id=gt.0&'.repeat(500)}select=id`, 200],
    ['a null byte', '/z_items?select=id&name=eq.a%00b', 200],
    ['a value of a megabyte', `/z_items?select=id&name=eq.${'x'.repeat(1_000_000)}`, 200],
    ['bytes that are no UTF-8', '/z_items?select=id&name=eq.%ff', 500],
    ['embeds whose rows multiply', `/z_cats?select=${nested('z_items(z_cats(', 'id', '))', 40)}`, 500],
  ])('%s', async (_name, target, status) => {
    expect((await ask(target)).status).toBe(status);
    expect((await ask('/z_labels?select=id&limit=1')).status).toBe(200);
  });

  it.each([100, 5000, 200_000])('JSON of %i levels is stored or rejected', async (depth) => {
    const body = `{"id":${depth},"data":${nested('[', '', ']', depth)}}`;
    const { status } = await ask('/z_items?columns=id,data', 'POST', body);
    expect([201, 400, 500]).toContain(status);
    expect((await ask('/z_labels?select=id&limit=1')).status).toBe(200);
  });
});
