import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { notificationKinds } from '../../../../src/inbox/features/notifications/model/notification.ts';
import {
  unfiltered,
  inboxTabs,
  listsUnread,
  matchesFilter,
} from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import type { InboxAction } from '../../../../src/inbox/features/notifications/data/inbox-actions.ts';
import {
  createScriptedInbox,
  shownIds,
  type ScriptedInbox,
  type ScriptedInboxOptions,
} from './scripted-inbox.ts';

type Step = (scripted: ScriptedInbox) => Promise<unknown> | void;

const pick = (ids: readonly string[], at: number) => ids[at % Math.max(1, ids.length)];
const onRow = (act: (scripted: ScriptedInbox, id: string) => void) =>
  fc.nat(99).map((at): Step => (scripted) => {
    const id = pick(scripted.table.ids(), at);
    if (id) act(scripted, id);
  });
const status = fc.constantFrom('unread', 'read', 'archived');

/** Actions of the user without a response. */
let pendingActions = 0;
/** Rows that the user has acted on: their state may differ from that of their version. */
const changedHere = new Set<string>();
/** Rows that the user has deleted. */
const deletedHere = new Set<string>();
/** An action on all may change a row that is not delivered yet, and one whose deletion is in transit. */
const noteBulk = ({ table, delivered }: ScriptedInbox) => {
  for (const id of [...table.ids(), ...delivered.keys()]) changedHere.add(id);
};
const notePending = ({ settled }: InboxAction) => {
  pendingActions += 1;
  void settled.then(() => (pendingActions -= 1));
};
const onOwnRow = (act: (scripted: ScriptedInbox, id: string) => InboxAction) =>
  onRow((scripted, id) => {
    changedHere.add(id);
    notePending(act(scripted, id));
  });

/** Whether a request has failed: the totals may be requested again after ten seconds only. */
let hasFailed = false;
let number = 0;
/** Changes of the table by others, as an arbitrary. */
const otherSteps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(...notificationKinds), status).map(([kind, status]): Step => ({ table }) => {
    number += 1;
    table.insert(number, { kind, status });
  }),
  status.chain((to) => onRow(({ table }, id) => table.setStatus(id, to))),
  onRow(({ table }, id) => table.remove(id)),
  fc.nat(4_000).chain((ms) => onRow(({ table, world }, id) => table.snooze(id, world.clock.now() + ms))),
);
/** Actions of the user. */
const ownSteps: fc.Arbitrary<Step> = fc.oneof(
  status.chain((to) => onOwnRow(({ inbox }, id) => inbox.setStatus([id], to))),
  fc
    .nat(90_000)
    .chain((ms) => onOwnRow(({ inbox, world }, id) => inbox.snooze([id], world.clock.now() + 1_000 + ms))),
  onOwnRow(({ inbox }, id) => inbox.snooze([id], null)),
  fc.constantFrom('Document 1', 'Document 2', 'nothing').map(
    (query): Step =>
      ({ inbox }) =>
        inbox.show({ ...unfiltered, query }),
  ),
  fc.constantFrom(...notificationKinds, null).map((kind): Step => (scripted) => {
    noteBulk(scripted);
    const { inbox } = scripted;
    const action = inbox.markAllRead(kind);
    action.release();
    notePending(action);
  }),
  fc.boolean().chain((isUndone) =>
    onOwnRow(({ inbox }, id) => {
      const removal = inbox.remove([id]);
      if (isUndone) removal.undo();
      else removal.release();
      void removal.settled.then(({ type }) => type === 'sent' && deletedHere.add(id));
      return removal;
    }),
  ),
  fc.tuple(fc.constantFrom(...inboxTabs), fc.option(fc.constantFrom(...notificationKinds))).map(
    ([tab, kind]): Step =>
      ({ inbox }) =>
        inbox.show({ tab, kind }),
  ),
  fc.constant<Step>(({ inbox }) => inbox.loadMore()),
  fc.constant<Step>(({ inbox }) => void inbox.refresh()),
  fc.constant<Step>((scripted) => {
    const [notice] = scripted.notices;
    if (!notice || notice.type === 'too-late') return;
    noteBulk(scripted);
    notice.repeat();
  }),
);
const world: fc.Arbitrary<Step> = fc.oneof(
  fc.oneof(fc.nat(400), fc.constant(3_000)).map(
    (ms): Step =>
      (scripted) =>
        scripted.world.clock.advance(ms),
  ),
  fc.constant<Step>(({ table }) => {
    table.failures += 1;
    hasFailed = true;
  }),
  fc.constant<Step>(({ table }) => void (table.isConnected = false)),
  fc.constant<Step>((scripted) => scripted.reconnect()),
);

