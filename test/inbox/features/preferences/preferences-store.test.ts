import { expect, test } from 'vitest';
import { PreferencesStore } from '../../../../src/inbox/features/preferences/data/preferences-store.ts';
import type { PreferencesStoreOptions } from '../../../../src/inbox/features/preferences/data/preferences-store.ts';
import { defaultSettings, isTemporary } from '../../../../src/inbox/features/preferences/preferences.ts';
import type {
  PreferenceChange,
  Preferences,
} from '../../../../src/inbox/features/preferences/preferences.ts';
import type { Change, RowRecord } from '../../../../src/realtime-client/index.ts';
import { RestError } from '../../../../src/rest-client/index.ts';
import { Outbox } from '../../../../src/inbox/shared/outbox/outbox.ts';
import type { OutboxNotice } from '../../../../src/inbox/shared/outbox/outbox-topic.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';
import { createMemoryStorage } from '../../../support/memory-outbox-storage.ts';

const minuteMs = 60_000;
const noRow = new RestError('not-one-row', 'The result contains 0 rows', { status: 406 });
const denied = new RestError('denied', 'Not allowed', { status: 403 });
const down = new RestError('network', 'No response');

const version = (number: number, change: PreferenceChange = {}): Preferences => ({
  ...defaultSettings,
  ...change,
  id: 'row',
  updated_at: `2026-01-01T00:00:0${number}+00:00`,
});

/** A store over a server with one row, which counts reads; `server.fault` makes every call fail. */
function openStore(options: Partial<PreferencesStoreOptions> = {}) {
  const world = createFakeWorld();
  const tab = world.openTab();
  const server = { row: version(1), reads: 0, fault: null as RestError | null, updates: [] as unknown[] };
  const notices: OutboxNotice[] = [];
  const outbox = new Outbox({
    userId: 'ada',
    storage: createMemoryStorage(),
    isRetryable: () => false,
    notify: (notice) => notices.push(notice),
    platform: tab,
  });
  const respond = async () => {
    await Promise.resolve();
    if (server.fault) throw server.fault;
    return server.row;
  };
  const store = new PreferencesStore({
    api: {
      read: () => {
        server.reads += 1;
        return respond();
      },
      insertDefaults: respond,
      update: async (change) => {
        server.updates.push(change);
        if (!server.fault) server.row = { ...server.row, ...change };
        return respond();
      },
    },
    platform: tab,
    outbox,
    ...options,
  });
  const { reported } = tab;
  return { world, store, server, reported, notices, known: () => store.getSnapshot().preferences };
}
const show = (store: PreferencesStore) => {
  const leave = store.subscribe(() => undefined);
  store.ensure();
  return leave;
};
const received = (record: unknown) => ({ type: 'UPDATE', record, oldRecord: {} }) as Change<RowRecord>;
const deletion = { type: 'DELETE', oldRecord: { id: 'row' } } as unknown as Change<RowRecord>;

test('the preferences store reads when a screen opens, and again only after five minutes', async () => {
  const { world, store, server } = openStore();
  show(store)();
  await world.settle();
  await world.clock.advance(5 * minuteMs - 1);
  show(store)();
  await world.settle();
  expect(server.reads).toBe(1);
  await world.clock.advance(1);
  show(store);
  await world.settle();
  expect(server.reads).toBe(2);
});

test('the preferences store shows a persisted copy without a read while it is fresh, and passes each newer one on', async () => {
  const kept: unknown[] = [];
  const restored = { value: version(1), readAtMs: createFakeWorld().openTab().clock.now() };
  const { world, store, server, known } = openStore({ restored, onRead: ({ value }) => kept.push(value) });
  expect(known()).toEqual(version(1));
  show(store);
  await world.settle();
  expect(server.reads).toBe(0);
  store.receive([received(version(2))]);
  expect(kept).toEqual([version(2)]);
});

