import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLocalSupabase } from 'local-supabase';
import { openGroup, pause, type StormGroup } from './storm-group.ts';
import { groupSchema, sharedSchema } from './storm-tables.ts';
import { embeddedTarget, runningTarget, type StormTarget } from './storm-target.ts';

/** How long the lists may take to be right after the last fault of a round; a busy machine may need more. */
const recoveryMs = Number(process.env['STORM_RECOVERY_MS'] ?? 60_000);

const keys = ['9007199254740993', '9007199254740994', '9007199254740995'];
/** Beyond 2⁵³, where JSON rounds neighbors to one number. */
const key = fc.constantFrom(...keys);
type Write = (group: number) => string;
const write: fc.Arbitrary<Write> = fc.oneof(
  fc
    .record({
      id: key,
      team: fc.constantFrom(1, 2),
      title: fc.constantFrom('a', 'ä', 'B'),
      isOpen: fc.boolean(),
      tenant: fc.constantFrom(1, 2),
    })
    .map(
      ({ id, team, title, isOpen, tenant }): Write =>
        (group) =>
          `insert into storm_rows_${group} values (${id}, ${team}, '${title}', ${isOpen}, ${tenant}) on conflict (id) do
           update set team_id = excluded.team_id, title = excluded.title, is_open = excluded.is_open`,
    ),
  key.map(
    (id): Write =>
      (group) =>
        `delete from storm_rows_${group} where id = ${id}`,
  ),
  fc.tuple(key, key).map(
    ([from, to]): Write =>
      (group) =>
        `update storm_rows_${group} set id = ${to}
         where id = ${from} and not exists (select from storm_rows_${group} where id = ${to})`,
  ),
  fc.constant<Write>(
    (group) =>
      `insert into storm_hidden_${group} select coalesce(max(id), 0) + 1, 'new' from storm_hidden_${group} having count(*) < 5`,
  ),
);

type Step =
  | { readonly write: Write }
  | { readonly fault: number }
  | { readonly pauseMs: number }
  | 'interval';
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: write.map((sql) => ({ write: sql })) },
  { weight: 1, arbitrary: fc.nat({ max: 1_000 }).map((fault) => ({ fault })) },
  { weight: 1, arbitrary: fc.constantFrom(0, 5, 40, 250).map((pauseMs) => ({ pauseMs })) },
  { weight: 1, arbitrary: fc.constant('interval') },
);
const schedule = fc.array(step, { minLength: 1, maxLength: 12 });

interface Findings {
  /** Lists that reported to be current although they were not: see `StormGroup.endInterval`. */
  readonly lies: readonly unknown[];
  /** Lists that were wrong, or did not report their state, long after the last fault. */
  readonly wrong: readonly unknown[];
}

async function openTarget(): Promise<StormTarget> {
  const running = await runningTarget();
  if (running) return running;
  const supabase = await createLocalSupabase({ config: false, port: 0 });
  const target = embeddedTarget(supabase);
  return {
    ...target,
    async close() {
      await target.close();
      await supabase.close();
    },
  };
}

/** Runs one schedule per group at the same time, ends the faults, and waits until every list is right. */
async function runRound(
  target: StormTarget,
  groups: readonly StormGroup[],
  schedules: readonly (readonly Step[])[],
): Promise<Findings> {
  const lies: unknown[] = [];
  const run = async (group: StormGroup, index: number, next: Step) => {
    if (next === 'interval') return void lies.push(...(await group.endInterval()));
    if ('pauseMs' in next) return pause(next.pauseMs);
    if ('write' in next) return group.write(next.write(index));
    const faults = [...target.faults, ...group.faults];
    await faults[next.fault % faults.length]?.();
  };
  await Promise.all(
    groups.map(async (group, index) => {
      for (const next of schedules[index] ?? []) await run(group, index, next);
    }),
  );
  await target.recover();
  groups.forEach((group) => group.recover());
  const endMs = performance.now() + recoveryMs;
  const findWrong = async () => {
    const found = await Promise.all(groups.map((group) => group.endInterval()));
    lies.push(...found.flat());
    return groups.flatMap((group) => group.wrongLists());
  };
  let wrong = await findWrong();
  while (wrong.length > 0 && performance.now() < endMs) {
    await pause(100);
    wrong = await findWrong();
  }
  return { lies, wrong };
}

/**
 * Describes tests of this many random schedules of writes and faults over a real websocket, of which `parallel` at a time share
 * the server and its faults. The server is the embedded one, or the one of `STORM_URL`.
 */
export function describeStorm(schedules: number, parallel = Math.min(schedules, 8)): void {
  describe('live lists over a real websocket', () => {
    let target: StormTarget;
    beforeAll(async () => {
      target = await openTarget();
      const groups = Array.from({ length: parallel }, (_, group) => groupSchema(group));
      for (const sql of [sharedSchema, ...groups, "notify pgrst, 'reload schema'"]) await target.exec(sql);
    });
    afterAll(() => target.close());

    it(`are wrong for at most the interval while they report to be current, report their state and keep their form, in ${schedules} storms`, async () => {
      vi.spyOn(console, 'warn').mockReturnValue();
      const groups = await Promise.all(
        Array.from({ length: parallel }, (_, group) => openGroup(target, group)),
      );
      const round = fc.array(schedule, { minLength: parallel, maxLength: parallel });
      await fc.assert(
        fc.asyncProperty(round, async (storms) => {
          expect(await runRound(target, groups, storms)).toEqual({ lies: [], wrong: [] });
        }),
        { numRuns: Math.ceil(schedules / parallel), endOnFailure: true },
      );
      // A list that had no row in any storm has no form.
      const forms = groups.flatMap((group) => [...group.forms().values()]);
      expect(forms.filter(({ size }) => size > 1)).toEqual([]);
      groups.forEach((group) => group.close());
    }, 36_000_000);
  });
}
