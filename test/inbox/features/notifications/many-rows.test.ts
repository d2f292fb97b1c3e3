import { expect, test } from 'vitest';
import { createInboxStore } from '../../../../src/inbox/features/notifications/data/inbox-store.ts';
import { toEntries } from '../../../../src/inbox/features/notifications/model/list-entries.ts';
import { unfiltered } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import { createNotification } from './notification-fixtures.ts';

const loaded = 20_000;
/** Far more than linear work takes; quadratic work took many times this. */
const maxCpuMs = 1_500;

/** The CPU time, which other processes do not affect. */
function cpuMsOf(task: () => void): number {
  const before = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('an action on all of 20,000 loaded rows takes linear time', () => {
  const rows = Array.from({ length: loaded }, (_, index) =>
    createNotification(index, { minute: loaded - index, kind: 'edit' }),
  );
  const ids = rows.map(({ id }) => id);
  const store = createInboxStore();
  store.dispatch({ type: 'page', filter: unfiltered, after: null, rows, isLast: true, since: 0 });
  const cpuMs = cpuMsOf(() => {
    store.dispatch({ type: 'started', operation: { id: 'all', type: 'status', ids, status: 'read' } });
    expect(store.getSnapshot().counts.unread).toBe(0);
    store.dispatch({
      type: 'done',
      id: 'all',
      rows: rows.map((row) => Object.assign({}, row, { status: 'read' })),
    });
    expect(store.getSnapshot().counts.unread).toBe(0);
    const options = { groupsThreads: true, groupsSenders: true, openIds: new Set<string>() };
    expect(toEntries(store.getSnapshot().view.notifications, options)).toHaveLength(loaded);
  });
  expect(cpuMs).toBeLessThan(maxCpuMs);
});
