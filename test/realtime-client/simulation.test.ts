import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byId, command, createSimulation, entriesOf, schedules } from './simulated-tabs.ts';

describe.each([
  ['with a socket of its own', false],
  ['with a socket shared among tabs', true],
])('a live query %s', (_title, isShared) => {
  it(
    'equals the table after any schedule of faults, delivers nothing twice and leaves nothing behind',
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.array(command, { maxLength: 25 }), async (seed, commands) => {
          const simulation = createSimulation(seed, { isShared });
          const { tabs, server, world, broadcasts } = simulation;
          await world.clock.advance(500);
          for (const next of commands) await simulation.run(next);
          await simulation.calmDown();
          const table = server.select('ada').sort(byId);
          for (const { query, seen, unannounced, platform } of tabs) {
            const { rows, isCurrent, error } = query.getSnapshot();
            expect([...rows].sort(byId)).toEqual(table);
            expect({ isCurrent, error, unannounced, reported: platform.reported }).toEqual({
              isCurrent: true,
              unannounced: [],
              error: null,
              reported: [],
            });
            expect(new Set(seen).size).toBe(seen.length);
          }
          // Each broadcast was acknowledged, or the sender received the reason, unless the sender crashed.
          const crashed = broadcasts.filter(({ outcome }) => outcome === null).length;
          expect(crashed === 0 || commands.some((one) => one.type === 'crash')).toBe(true);
          expect(server.presenceOverruns).toBe(0);
          const present = entriesOf(server.presenceOf('realtime:user:ada'));
          for (const tab of tabs) {
            const { entries, isSynced } = tab.presence.getSnapshot();
            expect({ isSynced, entries: Object.fromEntries(entries) }).toEqual({
              isSynced: true,
              entries: present,
            });
            expect(new Set(tab.notes).size).toBe(tab.notes.length);
            const missing = broadcasts.filter(
              ({ id, due, outcome }) =>
                outcome === 'acknowledged' && due.has(tab.channel) && !tab.notes.includes(id),
            );
            expect(missing.map(({ id }) => id)).toEqual([]);
          }
          expect(server.openSessions).toBe(isShared ? 1 : tabs.length);
          await simulation.close();
          expect([world.clock.pendingTimers, world.heldLocks.size, server.openSessions]).toEqual([0, 0, 0]);
        }),
        { numRuns: schedules / 2 },
      );
    },
  );
});