/** After each step: the shown list is that of its filter, without duplicates, and as long as its count. */
function findContradiction({ inbox }: ScriptedInbox): string | null {
  const { view, counts } = inbox.getSnapshot();
  const { filter, notifications } = view;
  const listed = notifications.filter((row) => matchesFilter(row, filter));
  const kept = notifications.length - listed.length;
  if (new Set(shownIds(inbox)).size < notifications.length) return 'a notification is listed twice';
  if (kept > 0 && !listsUnread(filter)) return 'a notification of another list is shown';
  const isWhole = view.isLoaded && !view.hasMore && !filter.query && filter.kind === null;
  return isWhole && listed.length !== counts[filter.tab]
    ? `${filter.tab} lists ${listed.length} and counts ${counts[filter.tab]}`
    : null;
}

/** How long the inbox may take to request uncertain totals, and to get them, in milliseconds. */
const recountMs = 2_500;

/**
 * After each step in which nothing is in transit or was lost: the counts are those of the table. Without versions a change
 * that a response has counted is counted again, until the next response.
 */
function findWrongCount({ inbox, table, quietMs }: ScriptedInbox): string | null {
  const { counts } = inbox.getSnapshot();
  if (
    quietMs() < recountMs ||
    pendingActions > 0 ||
    hasFailed ||
    !table.isConnected ||
    table.history.has(null)
  )
    return null;
  const expected = table.count();
  return isDeepStrictEqual(counts, expected)
    ? null
    : `counts ${JSON.stringify(counts)} of ${JSON.stringify(expected)}`;
}

/**
 * After each step: a row that a live change brought is listed in that state or a later one, and a deleted row is not,
 * regardless of responses and changes in transit. Without versions the order of arrival decides, so that only deletions are
 * compared.
 */
function findWrongRow({ inbox, table, delivered }: ScriptedInbox): string | null {
  const { view } = inbox.getSnapshot();
  const shown = new Map(view.notifications.map((row) => [row.id, row]));
  const current = new Map(
    table.select({ tab: view.filter.tab, kind: view.filter.kind }).map((row) => [row.id, row]),
  );
  const listed = view.notifications.flatMap((row) => (row.snoozedUntilMs === null ? [row.createdAtMs] : []));
  // A partially loaded list is known only down to its last row.
  const isOpenEnded = view.hasMore && (view.filter.tab === 'snoozed' || listed.length === 0);
  const readToMs = isOpenEnded ? Infinity : view.hasMore ? Math.min(...listed) : -Infinity;
  for (const id of deletedHere) if (shown.has(id)) return `${id} is listed after the user has deleted it`;
  for (const [id, last] of delivered) {
    const row = shown.get(id);
    if (!last) {
      if (row) return `${id} is listed after its deletion`;
      continue;
    }
    if (last.version === null) continue;
    if (row) {
      const { status, snoozedUntilMs } = table.history.get(row.version) ?? last;
      if ((row.version ?? '') < last.version) return `${id} is older than its last change`;
      const isSame = row.status === status && row.snoozedUntilMs === snoozedUntilMs;
      if (!isSame && !changedHere.has(id)) return `${id} is not as its version ${row.version} was`;
      continue;
    }
    // A response may have brought a later state; snoozed rows are not listed by creation.
    const isLast = current.get(id)?.version === last.version && last.snoozedUntilMs === null;
    const isRead = view.isLoaded && !view.filter.query && last.createdAtMs > readToMs;
    if (isLast && isRead && !changedHere.has(id)) return `${id} is missing`;
  }
  return null;
}

