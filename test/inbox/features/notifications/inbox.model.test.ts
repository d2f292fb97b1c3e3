import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { notificationKinds } from '../../../../src/inbox/features/notifications/model/notification.ts';
import {
  unfiltered,
  inboxTabs,
  matchesFilter,
} from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { createScriptedInbox, shownIds, type ScriptedInbox } from './scripted-inbox.ts';

type Deed = (scripted: ScriptedInbox) => Promise<unknown> | void;

const pick = (ids: readonly string[], at: number) => ids[at % Math.max(1, ids.length)];
const onRow = (act: (scripted: ScriptedInbox, id: string) => void) =>
  fc.nat(99).map((at): Deed => (scripted) => {
    const id = pick(scripted.table.ids(), at);
    if (id) act(scripted, id);
  });
const status = fc.constantFrom('unread', 'read', 'archived');

let number = 0;
/** What others do in the table. */
const elsewhere: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(fc.constantFrom(...notificationKinds), status).map(([kind, status]): Deed => ({ table }) => {
    number += 1;
    table.insert(number, { kind, status });
  }),
  status.chain((to) => onRow(({ table }, id) => table.setStatus(id, to))),
  onRow(({ table }, id) => table.remove(id)),
  fc.nat(4_000).chain((ms) => onRow(({ table, world }, id) => table.snooze(id, world.clock.now() + ms))),
);
/** Actions of the user. */
const here: fc.Arbitrary<Deed> = fc.oneof(
  status.chain((to) => onRow(({ inbox }, id) => inbox.setStatus([id], to))),
  fc
    .nat(90_000)
    .chain((ms) => onRow(({ inbox, world }, id) => inbox.snooze([id], world.clock.now() + 1_000 + ms))),
  onRow(({ inbox }, id) => inbox.snooze([id], null)),
  fc.constantFrom('Document 1', 'Document 2', 'nothing').map(
    (query): Deed =>
      ({ inbox }) =>
        inbox.show({ ...unfiltered, query }),
  ),
  fc.constantFrom(...notificationKinds, null).map(
    (kind): Deed =>
      ({ inbox }) =>
        inbox.markAllRead(kind).release(),
  ),
  fc.boolean().chain((isUndone) =>
    onRow(({ inbox }, id) => {
      const removal = inbox.remove([id]);
      if (isUndone) removal.undo();
      else removal.release();
    }),
  ),
  fc.tuple(fc.constantFrom(...inboxTabs), fc.option(fc.constantFrom(...notificationKinds))).map(
    ([tab, kind]): Deed =>
      ({ inbox }) =>
        inbox.show({ tab, kind }),
  ),
  fc.constant<Deed>(({ inbox }) => void inbox.loadMore()),
  fc.constant<Deed>(({ inbox }) => inbox.prefetchMore()),
  fc.constant<Deed>(({ inbox }) => void inbox.refresh()),
  fc.constant<Deed>(({ notices }) => {
    const [notice] = notices;
    if (notice && notice.type !== 'too-late') notice.repeat();
  }),
);
const world: fc.Arbitrary<Deed> = fc.oneof(
  fc.nat(400).map(
    (ms): Deed =>
      (scripted) =>
        scripted.world.clock.advance(ms),
  ),
  fc.constant<Deed>(({ table }) => void (table.failures += 1)),
  fc.constant<Deed>(({ table }) => void (table.isConnected = false)),
  fc.constant<Deed>((scripted) => scripted.reconnect()),
);

/** After each step: the shown list is that of its filter, without doubles, and as long as its count says. */
function findContradiction({ inbox }: ScriptedInbox): string | null {
  const { view, counts } = inbox.getSnapshot();
  const { filter, notifications } = view;
  const listed = notifications.filter((row) => matchesFilter(row, filter));
  const kept = notifications.length - listed.length;
  if (new Set(shownIds(inbox)).size < notifications.length) return 'a notification is listed twice';
  if (kept > 0 && filter.tab !== 'unread') return 'a notification of another list is shown';
  const isWhole = view.isLoaded && !view.hasMore && !filter.query && filter.kind === null;
  return isWhole && listed.length !== counts[filter.tab]
    ? `${filter.tab} lists ${listed.length} and counts ${counts[filter.tab]}`
    : null;
}

const setting = fc.record({
  hasVersions: fc.boolean(),
  answerMs: fc.constantFrom(10, 100, 600),
  changeMs: fc.constantFrom(5, 80, 900),
  rows: fc.constantFrom(0, 5, 29, 30, 31, 75),
});

test('every list and count equals the table at quiescence, after any events', async () => {
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.array(fc.oneof(elsewhere, here, world), { maxLength: 40 }),
      async ({ rows, ...options }, deeds) => {
        const scripted = createScriptedInbox(options);
        const { inbox, table, world } = scripted;
        number = 0;
        for (; number < rows; number += 1)
          table.insert(number, { kind: notificationKinds[number % 5] ?? 'edit' });
        inbox.start();
        for (const deed of deeds) {
          await deed(scripted);
          expect(findContradiction(scripted)).toBeNull();
        }
        table.failures = 0;
        await world.clock.advance(2_000);
        scripted.reconnect();
        inbox.setConnection('live');
        await world.clock.advance(60_000);
        expect(inbox.getSnapshot().counts).toEqual(table.count());
        for (const tab of inboxTabs) {
          for (const kind of [null, 'edit' as const]) {
            inbox.show(unfiltered);
            inbox.show({ tab, kind });
            await world.clock.advance(5_000);
            while (inbox.getSnapshot().view.hasMore) {
              void inbox.loadMore();
              await world.clock.advance(2_000);
            }
            expect(shownIds(inbox)).toEqual(table.select({ tab, kind }).map(({ id }) => id));
          }
        }
        expect(inbox.getSnapshot().counts).toEqual(table.count());
      },
    ),
    // A run that never ends is reported with its seed.
    { numRuns: 300, timeout: 30_000, endOnFailure: true },
  );
}, 120_000);
