import { asksForAnswer, needsUser, type Notification } from './notification.ts';

/** One row of the list: a notification, or several of one thread. */
export interface ListEntry {
  readonly id: string;
  /** Newest first. */
  readonly notifications: readonly [Notification, ...Notification[]];
  /** Whether the notifications of the thread are listed below it. */
  readonly isOpen: boolean;
  /** Whether it is listed below its thread. */
  readonly isMember: boolean;
  /** Whether it is listed above the days, because it needs the user. */
  readonly isLifted: boolean;
}

export interface EntryOptions {
  /** Whether the notifications of a thread are one row. */
  readonly isGrouped: boolean;
  /** Ids of threads whose notifications are listed. */
  readonly openGroups: ReadonlySet<string>;
  /** Whether rows that need the user are listed above the rest until they are read. */
  readonly isLifting: boolean;
  /** Ids that stay above although they were read: rows keep their places while the detail steps through them. */
  readonly keptIds: ReadonlySet<string>;
}

/**
 * Maximum number of rows above the rest: the newest that need the user. The first response contains as many, so that no later
 * page changes them.
 */
const mostLifted = 10;

/** Returns the rows of a list in their order. A thread has the position of its newest notification. */
export function toEntries(
  notifications: readonly Notification[],
  options: EntryOptions,
): readonly ListEntry[] {
  const { isGrouped, openGroups, isLifting, keptIds } = options;
  const threads = new Map<string, [Notification, ...Notification[]]>();
  for (const notification of notifications) {
    const key = (isGrouped ? groupKey(notification) : null) ?? notification.id;
    const thread = threads.get(key);
    if (thread) thread.push(notification);
    else threads.set(key, [notification]);
  }
  const unread = notifications.filter((row) => row.status === 'unread' && needsUser(row));
  const wanted = new Set(unread.slice(0, mostLifted));
  const isWanted = (row: Notification) => wanted.has(row) || (keptIds.has(row.id) && needsUser(row));
  const lifted: ListEntry[] = [];
  const others: ListEntry[] = [];
  for (const [key, rows] of threads) {
    const isLifted = isLifting && rows.some(isWanted);
    const target = isLifted ? lifted : others;
    if (rows.length === 1) {
      target.push(singleEntry(rows[0], isLifted, false));
      continue;
    }
    const isOpen = openGroups.has(key);
    target.push({ id: key, notifications: rows, isOpen, isMember: false, isLifted });
    if (isOpen) target.push(...rows.map((row) => singleEntry(row, isLifted, true)));
  }
  return [...lifted, ...others];
}

const singles = new WeakMap<Notification, ListEntry>();

/** The same object for the same row, so that its component is not rendered again. */
function singleEntry(notification: Notification, isLifted: boolean, isMember: boolean): ListEntry {
  const known = singles.get(notification);
  if (known && known.isLifted === isLifted && known.isMember === isMember) return known;
  const entry = {
    id: notification.id,
    notifications: [notification] as const,
    isOpen: false,
    isMember,
    isLifted,
  };
  singles.set(notification, entry);
  return entry;
}

/** null: it is never grouped, because it requires an answer or has no thread. */
function groupKey(row: Notification): string | null {
  return row.thread === null || asksForAnswer(row) ? null : `thread ${row.thread}`;
}
