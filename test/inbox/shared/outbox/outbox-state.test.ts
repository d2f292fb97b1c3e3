import { isDeepStrictEqual as isDeepEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  canUndo,
  initialState,
  maxRequests,
  selectDelayed,
  selectDue,
  step,
  withDependents,
} from '../../../../src/inbox/shared/outbox/outbox-state.ts';
import type {
  OutboxEvent,
  OutboxState,
  PendingAction,
} from '../../../../src/inbox/shared/outbox/outbox-state.ts';

const action = (order: number, details: Partial<PendingAction> = {}): PendingAction => ({
  id: `action-${order}`,
  userId: 'ada',
  topic: 'rows',
  payload: null,
  keys: [`row-${order}`],
  addedAtMs: 0,
  order,
  senderId: 'own',
  isUndoable: false,
  ...details,
});
const ids = (actions: readonly PendingAction[]) => actions.map(({ id }) => id);
const run = (...events: readonly OutboxEvent[]): OutboxState => events.reduce(step, initialState(true));
const add = (...actions: readonly PendingAction[]): OutboxEvent => ({ type: 'added', actions });
const ready: readonly OutboxEvent[] = [
  { type: 'sender', senderId: 'own' },
  { type: 'topic', topic: 'rows' },
];

const order = fc.integer({ min: 1, max: 8 });
const id = order.map((number) => `action-${number}`);
const anyAction = fc
  .record({
    order,
    topic: fc.constantFrom('rows', 'rows', 'rows', 'settings'),
    keys: fc.oneof(fc.constant(null), fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })),
    senderId: fc.constantFrom('own', 'own', 'other'),
    isUndoable: fc.boolean(),
  })
  .map((details) => action(details.order, details));
const anyActions = fc.uniqueArray(anyAction, { selector: (each) => each.id, maxLength: 3 });
const event: fc.Arbitrary<OutboxEvent> = fc.oneof(
  { weight: 3, arbitrary: anyActions.map((actions) => ({ type: 'added', actions }) as const) },
  anyActions.map(
    (actions) =>
      ({
        type: 'adopted',
        from: 'other',
        actions: actions.map((each) => ({ ...each, senderId: 'own', isUndoable: false })),
      }) as const,
  ),
  fc.option(id).map((own) => ({ type: 'released', id: own }) as const),
  fc.uniqueArray(id, { maxLength: 2 }).map((removed) => ({ type: 'removed', ids: removed }) as const),
  fc.boolean().map((isOnline) => ({ type: 'connection', isOnline }) as const),
  fc.constantFrom('rows', 'settings').map((topic) => ({ type: 'topic', topic }) as const),
  id.map((own) => ({ type: 'sending', id: own }) as const),
  id.map((own) => ({ type: 'failed', id: own, nowMs: 100, delayMs: 50 }) as const),
);

/** The rules of decision 025, pair by pair. */
const doConflict = (one: PendingAction, other: PendingAction) =>
  one.topic === other.topic &&
  (one.keys === null || other.keys === null || one.keys.some((key) => other.keys?.includes(key)));

/** The rules of the pending actions that the event has broken. */
function findBroken(before: OutboxState, last: OutboxEvent, after: OutboxState): readonly string[] {
  const had = new Set(ids(before.pending));
  const has = new Set(ids(after.pending));
  const gone = before.pending.filter((each) => !has.has(each.id));
  const come = after.pending.filter((each) => !had.has(each.id));
  const mayGo = (each: PendingAction) =>
    (last.type === 'removed' && last.ids.includes(each.id)) ||
    (last.type === 'adopted' && each.senderId === last.from);
  const mayCome = (each: PendingAction) =>
    (last.type === 'added' || last.type === 'adopted') && ids(last.actions).includes(each.id);
  const isReleased = (each: PendingAction) =>
    last.type === 'released' && (last.id === null ? each.senderId === 'own' : each.id === last.id);
  const places = after.pending.map((each) => `${each.order} ${each.id}`);
  const rules = {
    'pending actions are in order and unique': isDeepEqual(places, [...new Set(places)].toSorted()),
    'only what ends is removed': gone.every(mayGo),
    'what ends is removed': !after.pending.some((each) => had.has(each.id) && mayGo(each) && !mayCome(each)),
    'only what is added comes': come.every(mayCome),
    'what is added comes': last.type !== 'added' || ids(last.actions).every((each) => has.has(each)),
    'a released action cannot be undone': !after.pending.some((each) => each.isUndoable && isReleased(each)),
    'an action that a later one assumes cannot be undone': !come.some((later) =>
      after.pending.some(
        (earlier) => earlier.isUndoable && earlier.order < later.order && doConflict(earlier, later),
      ),
    ),
  };
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}

