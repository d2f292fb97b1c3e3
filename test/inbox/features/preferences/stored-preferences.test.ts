import { describe, expect, test } from 'vitest';
import { PreferencesStore } from '../../../../src/inbox/features/preferences/data/preferences-store.ts';
import {
  createStoredPreferences,
  parseStoredPreferences,
  sendPreferences,
} from '../../../../src/inbox/features/preferences/data/stored-preferences.ts';
import { defaultSettings } from '../../../../src/inbox/features/preferences/preferences.ts';
import type {
  PreferenceChange,
  Preferences,
} from '../../../../src/inbox/features/preferences/preferences.ts';
import { RestError } from '../../../../src/rest-client/index.ts';
import { Outbox } from '../../../../src/inbox/shared/outbox/outbox.ts';
import type { OutboxNotice } from '../../../../src/inbox/shared/outbox/outbox-topic.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';
import { createMemoryStorage } from '../../../support/memory-outbox-storage.ts';

const row: Preferences = { ...defaultSettings, id: 'row', updated_at: '1', quiet_weekdays: [1, 2] };

function createServer(initial: Preferences | null = row) {
  const server = { row: initial, updates: 0 };
  const noRow = () => Promise.reject(new RestError('not-one-row', 'There is no row', { status: 406 }));
  const read = () => (server.row ? Promise.resolve(server.row) : noRow());
  const update = (change: PreferenceChange, before: PreferenceChange = {}) => {
    const isAsBefore = Object.entries(before).every(
      ([name, value]) => JSON.stringify(server.row?.[name as keyof Preferences]) === JSON.stringify(value),
    );
    if (!server.row || !isAsBefore) return noRow();
    server.updates += 1;
    server.row = { ...server.row, ...change, updated_at: String(server.updates + 1) };
    return read();
  };
  return { server, api: { read, insertDefaults: read, update } };
}

describe('sending a pending change of preferences', () => {
  const stored = createStoredPreferences({ email_edits: true, quiet_weekdays: [6] }, row);

  test('sending a pending change of preferences applies it once when it is sent repeatedly', async () => {
    const { server, api } = createServer();
    const types = [(await sendPreferences(api, stored)).type, (await sendPreferences(api, stored)).type];
    expect(types).toEqual(['sent', 'sent']);
    expect(server).toMatchObject({ row: { email_edits: true, quiet_weekdays: [6] }, updates: 1 });
  });

  test('sending a pending change of preferences recognizes the choices that the database has stored in its own order', async () => {
    const choices = createStoredPreferences({ kinds: { build_failed: { in_app: false, email: true } } }, row);
    const { api } = createServer({ ...row, kinds: { build_failed: { email: true, in_app: false } } });
    expect((await sendPreferences(api, choices)).type).toBe('sent');
  });

  test('sending a pending change of preferences keeps a newer choice of another device', async () => {
    const { server, api } = createServer({ ...row, quiet_weekdays: [7] });
    expect(await sendPreferences(api, stored)).toEqual({ type: 'changed', response: server.row });
    expect(server).toMatchObject({ row: { email_edits: false, quiet_weekdays: [7] }, updates: 0 });
  });

  test('sending a pending change of preferences reports a deleted row and rethrows other failures', async () => {
    expect((await sendPreferences(createServer(null).api, stored)).type).toBe('deleted');
    const failing = { ...createServer().api, update: () => Promise.reject(new Error('No network')) };
    await expect(sendPreferences(failing, stored)).rejects.toThrow('No network');
  });

  test('sending a pending change of preferences drops changes stored by another version of the application', () => {
    expect(parseStoredPreferences(structuredClone(stored))).toEqual(stored);
    expect([parseStoredPreferences({ ...stored, format: 0 }), parseStoredPreferences(null)]).toEqual([
      null,
      null,
    ]);
  });
});

describe('preferences that are changed offline', () => {
  async function openDevice() {
    const world = createFakeWorld();
    const storage = createMemoryStorage();
    const { server, api } = createServer();
    const notices: OutboxNotice[] = [];
    const open = async () => {
      const tab = world.openTab();
      const outbox = new Outbox({
        userId: 'ada',
        storage,
        isRetryable: () => true,
        notify: (notice) => notices.push(notice),
        platform: tab,
      });
      const store = new PreferencesStore({ api, platform: tab, outbox });
      tab.setOnline(false);
      await outbox.start();
      store.ensure();
      await world.settle();
      return { tab, outbox, store, shown: () => store.getSnapshot().preferences };
    };
    return { world, server, notices, open, ...(await open()) };
  }

  test('preferences that are changed offline are shown at once, are not being saved while offline, and stay when they are sent', async () => {
    const { world, tab, server, store, shown, outbox } = await openDevice();
    store.change({ email_edits: true });
    expect(shown()).toMatchObject({ email_edits: true });
    expect(outbox.getSnapshot()).toMatchObject([
      { payload: { change: { email_edits: true }, before: { email_edits: false } } },
    ]);
    expect(store.getSnapshot().isSaving).toBe(false);
    await world.clock.advance(1_000);
    expect(server.updates).toBe(0);
    tab.setOnline(true);
    await world.clock.advance(1_000);
    expect(server.updates).toBe(1);
    expect(shown()).toEqual(server.row);
    expect(outbox.getSnapshot()).toEqual([]);
  });

  test('preferences that are changed offline show the row again after a conflict', async () => {
    const { world, tab, server, store, shown, notices } = await openDevice();
    store.change({ quiet_weekdays: [6] });
    server.row = { ...row, quiet_weekdays: [7], updated_at: '2' };
    tab.setOnline(true);
    await world.clock.advance(1_000);
    expect(shown()).toEqual(server.row);
    expect(notices).toMatchObject([{ type: 'changed' }]);
  });

  test('preferences that are changed offline are shown in other tabs and at the next visit, and sent by it', async () => {
    const { world, tab, server, store, open } = await openDevice();
    store.change({ email_edits: true });
    store.change({ email_comments: false });
    await world.settle();
    const other = await open();
    expect(other.shown()).toMatchObject({ email_edits: true, email_comments: false });
    tab.crash();
    await world.settle();
    other.tab.setOnline(true);
    await world.clock.advance(1_000);
    expect(server.row).toMatchObject({ email_edits: true, email_comments: false });
    expect(other.shown()).toEqual(server.row);
  });
});
