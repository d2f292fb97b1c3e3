import { describe, expect, test } from 'vitest';
import { createPreferencesStore } from '../../../../src/inbox/features/preferences/data/preferences-store.ts';
import {
  createPreferencesSender,
  createWaitingPreferences,
} from '../../../../src/inbox/features/preferences/data/waiting-preferences.ts';
import type { WaitingPreferences } from '../../../../src/inbox/features/preferences/data/waiting-preferences.ts';
import { defaultSettings } from '../../../../src/inbox/features/preferences/preferences.ts';
import type { Preferences } from '../../../../src/inbox/features/preferences/preferences.ts';
import { RestError } from '../../../../src/rest-client/index.ts';
import type {
  OutboxOutcome,
  OutboxTopic,
  WaitingChange,
} from '../../../../src/inbox/shared/outbox/outbox.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';

const row: Preferences = { ...defaultSettings, id: 'row', updated_at: '1', quiet_weekdays: [1, 2] };

function createServer(initial: Preferences | null = row) {
  const server = { row: initial, updates: 0 };
  const read = () =>
    server.row
      ? Promise.resolve(server.row)
      : Promise.reject(new RestError('not-one-row', 'There is no row', { status: 406 }));
  const update = (change: object) => {
    server.updates += 1;
    if (server.row) server.row = { ...server.row, ...change };
    return read();
  };
  return { server, api: { read, insertDefaults: read, update } };
}

describe('sending a pending change of preferences', () => {
  const waiting = createWaitingPreferences({ email_edits: true, quiet_weekdays: [6] }, row);

  test('applies it once when it is sent repeatedly', async () => {
    const { server, api } = createServer();
    const { send } = createPreferencesSender(api);
    expect([await send(waiting), await send(waiting)]).toEqual(['sent', 'sent']);
    expect(server).toMatchObject({ row: { email_edits: true, quiet_weekdays: [6] }, updates: 1 });
  });

  test('keeps a newer choice of another device', async () => {
    const { server, api } = createServer({ ...row, quiet_weekdays: [7] });
    expect(await createPreferencesSender(api).send(waiting)).toBe('changed');
    expect(server).toMatchObject({ row: { email_edits: false, quiet_weekdays: [7] }, updates: 0 });
  });

  test('reports a deleted row and rethrows other failures', async () => {
    expect(await createPreferencesSender(createServer(null).api).send(waiting)).toBe('deleted');
    const failing = { ...createServer().api, read: () => Promise.reject(new Error('No network')) };
    await expect(createPreferencesSender(failing).send(waiting)).rejects.toThrow('No network');
  });

  test('discards changes stored by another version of the application', () => {
    const { parse } = createPreferencesSender(createServer().api);
    expect(parse(structuredClone(waiting))).toEqual(waiting);
    expect([parse({ ...waiting, format: 0 }), parse(null)]).toEqual([null, null]);
  });
});

describe('preferences that are changed offline', () => {
  /** An outbox of which the test decides when a change is sent. */
  function createTopic() {
    let changes: readonly WaitingChange<WaitingPreferences>[] = [];
    const listeners = new Set<() => void>();
    const settled = new Set<(change: WaitingChange<WaitingPreferences>, outcome: OutboxOutcome) => void>();
    const set = (next: typeof changes) => {
      changes = next;
      for (const listener of listeners) listener();
    };
    const topic: OutboxTopic<WaitingPreferences> = {
      isBusy: () => changes.length > 0,
      add: (id, payload) => Promise.resolve(set([...changes, { id, payload }])),
      release: () => Promise.resolve(),
      withdraw: () => Promise.resolve(false),
      confirm: () => Promise.resolve(),
      getSnapshot: () => changes,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onSettled: (listener) => {
        settled.add(listener);
        return () => settled.delete(listener);
      },
    };
    const settle = (outcome: OutboxOutcome) => {
      const [oldest, ...others] = changes;
      for (const listener of settled) if (oldest) listener(oldest, outcome);
      set(others);
    };
    return { topic, settle };
  }
  async function openStore(topic: OutboxTopic<WaitingPreferences>) {
    const world = createFakeWorld();
    const tab = world.openTab();
    const { server, api } = createServer();
    let number = 0;
    const store = createPreferencesStore({
      api,
      clock: tab.clock,
      report: tab.report,
      isOnline: tab.page.isOnline,
      openOutbox: () => Promise.resolve(topic),
      createId: () => `change-${(number += 1)}`,
    });
    store.follow(topic);
    store.ensure();
    await world.settle();
    tab.setOnline(false);
    const change = (wanted: object) => store.change(wanted, () => expect.unreachable('it waits'));
    return { world, tab, server, store, change, shown: () => store.getSnapshot().preferences };
  }

  test('show a pending change, and keep it when it is sent', async () => {
    const { topic, settle } = createTopic();
    const { world, server, store, shown, change } = await openStore(topic);
    change({ email_edits: true });
    await world.settle();
    expect(shown()).toMatchObject({ email_edits: true });
    expect(topic.getSnapshot()).toMatchObject([
      { payload: { change: { email_edits: true }, before: { email_edits: false } } },
    ]);
    expect(server.updates).toBe(0);
    expect(store.getSnapshot().isSaving, 'a change that waits is not being saved').toBe(false);
    server.row = { ...row, email_edits: true, updated_at: '2' };
    settle('sent');
    await world.settle();
    expect(shown()).toEqual(server.row);
  });

  test('show the row again after a conflict', async () => {
    const { topic, settle } = createTopic();
    const { world, server, shown, change } = await openStore(topic);
    change({ quiet_weekdays: [6] });
    await world.settle();
    server.row = { ...row, quiet_weekdays: [7], updated_at: '2' };
    settle('changed');
    await world.settle();
    expect(shown()).toEqual(server.row);
  });

  test('wait for earlier changes, and are shown at the next visit', async () => {
    const { topic } = createTopic();
    const first = await openStore(topic);
    first.change({ email_edits: true });
    await first.world.settle();
    first.tab.setOnline(true);
    first.change({ email_comments: false });
    await first.world.settle();
    expect(first.server.updates).toBe(0);
    const next = await openStore(topic);
    expect(next.shown()).toMatchObject({ email_edits: true, email_comments: false });
  });
});