function checkDue(state: OutboxState, nowMs: number): void {
  const due = selectDue(state, nowMs);
  const eligible = state.pending.filter(
    (each, at) =>
      each.senderId === 'own' &&
      !each.isUndoable &&
      !state.sendingIds.has(each.id) &&
      state.topics.has(each.topic) &&
      !state.pending.slice(0, at).some((earlier) => doConflict(earlier, each)),
  );
  const most = (state.isDelayed ? 1 : maxRequests) - state.sendingIds.size;
  const isSending = state.isOnline && nowMs >= state.retryAtMs;
  expect(due).toEqual(isSending ? eligible.slice(0, Math.max(0, most)) : []);
}

test('keeps its invariants for any sequence of events', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), fc.nat(200), (events, nowMs) => {
      let state = run(...ready);
      for (const last of events) {
        const isSent = last.type !== 'sending' || state.pending.some((each) => each.id === last.id);
        if (!isSent) continue;
        const before = state;
        state = step(before, last);
        expect(findBroken(before, last, state)).toEqual([]);
        checkDue(state, nowMs);
        expect(ids(selectDelayed(state))).toEqual(
          ids(state.pending.filter(({ isUndoable }) => !state.isOnline || (state.isDelayed && !isUndoable))),
        );
        for (const sent of [...state.sendingIds, ...state.attemptedIds])
          expect(canUndo(state, sent), 'the server may have it').toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('sends each of the tab’s actions once, and conflicting ones in order, after any sequence of events', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let state = events
        .filter(({ type }) => type !== 'sending' && type !== 'failed')
        .reduce(step, run(...ready));
      const finish: readonly OutboxEvent[] = [
        { type: 'topic', topic: 'settings' },
        { type: 'adopted', from: 'other', actions: [] },
        { type: 'released', id: null },
        { type: 'connection', isOnline: true },
      ];
      state = finish.reduce(step, state);
      const all = state.pending;
      const sent: PendingAction[] = [];
      while (state.pending.length > 0) {
        const due = selectDue(state, 0);
        expect(due).not.toEqual([]);
        for (const each of due.toReversed()) {
          sent.push(each);
          state = step(step(state, { type: 'sending', id: each.id }), { type: 'removed', ids: [each.id] });
        }
      }
      expect(ids(sent).toSorted()).toEqual(ids(all).toSorted());
      const isReordered = (later: PendingAction, at: number) =>
        sent.slice(0, at).some((earlier) => doConflict(earlier, later) && earlier.order > later.order);
      expect(sent.filter(isReordered)).toEqual([]);
    }),
  );
});

test('the outbox of a tab sends actions on different rows at the same time, and those on the same row one after another', () => {
  const one = action(1, { keys: ['a'] });
  const two = action(2, { keys: ['b'] });
  const three = action(3, { keys: ['a'] });
  const state = run(...ready, add(one, two, three));
  expect(selectDue(state, 0)).toEqual([one, two]);
  const sending = step(state, { type: 'sending', id: one.id });
  expect(selectDue(sending, 0)).toEqual([two]);
  expect(selectDue(step(sending, { type: 'removed', ids: [one.id] }), 0)).toEqual([two, three]);
});

test('the outbox of a tab waits for an action of another tab on the same row, and for no other one', () => {
  const foreign = action(1, { keys: ['a'], senderId: 'other' });
  const same = action(2, { keys: ['a'] });
  const different = action(3, { keys: ['b'] });
  expect(selectDue(run(...ready, add(foreign, same, different)), 0)).toEqual([different]);
});

