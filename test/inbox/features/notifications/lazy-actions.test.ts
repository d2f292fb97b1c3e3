import { expect, test, vi } from 'vitest';
import type { InboxActions } from '../../../../src/inbox/features/notifications/actions/inbox-actions.ts';
import type { InboxActionsOptions } from '../../../../src/inbox/features/notifications/actions/inbox-actions.ts';
import { createLazyActions } from '../../../../src/inbox/features/notifications/actions/lazy-actions.ts';
import { deferred } from '../../../support/wire/replies.ts';

/** Lazy actions whose code arrives when the test says so; `calls` are those that reached it. */
function setUp() {
  const calls: string[] = [];
  const reported: unknown[] = [];
  const record = (name: string) => () => void calls.push(name);
  const undoable = (name: string) => () => {
    calls.push(name);
    return { commit: record(`commit ${name}`), undo: record(`undo ${name}`) };
  };
  const loaded: InboxActions = {
    setStatus(ids, status) {
      calls.push(`${status} ${ids.join()}`);
      return Promise.resolve(0);
    },
    snooze() {
      calls.push('snooze');
      return Promise.resolve(0);
    },
    markAllRead: undoable('read all'),
    remove: undoable('remove'),
    removeAll: undoable('remove all'),
    retry: record('retry'),
    openOutbox: record('open outbox'),
    commitAll: record('commit all'),
    close: record('close'),
  };
  const loads: ReturnType<typeof deferred<{ createInboxActions: () => InboxActions }>>[] = [];
  const options = {
    report: (problem: unknown) => reported.push(problem),
    tabs: { close: record('close channel') },
  } as unknown as InboxActionsOptions;
  const actions = createLazyActions(options, () => {
    const load = deferred<{ createInboxActions: () => InboxActions }>();
    loads.push(load);
    return load.promise;
  });
  return {
    actions,
    calls,
    loads,
    reported,
    arrive: () => loads.at(-1)?.resolve({ createInboxActions: () => loaded }),
  };
}

test('loads its code once, and performs earlier actions in their order when it is there', async () => {
  const { actions, calls, loads, arrive } = setUp();
  void actions.setStatus(['a'], 'archived');
  const removal = actions.remove(['b']);
  removal.undo();
  expect(calls).toEqual([]);
  arrive();
  await vi.waitFor(() => expect(calls).toEqual(['archived a', 'remove', 'undo remove']));
  actions.markAllRead(null).commit();
  expect(calls.slice(3)).toEqual(['read all', 'commit read all']);
  expect(loads).toHaveLength(1);
});

test('reports that its code could not be loaded, and tries again with the next action', async () => {
  const { actions, calls, loads, reported, arrive } = setUp();
  const problem = new TypeError('Failed to fetch dynamically imported module');
  loads[0]?.reject(problem);
  await vi.waitFor(() => expect(reported).toEqual([problem]));
  void actions.setStatus(['a'], 'read');
  arrive();
  await vi.waitFor(() => expect(calls).toEqual(['read a']));
});

test('closed before its code is loaded, closes the actions then and performs none', async () => {
  const { actions, calls, arrive } = setUp();
  void actions.setStatus(['a'], 'read');
  actions.commitAll();
  actions.close();
  expect(calls).toEqual(['close channel']);
  arrive();
  await vi.waitFor(() => expect(calls).toContain('close'));
  // Time for the action that waited.
  await Promise.resolve();
  expect(calls).toEqual(['close channel', 'close']);
});
