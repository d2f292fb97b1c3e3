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
  const table = () => rest.from('notifications');
  const parse = (rows: readonly unknown[]) => parseNotifications(rows, now(), report);
  /** Writes the rows that have the status `from`; undefined: any. @returns the rows that were written. */
  const update = async (
    ids: readonly string[],
    values: { status: string } | { snoozed_until: string | null },
    from: NotificationStatus | undefined,
  ) => {
    const written = table().update(values).eq('recipient_id', userId).in('id', ids);
    return parse(await inChunks(written.where(...hasStatus(from)).select(), { keepalive: true }));
  };
  const findAll = async (ids: readonly string[]): Promise<readonly Notification[]> =>
    parse(await inChunks(table().select().eq('recipient_id', userId).in('id', ids)));
  /** The conditions of a list up to a `created_at`; null: of any age. */
  const listed = (filter: NotificationFilter, upTo: string | null) => [
    eq('recipient_id', userId),
    ...conditions(filter),
    ...(upTo === null ? [] : [lte('created_at', upTo)]),
  ];

  /** Changes a whole list in parts, the newest rows first. Each part is a transaction: when one fails, those before it stay written. */
  const writeInParts = async (part: () => Query<number>) => {
    const user = new CallUser();
    let count: number;
    do count = await part().execute({ keepalive: true, user });
    while (count >= partRows);
  };

  let hasChangesFunction = true;
  /** An older table lacks the column. */
  const notSnoozed = () =>
    hasChangesFunction ? [or(is('snoozed_until', null), lte('snoozed_until', 'now'))] : [];
  /** On a table without the functions of our migrations: three counts, and the lists are read again. */
  const countOnly = async (): Promise<NotificationsUpdate> => {
    const tabs = ['all', 'unread', 'archived'] as const;
    const [all = 0, unread = 0, archived = 0] = await Promise.all(
      tabs.map((tab) =>
        table()
          .count()
          .where(...listed({ tab, kind: null }, null))
          .execute(),
      ),
    );
    const totals = { ...zeroCounts, all, unread, archived };
    return { asOf: null, isReset: true, changes: [], totals };
  };

  return {
    /**
     * The page that follows `after`, newest first; null: the newest page. A filter with a query is searched. `isLast`: nothing
     * older exists.
     */
    async list(
      filter: NotificationFilter,
      { after, limit, signal }: { after: Cursor | null; limit: number; signal?: AbortSignal },
    ) {
      if (filter.query) {
        const { tab, kind, query, person, place } = filter;
        const isNeeded = tab === 'needs-you';
        const found = await rest
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
        return { notifications: parse(found), isLast: found.length < limit };
      }
      const rows = await table()
        .select()
        .eq('recipient_id', userId)
        .where(...conditions(filter), ...(after ? afterCursor(after) : []))
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(limit)
        .execute({ signal });
      return { notifications: parse(rows), isLast: rows.length < limit };
    },
    /** One notification of any status; null if it does not exist. */
    find: async (id: string) => (await findAll([id]))[0] ?? null,
    /** Those of the notifications that exist, in any order. */
    findAll,
    /** The newest row of each sender and thread that was notified about lately. */
    listRecentNames: async () => parse(await rest.rpc('recent_senders_and_threads').execute()),
    /** One request; `since` is the `asOf` of the previous response, null for the totals alone. */
    async changes(since: string | null): Promise<NotificationsUpdate> {
      if (!hasChangesFunction) return countOnly();
      try {
        const answer = changesAnswer(
          await rest.rpc('notification_changes', { since: since ?? '-infinity' }).execute(),
        );
        return {
          asOf: answer.as_of,
          isReset: answer.reset,
          changes: [
            ...parse([...answer.changed, ...answer.snoozed]).map(
              (notification) => ({ type: 'update', notification }) as const,
            ),
            ...answer.deleted.map((id) => ({ type: 'remove', id }) as const),
          ],
          totals: toCounts(answer.counts),
          kinds: answer.kinds,
        };
      } catch (problem) {
        if (!(problem instanceof RestError) || problem.code !== 'not-found') throw problem;
        hasChangesFunction = false;
        return countOnly();
      }
    },
    setStatus: (ids: readonly string[], status: NotificationStatus, from?: NotificationStatus) =>
      update(ids, { status }, from),
    /** Snoozes until the time, in milliseconds since the epoch; null ends the snooze. */
    snooze: (ids: readonly string[], untilMs: number | null, from?: NotificationStatus) =>
      update(ids, { snoozed_until: untilMs === null ? null : new Date(untilMs).toISOString() }, from),
    /**
     * @param unread how many are unread: many are marked by a function, which announces a bulk change first.
     * @param upTo `created_at` of the newest notification to mark; null: of any age.
     */
    async markAllRead(kind: string | null, unread: number, upTo: string | null): Promise<void> {
      if (unread > bulkRows && hasChangesFunction) {
        return writeInParts(() => rest.rpc('mark_all_notifications_read', bulkOf(kind, upTo)));
      }
      await table()
        .update({ status: 'read' })
        .where(...listed({ tab: 'unread', kind }, upTo), ...notSnoozed())
        .execute({ keepalive: true });
    },
    /** Deletes the whole list of the filter, up to a `created_at`; null: of any age. */
    async removeAll({ tab, kind }: NotificationFilter, upTo: string | null): Promise<void> {
      if (hasChangesFunction)
        return writeInParts(() => rest.rpc('delete_notifications', { tab, ...bulkOf(kind, upTo) }));
      await table()
        .delete()
        .where(...listed({ tab, kind }, upTo))
        .execute({ keepalive: true });
    },
    /** Archives the whole list of the filter, up to a `created_at`; null: of any age. */
    async archiveAll({ tab, kind }: NotificationFilter, upTo: string | null): Promise<void> {
      if (hasChangesFunction)
        return writeInParts(() => rest.rpc('archive_notifications', { tab, ...bulkOf(kind, upTo) }));
      await table()
        .update({ status: 'archived' })
        .where(...listed({ tab, kind }, upTo))
        .execute({ keepalive: true });
    },
    /** @returns the ids of the rows that were deleted. */
    async remove(ids: readonly string[], from?: NotificationStatus): Promise<readonly string[]> {
      const deleted = table().delete().eq('recipient_id', userId).in('id', ids);
      const rows = await inChunks(deleted.where(...hasStatus(from)).select('id'), { keepalive: true });
      return rows.map(({ id }) => id);
    },
  };
}

/** Not `eq`, which an index of the status serves: in a small table it looks as good as that of the ids, and reads more rows. */
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
const changesAnswer = schema.object({
  as_of: schema.string,
  reset: schema.boolean,
  changed: schema.listOf(schema.record),
  deleted: schema.listOf(schema.string),
  snoozed: schema.listOf(schema.record),
  counts: serverCounts,
  kinds: schema.nullish(registeredKinds),
});