test('the outbox of a tab delays all actions after one that failed, and sends them one at a time', () => {
  const state = run(
    ...ready,
    add(action(1), action(2), action(3)),
    { type: 'sending', id: 'action-1' },
    { type: 'failed', id: 'action-1', nowMs: 100, delayMs: 50 },
  );
  expect(selectDue(state, 149)).toEqual([]);
  expect(ids(selectDue(state, 150))).toEqual(['action-1']);
  expect(ids(selectDelayed(state))).toEqual(['action-1', 'action-2', 'action-3']);
});

test('the outbox of a tab counts failures that were in flight together as one', () => {
  const state = run(
    ...ready,
    add(action(1), action(2)),
    { type: 'sending', id: 'action-1' },
    { type: 'sending', id: 'action-2' },
    { type: 'failed', id: 'action-1', nowMs: 100, delayMs: 50 },
    { type: 'failed', id: 'action-2', nowMs: 110, delayMs: 50 },
  );
  expect(state).toMatchObject({ failures: 1, retryAtMs: 150, sendingIds: new Set() });
});

test('the outbox of a tab retries at once after a reconnect, and after the failed action was removed', () => {
  const failed = run(
    ...ready,
    add(action(1), action(2)),
    { type: 'sending', id: 'action-1' },
    { type: 'failed', id: 'action-1', nowMs: 100, delayMs: 50 },
  );
  expect(ids(selectDue(step(failed, { type: 'connection', isOnline: true }), 100))).toEqual(['action-1']);
  expect(ids(selectDue(step(failed, { type: 'removed', ids: ['action-1'] }), 100))).toEqual(['action-2']);
});

test('the outbox of a tab shows no action as delayed that is in flight or can be undone', () => {
  const online = run(...ready, add(action(1), action(2, { isUndoable: true })));
  expect(selectDelayed(online)).toEqual([]);
  const offline = step(online, { type: 'connection', isOnline: false });
  expect(ids(selectDelayed(offline))).toEqual(['action-1', 'action-2']);
  const back = step(offline, { type: 'connection', isOnline: true });
  expect(ids(selectDelayed(back))).toEqual(['action-1']);
  expect(selectDelayed(step(back, { type: 'removed', ids: ['action-1'] }))).toEqual([]);
});

test('the outbox of a tab sends several actions at a time again once the delayed ones are removed', () => {
  const waited = run(
    ...ready,
    { type: 'connection', isOnline: false },
    add(action(1)),
    { type: 'connection', isOnline: true },
    { type: 'removed', ids: ['action-1'] },
    add(action(2), action(3)),
  );
  expect(ids(selectDue(waited, 0))).toEqual(['action-2', 'action-3']);
  expect(selectDelayed(waited)).toEqual([]);
});

test('the outbox of a tab orders actions with equal numbers as every other tab does', () => {
  const [one, other] = [action(1, { id: 'a' }), action(1, { id: 'b', senderId: 'other' })];
  for (const events of [
    [add(one), add(other)],
    [add(other), add(one)],
  ])
    expect(ids(run(...ready, ...events).pending)).toEqual(['a', 'b']);
});

test('the outbox of a tab drops the actions of a closed tab that were not stored', () => {
  const stored = action(1, { senderId: 'other', isUndoable: true });
  const lost = action(2, { senderId: 'other' });
  const adopted = { ...stored, senderId: 'own', isUndoable: false };
  const state = run(...ready, add(stored, lost), { type: 'adopted', from: 'other', actions: [adopted] });
  expect(state.pending).toEqual([adopted]);
});

test('the outbox of a tab does not undo an action on which a later one depends', () => {
  const state = run(...ready, add(action(1, { keys: ['a'] }), action(2, { keys: null })));
  expect(canUndo(state, 'action-1')).toBe(false);
  expect(canUndo(state, 'action-2')).toBe(true);
});

test('the outbox of a tab discards the later actions on the rows of a discarded one', () => {
  const all = [
    action(1, { keys: ['a', 'b'] }),
    action(2, { keys: ['b', 'c'] }),
    action(3, { keys: ['d'] }),
    action(4, { keys: ['c'] }),
    action(5, { keys: ['a'], topic: 'settings' }),
  ];
  expect(ids(withDependents(all, ['action-1']))).toEqual(['action-1', 'action-2', 'action-4']);
});

