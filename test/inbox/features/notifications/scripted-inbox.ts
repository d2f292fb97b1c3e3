import { createInbox, type Inbox } from '../../../../src/inbox/features/notifications/data/inbox.ts';
import { countNotifications } from '../../../../src/inbox/features/notifications/model/notification-counts.ts';
import type { NotificationCounts } from '../../../../src/inbox/features/notifications/model/notification-counts.ts';
import { matchesFilter } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import type { NotificationFilter } from '../../../../src/inbox/features/notifications/model/notification-filter.ts';
import {
  compareListed,
  compareNewestFirst,
} from '../../../../src/inbox/features/notifications/model/notification.ts';
import type {
  Notification,
  NotificationStatus,
} from '../../../../src/inbox/features/notifications/model/notification.ts';
import type { NotificationsApi } from '../../../../src/inbox/features/notifications/data/notifications-api.ts';
import type { NotificationChange } from '../../../../src/inbox/features/notifications/model/state-types.ts';
import { Outbox } from '../../../../src/inbox/shared/outbox/outbox.ts';
import type { OutboxNotice } from '../../../../src/inbox/shared/outbox/outbox-topic.ts';
import { createFakeWorld, type FakeTab, type FakeWorld } from '../../../support/fake-platform.ts';
import { createMemoryStorage, type MemoryStorage } from '../../../support/memory-outbox-storage.ts';
import { createNotification, type NotificationDetails } from './notification-fixtures.ts';

/** After more changes than this since the last response, the next one resets the list. */
const bulkRows = 100;

/** A table whose responses and live changes take time by the fake clock, and fail on command. */
export interface ScriptedTable {
  readonly requests: string[];
  /** Each state that a row has had, by its version. */
  readonly history: ReadonlyMap<string | null, Notification>;
  /** How many of the next requests are refused. */
  failures: number;
  /** Whether requests find no server. */
  isUnreachable: boolean;
  /** Whether requests neither reach the table nor get a response. */
  hangs: boolean;
  /** Whether live changes arrive. */
  isConnected: boolean;
  insert(number: number, details?: NotificationDetails): string;
  setStatus(id: string, status: NotificationStatus): void;
  /** Snoozes a row until a time of the fake clock; null ends the snooze. */
  snooze(id: string, untilMs: number | null): void;
  remove(id: string): void;
  ids(): readonly string[];
  /** The list as the inbox shows it. */
  select(filter: NotificationFilter): readonly Notification[];
  count(): NotificationCounts;
}

export interface ScriptedInbox {
  readonly world: FakeWorld;
  readonly tab: FakeTab;
  readonly table: ScriptedTable;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  /** What the outbox stores on this device. */
  readonly storage: MemoryStorage;
  /** The notices of every tab. */
  readonly notices: readonly OutboxNotice[];
  readonly arrivals: (readonly string[])[];
  /** The last live change of each row that has reached the tabs; null: its deletion. */
  readonly delivered: ReadonlyMap<string, Notification | null>;
  /** For how long nothing was in transit to or from the table, in milliseconds; 0 while something is. */
  quietMs(): number;
  openTab(): Inbox;
  /** The connection is restored: changes may have been missed. */
  reconnect(): void;
}

export interface ScriptedInboxOptions {
  readonly hasVersions?: boolean;
  readonly responseMs?: number;
  readonly changeMs?: number;
}