test('the preferences store is discarded after 30 minutes without a screen, not while one is shown', async () => {
  const { world, store, known } = openStore();
  const leave = show(store);
  await world.clock.advance(40 * minuteMs);
  expect(known()).toEqual(version(1));
  leave();
  await world.clock.advance(29 * minuteMs);
  show(store)();
  await world.clock.advance(29 * minuteMs);
  expect(known()).toBeDefined();
  await world.clock.advance(minuteMs);
  expect(known()).toBeUndefined();
});

test('the preferences store reads after a gap at once if visible, otherwise when shown', async () => {
  const { world, store, server } = openStore();
  const leave = show(store);
  await world.settle();
  store.invalidate();
  await world.settle();
  expect(server.reads).toBe(2);
  leave();
  store.invalidate();
  await world.settle();
  expect(server.reads).toBe(2);
  show(store);
  await world.settle();
  expect(server.reads).toBe(3);
});

test('the preferences store does not read again for a second screen while a read is in flight', async () => {
  const { world, store, server } = openStore();
  show(store);
  show(store);
  await world.settle();
  expect(server.reads).toBe(1);
});

test('the preferences store keeps the newer version in any order of arrival', async () => {
  const { world, store, known } = openStore();
  show(store);
  store.receive([received(version(5))]);
  await world.settle();
  expect(known()).toEqual(version(5));
});

test('the preferences store reports a live row that it cannot parse, and applies those after it', () => {
  const { store, known, reported } = openStore();
  store.receive([received({ id: 7 }), received(version(2))]);
  expect(reported).toHaveLength(1);
  expect(known()).toMatchObject(version(2));
});

test('the preferences store saves changes in order and shows all of them meanwhile', async () => {
  const { world, store, server, known } = openStore();
  show(store);
  await world.settle();
  store.change({ email_edits: true });
  store.change({ email_edits: false, in_app_edits: false });
  expect(known()).toMatchObject({ email_edits: false, in_app_edits: false });
  expect(store.getSnapshot().isSaving).toBe(true);
  await world.settle();
  expect(server.updates).toEqual([{ email_edits: true }, { email_edits: false, in_app_edits: false }]);
  expect(store.getSnapshot()).toMatchObject({ isSaving: false, preferences: { in_app_edits: false } });
});

test('the preferences store rolls back a refused change and offers to repeat it', async () => {
  const { world, store, server, known, notices } = openStore();
  show(store);
  await world.settle();
  server.fault = denied;
  store.change({ email_edits: true });
  await world.settle();
  expect(known()).toMatchObject({ email_edits: false });
  server.fault = null;
  for (const notice of notices) if (notice.type === 'refused') notice.repeat();
  expect(known()).toMatchObject({ email_edits: true });
  await world.settle();
  expect(server.row).toMatchObject({ email_edits: true });
});

test('the preferences store reports a deletion by the live channel and by a change without a row', async () => {
  const { world, store, server, known } = openStore();
  show(store);
  await world.settle();
  store.receive([deletion]);
  expect(known()).toBeNull();
  store.reload();
  await world.settle();
  server.fault = noRow;
  store.change({ email_edits: true });
  await world.settle();
  expect(known()).toBeNull();
});

test('the preferences store shows temporary defaults that are neither saved nor treated as fresh', async () => {
  const { world, store, server, known } = openStore();
  server.fault = down;
  show(store)();
  await world.settle();
  expect(isTemporary(known())).toBe(true);
  store.change({ email_edits: true });
  store.reload();
  await world.settle();
  expect(known(), 'another failed read keeps the change').toMatchObject({ email_edits: true });
  expect(server.updates).toEqual([]);
  server.fault = null;
  show(store);
  await world.settle();
  expect(known()).toEqual(version(1));
});

test('the preferences store keeps the last row when a read fails, marked as outdated', async () => {
  const { world, store, server, known } = openStore();
  show(store);
  await world.settle();
  server.fault = down;
  store.reload();
  await world.settle();
  expect(store.getSnapshot()).toMatchObject({ isOutdated: true, isReading: false });
  expect(known()).toEqual(version(1));
  store.receive([received(version(2))]);
  expect(store.getSnapshot().isOutdated).toBe(false);
});
