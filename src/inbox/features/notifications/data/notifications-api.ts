import type { Database } from '../../../database.types.ts';
import { CallUser } from 'supabase-protocol-clients/platform';
import * as schema from 'supabase-protocol-clients/platform/schema';
import {
  eq,
  gt,
  inChunks,
  is,
  isDistinct,
  lt,
  lte,
  neq,
  not,
  or,
  RestError,
} from 'supabase-protocol-clients/rest-client';
import type { Query, RestClient } from 'supabase-protocol-clients/rest-client';
import type { RegisteredKind } from '../../../shared/registered-kinds.ts';
import {
  parseNotifications,
  type Cursor,
  type Notification,
  type NotificationStatus,
} from '../model/notification.ts';
import { serverCounts, toCounts, zeroCounts, type NotificationCounts } from '../model/notification-counts.ts';
import type { InboxTab, NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationChange } from '../model/state-types.ts';

/** The changes since an earlier response, with the totals of the same moment. */
export interface NotificationsUpdate {
  /** The `since` of the next call; null: the server cannot list changes. */
  readonly asOf: string | null;
  /** Changes are missing from the response: the lists have to be read again. */
  readonly isReset: boolean;
  /** After a reset also the snoozed notifications that return next, and those that returned recently. */
  readonly changes: readonly NotificationChange[];
  readonly totals: NotificationCounts;
  /** The kinds that the team registered; null: unchanged, or the database has none. */
  readonly kinds?: readonly RegisteredKind[] | null | undefined;
}

/** More rows than this in one statement are a bulk change (see the migration of `notification_bulk_changes`). */
const bulkRows = 100;
/** Rows of one part of a bulk change: one or two seconds of the database, whose API ends a request after eight. */
const partRows = 5_000;

export type NotificationsApi = ReturnType<typeof createNotificationsApi>;

/**
 * The requests about notifications, limited to the user's own rows. Every write outlives the page.
 *
 * @param report receives rows that cannot be parsed; they are left out.
 * @param now the current time in milliseconds, which determines whether a row is snoozed.
 */
export function createNotificationsApi(
  rest: RestClient<Database>,
  userId: string,
  report: (problem: unknown) => void,
  now: () => number,
) {
  const rows = new OwnRows(rest, userId, (values) => parseNotifications(values, now(), report));
  return {
    ...createReads(rows),
    ...createWrites(rows),
    ...createListWrites(rows),
    /** One request; `since` is the `asOf` of the previous response, null for the totals alone. */
    changes: (since: string | null) => readChanges(rows, since),
  };
}

class OwnRows {
  readonly rest: RestClient<Database>;
  readonly userId: string;
  readonly parse: (rows: readonly unknown[]) => readonly Notification[];
  /** Whether the database has the functions of our migrations, and the column `snoozed_until`. */
  hasFunctions = true;

  constructor(rest: RestClient<Database>, userId: string, parse: OwnRows['parse']) {
    this.rest = rest;
    this.userId = userId;
    this.parse = parse;
  }

  table() {
    return this.rest.from('notifications');
  }

  /** The conditions of a list up to a `created_at`; null: of any age. */
  listed(filter: NotificationFilter, upTo: string | null) {
    return [
      eq('recipient_id', this.userId),
      ...conditions(filter),
      ...(upTo === null ? [] : [lte('created_at', upTo)]),
    ];
  }
}

function createReads(own: OwnRows) {
  const findAll = async (ids: readonly string[]): Promise<readonly Notification[]> =>
    own.parse(await inChunks(own.table().select().eq('recipient_id', own.userId).in('id', ids)));
  return {
    /**
     * The page that follows `after`, newest first; null: the newest page. A filter with a query is searched. `isLast`: nothing
     * older exists.
     */
    async list(filter: NotificationFilter, request: PageRequest) {
      const rows = await (filter.query
        ? search(own.rest, filter, filter.query, request)
        : readPage(own, filter, request));
      return { notifications: own.parse(rows), isLast: rows.length < request.limit };
    },
    /** One notification of any status; null if it does not exist. */
    find: async (id: string) => (await findAll([id]))[0] ?? null,
    /** The given notifications that exist, in any order. */
    findAll,
    /** The newest row of each sender and thread that was notified about lately. */
    listRecentNames: async () => own.parse(await own.rest.rpc('recent_senders_and_threads').execute()),
  };
}