test.each<[string, OutboxEvent]>([
  ['an unknown action that is removed', { type: 'removed', ids: ['unknown'] }],
  ['an unknown action that fails', { type: 'failed', id: 'unknown', nowMs: 0, delayMs: 9 }],
  ['a known action that is added again', add(action(1))],
  ['the undo of an action that cannot be undone', { type: 'released', id: 'action-1' }],
  ['the undo of another tab’s action', { type: 'released', id: null }],
])('%s changes nothing', (_name, unknown) => {
  const state = run(...ready, add(action(1), action(2, { senderId: 'other', isUndoable: true })));
  expect(step(state, unknown)).toBe(state);
});

test('a release ends the undo of the named action, or of all actions of this tab', () => {
  const kept = [1, 2].map((number) => action(number, { isUndoable: true }));
  const foreign = action(3, { isUndoable: true, senderId: 'other' });
  const state = run(...ready, add(...kept, foreign));
  const undoable = ({ pending }: OutboxState) => ids(pending.filter(({ isUndoable }) => isUndoable));
  expect(undoable(step(state, { type: 'released', id: 'action-1' }))).toEqual(['action-2', 'action-3']);
  expect(undoable(step(state, { type: 'released', id: null }))).toEqual(['action-3']);
});

test('requests that fail together count as one failure, and one after the pause as another', () => {
  const sending = [1, 2, 3].map((number) => ({ type: 'sending', id: `action-${number}` }) as const);
  const failed = (number: number, nowMs: number): OutboxEvent => ({
    type: 'failed',
    id: `action-${number}`,
    nowMs,
    delayMs: 100,
  });
  const state = run(...ready, add(action(1), action(2), action(3)), ...sending, failed(1, 0));
  expect([state.failures, state.retryAtMs, [...state.sendingIds]]).toEqual([
    1,
    100,
    ['action-2', 'action-3'],
  ]);
  const together = step(state, failed(2, 99));
  expect([together.failures, together.retryAtMs, [...together.sendingIds]]).toEqual([1, 100, ['action-3']]);
  expect(step(together, failed(3, 100))).toMatchObject({ failures: 2, retryAtMs: 200 });
});

test('delayed actions are sent one at a time', () => {
  const state = run(
    ...ready,
    add(action(1), action(2)),
    { type: 'connection', isOnline: false },
    {
      type: 'connection',
      isOnline: true,
    },
  );
  expect(ids(selectDue(state, 0))).toEqual(['action-1']);
  expect(selectDue(step(state, { type: 'sending', id: 'action-1' }), 0)).toEqual([]);
});

test('nothing is delayed before the first failure', () => {
  expect(selectDelayed(run(add(action(1))))).toEqual([]);
  expect(initialState(true)).toMatchObject({ isDelayed: false, senderId: '' });
});

test('actions of the same order are sent by their ids, in whatever order they arrive', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => action(1, { id: name, keys: [name] })) as [
    PendingAction,
    PendingAction,
    PendingAction,
  ];
  for (const arrived of [
    [a, b, c],
    [c, b, a],
    [b, c, a],
  ])
    expect(ids(run(...arrived.map((each) => add(each))).pending)).toEqual(['a', 'b', 'c']);
});

test('a tab cannot undo an action of another tab', () => {
  const state = run(...ready, add(action(1), action(2, { senderId: 'other' })));
  expect([canUndo(state, 'action-1'), canUndo(state, 'action-2')]).toEqual([true, false]);
});

test('the dependents of an action are those on its rows alone', () => {
  const on = (number: number, ...keys: readonly string[]) => action(number, { keys });
  const pending = [
    on(1, 'a'),
    on(2, 'b'),
    on(3, 'a', 'c'),
    on(4, 'c'),
    on(5, 'b'),
    action(6, { keys: null }),
  ];
  expect(ids(withDependents(pending, ['action-1']))).toEqual(['action-1', 'action-3', 'action-4']);
  expect(ids(withDependents(pending, ['action-6']))).toEqual(['action-6']);
});