const wait = (maxMs: number) =>
  fc.nat(maxMs).map(
    (ms): Step =>
      (scripted) =>
        scripted.world.clock.advance(ms),
  );
const read: fc.Arbitrary<Step> = fc.constantFrom<Step>(
  ({ inbox }) => inbox.loadMore(),
  ({ inbox }) => void inbox.refresh(),
  (scripted) => scripted.reconnect(),
);
/** A change while a read or an action is in flight: the two may arrive in either order. */
const race: fc.Arbitrary<readonly Step[]> = fc.tuple(
  fc.oneof(read, ownSteps),
  wait(400),
  fc.oneof(otherSteps, ownSteps),
  wait(400),
  wait(900),
);
const setting = fc.record({
  hasVersions: fc.boolean(),
  responseMs: fc.constantFrom(10, 100, 600),
  changeMs: fc.constantFrom(5, 80, 900),
  rows: fc.constantFrom(0, 5, 29, 30, 31, 75),
});

/** Opens an inbox over a table of this many rows, and performs the steps up to the first fault. */
async function perform(
  { rows, ...options }: ScriptedInboxOptions & { readonly rows: number },
  steps: readonly Step[],
  findFault: (scripted: ScriptedInbox) => string | null,
): Promise<{ readonly scripted: ScriptedInbox; readonly fault: string | null }> {
  const scripted = createScriptedInbox(options);
  number = 0;
  hasFailed = false;
  pendingActions = 0;
  for (const ids of [changedHere, deletedHere]) ids.clear();
  for (; number < rows; number += 1)
    scripted.table.insert(number, { kind: notificationKinds[number % 5] ?? 'edit' });
  scripted.inbox.start();
  for (const step of steps) {
    await step(scripted);
    const fault = findFault(scripted);
    if (fault !== null) return { scripted, fault };
  }
  return { scripted, fault: null };
}

test('every list and count equals the table at quiescence, after any events', async () => {
  const findFault = (scripted: ScriptedInbox) =>
    findContradiction(scripted) ?? findWrongRow(scripted) ?? findWrongCount(scripted);
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.array(fc.oneof(otherSteps, ownSteps, world), { maxLength: 40 }),
      async (options, steps) => {
        const { scripted, fault } = await perform(options, steps, findFault);
        expect(fault).toBeNull();
        const { inbox, table, world } = scripted;
        table.failures = 0;
        await world.clock.advance(2_000);
        scripted.reconnect();
        await world.clock.advance(60_000);
        expect(inbox.getSnapshot().counts).toEqual(table.count());
        for (const tab of inboxTabs) {
          for (const kind of [null, 'edit' as const]) {
            inbox.show(unfiltered);
            inbox.show({ tab, kind });
            await world.clock.advance(5_000);
            while (inbox.getSnapshot().view.hasMore) {
              inbox.loadMore();
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

test('every row shows its last change or a later state while reads, actions and changes race', async () => {
  const steps = fc.array(fc.oneof(race, fc.tuple(world)), { maxLength: 20, size: 'max' });
  await fc.assert(
    fc.asyncProperty(setting, steps, async (options, list) => {
      const findFault = (scripted: ScriptedInbox) => findContradiction(scripted) ?? findWrongRow(scripted);
      expect((await perform(options, list.flat(), findFault)).fault).toBeNull();
    }),
    { numRuns: Number(process.env['RACES'] ?? 200), timeout: 30_000, endOnFailure: true },
  );
}, 120_000);