interface PageRequest {
  readonly after: Cursor | null;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

function search(
  rest: RestClient<Database>,
  { tab, kind, person, place }: NotificationFilter,
  query: string,
  { after, limit, signal }: PageRequest,
) {
  const isNeeded = tab === 'needs-you';
  return rest
    .rpc('search_notifications', {
      query,
      tab: isNeeded ? 'unread' : tab,
      page_size: limit,
      ...(kind !== null && { kind }),
      ...(person && { sender: person }),
      ...(place && { thread: place }),
      ...(isNeeded && { needs_user: true }),
      ...(after && { before_created_at: after.createdAt, before_id: after.id }),
    })
    .execute({ signal });
}

function readPage(own: OwnRows, filter: NotificationFilter, { after, limit, signal }: PageRequest) {
  return own
    .table()
    .select()
    .where(...own.listed(filter, null), ...(after ? afterCursor(after) : []))
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
    .limit(limit)
    .execute({ signal });
}

async function readChanges(own: OwnRows, since: string | null): Promise<NotificationsUpdate> {
  if (!own.hasFunctions) return countOnly(own);
  try {
    const response = changesResponse(
      await own.rest.rpc('notification_changes', { since: since ?? '-infinity' }).execute(),
    );
    const updated = own.parse([...response.changed, ...response.snoozed]);
    return {
      asOf: response.as_of,
      isReset: response.reset,
      changes: [
        ...updated.map((notification) => ({ type: 'update', notification }) as const),
        ...response.deleted.map((id) => ({ type: 'remove', id }) as const),
      ],
      totals: toCounts(response.counts),
      kinds: response.kinds,
    };
  } catch (problem) {
    if (!(problem instanceof RestError) || problem.code !== 'not-found') throw problem;
    own.hasFunctions = false;
    return countOnly(own);
  }
}

/** On a table without the functions of our migrations: three counts, and the lists are read again. */
async function countOnly(own: OwnRows): Promise<NotificationsUpdate> {
  const count = (tab: InboxTab) =>
    own
      .table()
      .count()
      .where(...own.listed({ tab, kind: null }, null))
      .execute();
  const [all, unread, archived] = await Promise.all([count('all'), count('unread'), count('archived')]);
  const totals = { ...zeroCounts, all, unread, archived };
  return { asOf: null, isReset: true, changes: [], totals };
}

function createWrites(own: OwnRows) {
  /** Writes the rows that have the status `from`; undefined: any. @returns the rows that were written. */
  const update = async (
    ids: readonly string[],
    values: { status: string } | { snoozed_until: string | null },
    from: NotificationStatus | undefined,
  ) => {
    const written = own.table().update(values).eq('recipient_id', own.userId).in('id', ids);
    return own.parse(await inChunks(written.where(...hasStatus(from)).select(), { keepalive: true }));
  };
  return {
    setStatus: (ids: readonly string[], status: NotificationStatus, from?: NotificationStatus) =>
      update(ids, { status }, from),
    /** Snoozes until the time, in milliseconds since the epoch; null ends the snooze. */
    snooze: (ids: readonly string[], untilMs: number | null, from?: NotificationStatus) =>
      update(ids, { snoozed_until: untilMs === null ? null : new Date(untilMs).toISOString() }, from),
    /** @returns the ids of the rows that were deleted. */
    async remove(ids: readonly string[], from?: NotificationStatus): Promise<readonly string[]> {
      const deleted = own.table().delete().eq('recipient_id', own.userId).in('id', ids);
      const rows = await inChunks(deleted.where(...hasStatus(from)).select('id'), { keepalive: true });
      return rows.map(({ id }) => id);
    },
  };
}

/** Writes of whole lists, up to a `created_at`; null: of any age. */
function createListWrites(own: OwnRows) {
  return {
    /** @param unread how many are unread: many are marked by a function, which announces a bulk change first. */
    async markAllRead(kind: string | null, unread: number, upTo: string | null): Promise<void> {
      if (unread > bulkRows && own.hasFunctions)
        return writeInParts(() => own.rest.rpc('mark_all_notifications_read', bulkOf(kind, upTo)));
      const notSnoozed = or(is('snoozed_until', null), lte('snoozed_until', 'now'));
      await own
        .table()
        .update({ status: 'read' })
        .where(...own.listed({ tab: 'unread', kind }, upTo), ...(own.hasFunctions ? [notSnoozed] : []))
        .execute({ keepalive: true });
    },
    async removeAll({ tab, kind }: NotificationFilter, upTo: string | null): Promise<void> {
      if (own.hasFunctions)
        return writeInParts(() => own.rest.rpc('delete_notifications', { tab, ...bulkOf(kind, upTo) }));
      await own
        .table()
        .delete()
        .where(...own.listed({ tab, kind }, upTo))
        .execute({ keepalive: true });
    },
    async archiveAll({ tab, kind }: NotificationFilter, upTo: string | null): Promise<void> {
      if (own.hasFunctions)
        return writeInParts(() => own.rest.rpc('archive_notifications', { tab, ...bulkOf(kind, upTo) }));
      await own
        .table()
        .update({ status: 'archived' })
        .where(...own.listed({ tab, kind }, upTo))
        .execute({ keepalive: true });
    },
  };
}

/** Changes a whole list in parts, the newest rows first. Each part is a transaction: when one fails, those before it stay written. */
async function writeInParts(part: () => Query<number>): Promise<void> {
  const user = new CallUser();
  let count: number;
  do count = await part().execute({ keepalive: true, user });
  while (count >= partRows);
}

/**
 * Not `eq`: for small tables PostgreSQL would use the index of the status, which reads more rows than that of the ids.
 */
function hasStatus(status: NotificationStatus | undefined) {
  return status === undefined ? [] : [not(isDistinct('status', status))];
}

function conditions({ tab, kind, person, place }: NotificationFilter) {
  return [
    ...conditionsOfTab(tab),
    ...(kind === null ? [] : [eq('kind', kind)]),
    ...(person ? [eq('sender_id', person)] : []),
    ...(place ? [eq('thread', place)] : []),
  ];
}

function conditionsOfTab(tab: InboxTab) {
  switch (tab) {
    case 'all':
      return [neq('status', 'archived')];
    case 'snoozed':
      // `now` is the server's time.
      return [gt('snoozed_until', 'now')];
    case 'needs-you':
      return [eq('status', 'unread'), is('needs_user', true)];
    case 'unread':
    case 'archived':
      return [eq('status', tab)];
  }
}

/** Rows after the cursor in the list's order. The first condition bounds the range of the index. */
function afterCursor({ createdAt, id }: Cursor) {
  return [lte('created_at', createdAt), or(lt('created_at', createdAt), lt('id', id))];
}

/** The parameters of the functions that change a whole list. */
function bulkOf(kind: string | null, upTo: string | null) {
  return { most: partRows, ...(kind !== null && { kind }), ...(upTo !== null && { up_to: upTo }) };
}

/** Rows of the table `notification_kinds`. */
const registeredKinds = schema.listOf(
  schema.object({
    name: schema.string,
    labels: schema.recordOf(schema.string),
    icon: schema.string,
    in_app: schema.boolean,
    email: schema.boolean,
    templates: schema.recordOf(
      schema.object({ title: schema.optional(schema.string), text: schema.optional(schema.string) }),
    ),
    callbacks: schema.listOf(schema.string),
    is_topic: schema.optional(schema.boolean),
  }),
);

/** The response of `notification_changes`; its rows are parsed one by one. */
const changesResponse = schema.object({
  as_of: schema.string,
  reset: schema.boolean,
  changed: schema.listOf(schema.record),
  deleted: schema.listOf(schema.string),
  snoozed: schema.listOf(schema.record),
  counts: serverCounts,
  kinds: schema.nullish(registeredKinds),
});
