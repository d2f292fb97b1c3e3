import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADA, BOB, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

const step = fc.record({
  kind: fc.constantFrom('insert', 'update', 'delete'),
  id: fc.integer({ min: 1, max: 6 }),
  owner: fc.constantFrom(ADA, BOB),
});
const transaction = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  commits: fc.boolean(),
});

interface ChangedRow {
  readonly type: string;
  readonly id: number;
  readonly body: string | null;
}

/** Runs the steps in one transaction, and returns its changes in order. */
async function run(
  steps: readonly { kind: string; id: number; owner: string }[],
  commits: boolean,
  mark: string,
) {
  const changed: ChangedRow[] = [];
  const ROLLBACK = new Error('rolled back');
  await world.database
    .transaction(async (sql) => {
      for (const [index, { kind, id, owner }] of steps.entries()) {
        const body = `${mark}-${index}`;
        const statement = {
          insert: `insert into open_notes values ($1, $2, $3) on conflict do nothing returning id`,
          update: `update open_notes set owner = $2, body = $3 where id = $1 returning id`,
          delete: `delete from open_notes where id = $1 and ($2::uuid, $3::text) is not null returning id`,
        }[kind];
        const rows = await sql.query(statement ?? '', [id, owner, body]);
        for (const _ of rows)
          changed.push({ type: kind.toUpperCase(), id, body: kind === 'delete' ? null : body });
      }
      if (!commits) throw ROLLBACK;
    })
    .catch((error: unknown) => {
      if (error !== ROLLBACK) throw error;
    });
  return commits ? changed : [];
}

test('committed transactions arrive complete, once and in commit order', async () => {
  const client = await world.connect();
  await client.joinLive('realtime:t', {
    changes: [{ schema: 'public', table: 'open_notes' }],
    token: await world.tokenOf(ADA),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 6 }), async (transactions) => {
      round += 1;
      // All transactions start at once and queue for the session while earlier changes are delivered.
      const runs = transactions.map(({ steps, commits }, index) => run(steps, commits, `${round}.${index}`));
      const expected = (await Promise.all(runs)).flat();
      await world.service.settled();
      const frames = await client.flush();
      const rows = frames.map(({ payload }): ChangedRow => {
        const data = payload['data'] as { type: string; record?: ChangedRow; old_record?: ChangedRow };
        const row = data.record ?? data.old_record;
        return { type: data.type, id: row?.id ?? 0, body: data.record?.body ?? null };
      });
      expect(rows).toEqual(expected);
      const stamps = frames.map(
        ({ payload }) => (payload['data'] as { commit_timestamp: string }).commit_timestamp,
      );
      expect(stamps).toEqual(stamps.toSorted());
    }),
    { numRuns: 20 },
  );
  expect(await world.database.query('select * from realtime.outbox')).toEqual([]);
});

test('changes of more than one batch arrive complete and in order', async () => {
  const client = await world.connect();
  await client.joinLive('realtime:t', {
    changes: [{ schema: 'public', table: 'notes' }],
    token: await world.tokenOf(ADA),
  });
  world.service.faults.pauseDelivery(true);
  await world.database.query('insert into notes (id, owner) select n, $1 from generate_series(1, 700) n', [
    ADA,
  ]);
  await world.database.query('insert into notes (id, owner) select n, $1 from generate_series(701, 1000) n', [
    ADA,
  ]);
  world.service.faults.pauseDelivery(false);
  await world.service.settled();
  const data = (await client.flush()).map(
    ({ payload }) => payload['data'] as { commit_timestamp: string; record: { id: number } },
  );
  expect(data.map(({ record }) => record.id)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  expect(new Set(data.map(({ commit_timestamp }) => commit_timestamp)).size).toBeLessThanOrEqual(2);
});