export function createScriptedInbox(options: ScriptedInboxOptions = {}): ScriptedInbox {
  const { hasVersions = true, responseMs = 50, changeMs = 80 } = options;
  const world = createFakeWorld();
  const rows = new Map<string, Notification>();
  const inboxes: Inbox[] = [];
  const history = new Map<string | null, Notification>();
  const delivered = new Map<string, Notification | null>();
  const arrivals: (readonly string[])[] = [];
  let version = 0;
  /** Which row changed when, for the responses to `changes`. */
  const log: { readonly id: string; readonly atMs: number }[] = [];

  let onTheWay = 0;
  let movedAtMs = 0;
  const later = <T>(delayMs: number, act: () => T) =>
    new Promise<T>((resolve, reject) => {
      onTheWay += 1;
      world.openTab().clock.setTimer(() => {
        onTheWay -= 1;
        movedAtMs = world.clock.now();
        try {
          resolve(act());
        } catch (problem) {
          reject(problem);
        }
      }, delayMs);
    });
  const announce = (change: NotificationChange) => {
    if (change.type !== 'remove') history.set(change.notification.version, change.notification);
    if (!table.isConnected) return;
    void later(changeMs, () => {
      if (!table.isConnected) return;
      if (change.type === 'remove') delivered.set(change.id, null);
      else delivered.set(change.notification.id, change.notification);
      inboxes.forEach((inbox) => inbox.receive([change]));
    });
  };
  const parsed = (row: Notification): Notification => ({
    ...row,
    isSnoozed: row.snoozedUntilMs !== null && row.snoozedUntilMs > world.clock.now(),
  });
  const parsedRows = () => [...rows.values()].map(parsed);
  const write = (id: string, change: (row: Notification) => Partial<Notification>) => {
    const row = rows.get(id);
    if (!row) return;
    version += 1;
    const notification = parsed({
      ...row,
      ...change(parsed(row)),
      version: hasVersions ? versionName(version) : null,
    });
    rows.set(id, notification);
    log.push({ id, atMs: world.clock.now() });
    announce({ type: 'update', notification });
  };
  const setStatus = (id: string, status: NotificationStatus) =>
    write(id, ({ isSnoozed }) => ({
      status,
      ...(isSnoozed && status !== 'unread' && { snoozedUntilMs: null }),
    }));
  /** A table without versions has none of the columns of the migrations either. */
  const snooze = (id: string, untilMs: number | null) =>
    hasVersions &&
    write(id, ({ status }) => ({
      snoozedUntilMs: untilMs,
      status: untilMs !== null && untilMs > world.clock.now() ? 'unread' : status,
    }));
  const compareReturn = (a: Notification, b: Notification) =>
    (a.snoozedUntilMs ?? 0) - (b.snoozedUntilMs ?? 0) || compareNewestFirst(a, b);
  const matchesQuery = ({ data }: Notification, { query }: NotificationFilter) =>
    !query || JSON.stringify(data).includes(query);
  /** Snoozed rows are in the server's lists too: only the client leaves them out. */
  const listed = (filter: NotificationFilter) =>
    parsedRows()
      .filter((row) => matchesQuery(row, filter))
      .filter((row) =>
        filter.query || filter.tab === 'snoozed'
          ? matchesFilter(row, filter)
          : matchesFilter({ ...row, isSnoozed: false }, filter),
      )
      .sort(compareNewestFirst);
  const table: ScriptedTable = {
    requests: [],
    history,
    failures: 0,
    isUnreachable: false,
    hangs: false,
    isConnected: true,
    insert(number, details) {
      version += 1;
      const notification = {
        ...createNotification(number, details),
        version: hasVersions ? versionName(version) : null,
      };
      rows.set(notification.id, notification);
      log.push({ id: notification.id, atMs: world.clock.now() });
      announce({ type: 'insert', notification });
      return notification.id;
    },
    setStatus,
    snooze: (id, untilMs) => void snooze(id, untilMs),
    remove(id) {
      if (!rows.delete(id)) return;
      version += 1;
      log.push({ id, atMs: world.clock.now() });
      announce({ type: 'remove', id });
    },
    ids: () => [...rows.keys()],
    select: (filter) =>
      parsedRows()
        .filter((row) => matchesQuery(row, filter) && matchesFilter(row, filter))
        .sort(filter.tab === 'snoozed' ? compareReturn : compareListed),
    count: () => countNotifications(parsedRows()),
  };
  /** Half of the latency precedes the access to the table, half follows it. */
  const request = async <T>(name: string, act: () => T): Promise<T> => {
    table.requests.push(name);
    if (table.hangs) return new Promise(() => undefined);
    const response = await later(responseMs / 2, () => {
      if (table.isUnreachable) throw new Unreachable();
      if (table.failures === 0) return act();
      table.failures -= 1;
      throw new Error('The request failed');
    });
    return later(responseMs / 2, () => response);
  };
  const api: NotificationsApi = {
    list: (filter, { after, limit }) =>
      request(`list ${filter.tab}${filter.query ? ` "${filter.query}"` : ''} ${limit}`, () => {
        const found = listed(filter).filter((row) => !after || compareNewestFirst(row, after) > 0);
        return { notifications: found.slice(0, limit), isLast: found.length < limit };
      }),
    find: (id) =>
      request('find', () => {
        const row = rows.get(id);
        return row ? parsed(row) : null;
      }),
    changes: async (since) => {
      const response = await request('changes', () => {
        if (!hasVersions) return { asOf: null, isReset: true, changes: [], totals: table.count() };
        const nowMs = world.clock.now();
        // As the server does, the response repeats the changes of 30 seconds.
        const recent = log.filter(({ atMs }) => since !== null && atMs > asOfMs(since) - 30_000);
        const isReset = since === null || recent.length > bulkRows;
        const snoozed = parsedRows().flatMap(({ id, snoozedUntilMs, status }) =>
          isReset && snoozedUntilMs !== null && status !== 'archived' ? [id] : [],
        );
        return {
          asOf: `${versionName(version)} ${nowMs}`,
          isReset,
          changes: [...new Set([...recent.map(({ id }) => id), ...snoozed])].map((id) => {
            const notification = rows.get(id);
            return notification
              ? ({ type: 'update', notification: parsed(notification) } as const)
              : ({ type: 'remove', id } as const);
          }),
          totals: table.count(),
        };
      });
      return response;
    },
    findAll: (ids) => request('find all', () => ids.flatMap((id) => rows.get(id) ?? []).map(parsed)),
    listRecentNames: () => request('list recent names', parsedRows),
    setStatus: (ids, status, from) =>
      request('set status', () => {
        const written = withStatus(ids, from);
        for (const id of written) setStatus(id, status);
        return written.flatMap((id) => rows.get(id) ?? []).map(parsed);
      }),
    snooze: (ids, untilMs, from) =>
      request('snooze', () => {
        const written = withStatus(ids, from);
        for (const id of written) snooze(id, untilMs);
        return written.flatMap((id) => rows.get(id) ?? []).map(parsed);
      }),
    markAllRead: (kind, _unread, upTo) =>
      request('mark all read', () => {
        for (const { id } of selectUpTo({ tab: 'unread', kind }, upTo)) setStatus(id, 'read');
      }),
    remove: (ids, from) =>
      request('remove', () => {
        const removed = withStatus(ids, from);
        for (const id of removed) table.remove(id);
        return removed;
      }),
    archiveAll: (filter, upTo) =>
      request('archive all', () => {
        for (const { id } of selectUpTo(filter, upTo)) setStatus(id, 'archived');
      }),
    removeAll: (filter, upTo) =>
      request('remove all', () => {
        for (const { id } of selectUpTo(filter, upTo)) table.remove(id);
      }),
  };
  const withStatus = (ids: readonly string[], from: NotificationStatus | undefined) =>
    ids.filter((id) => rows.has(id) && (from === undefined || rows.get(id)?.status === from));
  const selectUpTo = (filter: NotificationFilter, upTo: string | null) =>
    table.select(filter).filter(({ createdAtMs }) => upTo === null || createdAtMs <= Date.parse(upTo));
  const storage = createMemoryStorage();
  const notices: OutboxNotice[] = [];
  const open = (tab: FakeTab) => {
    const outbox = new Outbox({
      userId: 'user',
      storage,
      isRetryable: (problem) => problem instanceof Unreachable,
      notify: (notice) => notices.push(notice),
      platform: tab,
    });
    const inbox = createInbox({
      api,
      outbox,
      platform: tab,
      onArrival: (arrived) => arrivals.push(arrived.map(({ id }) => id)),
    });
    inboxes.push(inbox);
    void outbox.start();
    return { inbox, outbox };
  };
  const tab = world.openTab();
  return {
    world,
    tab,
    table,
    arrivals,
    delivered,
    quietMs: () => (onTheWay > 0 ? 0 : world.clock.now() - movedAtMs),
    ...open(tab),
    storage,
    notices,
    openTab: () => open(world.openTab()).inbox,
    reconnect() {
      table.isConnected = true;
      inboxes.forEach((inbox) => inbox.catchUp());
    },
  };
}

/** The server was not reached: the same request may succeed later. */
class Unreachable extends Error {}

const versionName = (version: number) => String(version).padStart(9, '0');
/** A scripted `asOf` is the last version, by which rows are compared, and the time in milliseconds. */
const asOfMs = (asOf: string) => Number(asOf.split(' ')[1]);

export function shownIds(inbox: Inbox): readonly string[] {
  return inbox.getSnapshot().view.notifications.map(({ id }) => id);
}

/** A live inbox over a table of `count` rows. */
export async function openScriptedInbox(
  count: number,
  options?: Parameters<typeof createScriptedInbox>[0],
): Promise<ScriptedInbox> {
  const scripted = createScriptedInbox(options);
  scripted.table.isConnected = false;
  for (let number = 1; number <= count; number += 1) scripted.table.insert(number);
  scripted.table.isConnected = true;
  scripted.inbox.start();
  await scripted.world.clock.advance(1_000);
  return scripted;
}

export const idOf = ({ inbox }: ScriptedInbox, at: number) => shownIds(inbox)[at] ?? '';
export const statusOf = ({ inbox }: ScriptedInbox, id: string) =>
  inbox.getSnapshot().view.notifications.find((notification) => notification.id === id)?.status;
