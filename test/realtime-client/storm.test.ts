import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byId, command, createSimulation, silentLoss, type Command } from './simulated-tabs.ts';

/** Number of random storms; set `STORMS=5000` for a long run. */
const storms = Number(process.env['STORMS'] ?? 15);
/** The time between two comparisons of the lists. */
const lookMs = 200;

type Simulation = ReturnType<typeof createSimulation>;

/**
 * The maximum time for which a list differed from the table although it claimed to be current, on a visible page that
 * runs.
 */
function watchLies({ tabs, server, world }: Simulation) {
  const since = new Map<object, number>();
  let elapsedMs = 0;
  let longestMs = 0;
  const look = () => {
    const table = JSON.stringify(server.select('ada').sort(byId));
    for (const { query, platform, freezer } of tabs) {
      const { isCurrent, rows } = query.getSnapshot();
      const isShown = platform.page.isVisible() && !freezer.isFrozen();
      const isLie = isShown && isCurrent && JSON.stringify([...rows].sort(byId)) !== table;
      if (!isLie) since.delete(query);
      else since.set(query, since.get(query) ?? elapsedMs);
      longestMs = Math.max(longestMs, elapsedMs - (since.get(query) ?? elapsedMs));
    }
  };
  return {
    longestMs: () => longestMs,
    async pass(ms: number) {
      for (let passedMs = 0; passedMs < ms; passedMs += lookMs) {
        look();
        await world.clock.advance(Math.min(lookMs, ms - passedMs));
        elapsedMs += Math.min(lookMs, ms - passedMs);
      }
      look();
    },
  };
}

/** The browser reports the page as offline, the socket works, and the server has lost a change. */
const offlineWhileLive: Command[] = [
  { type: 'mute' },
  { type: 'writeDuringRejoin', at: 0, ids: ['a', 'a'], everyMs: 40 },
  { type: 'offline', at: 0 },
];

describe.each([
  ['version', 5_000],
  ['list', 30_000],
] as const)('a live query that compares its %s', (comparison, boundMs) => {
  it(`is wrong for at most ${boundMs} ms while it reports to be current, in a storm of faults and silent losses`, async () => {
    const commands = fc.array(fc.oneof({ weight: 4, arbitrary: command }, silentLoss), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.nat(), commands, async (seed, storm) => {
        const simulation = createSimulation(seed, { comparison, latencyMs: 1_100 });
        const lies = watchLies(simulation);
        await lies.pass(500);
        for (const next of storm) {
          if (next.type === 'pass') await lies.pass(next.ms);
          else await simulation.run(next);
        }
        await lies.pass(boundMs + 10_000);
        expect(lies.longestMs()).toBeLessThanOrEqual(boundMs);
        await simulation.calmDown();
        const table = simulation.server.select('ada').sort(byId);
        for (const { query } of simulation.tabs) {
          const { rows, isCurrent } = query.getSnapshot();
          expect([isCurrent, [...rows].sort(byId)]).toEqual([true, table]);
        }
        await simulation.close();
      }),
      { numRuns: storms, examples: [[0, offlineWhileLive]] },
    );
  }, 3_600_000);
});
