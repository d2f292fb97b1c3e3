import { asksForAnswer, type Notification } from './notification.ts';

/** One row of the list: a notification, or several of one thread. */
export interface ListEntry {
  readonly id: string;
  /** Newest first. */
  readonly notifications: readonly [Notification, ...Notification[]];
  /** Whether the notifications of the thread are listed below it. */
  readonly isOpen: boolean;
  /** Whether it is listed below its thread. */
  readonly isMember: boolean;
}

export interface EntryOptions {
  /** Whether the notifications of a thread are one row. */
  readonly isGrouped: boolean;
  /** Ids of threads whose notifications are listed. */
  readonly openGroups: ReadonlySet<string>;
}

/** Returns the rows of a list in their order. A thread has the position of its newest notification. */
export function toEntries(
  notifications: readonly Notification[],
  options: EntryOptions,
): readonly ListEntry[] {
  const { isGrouped, openGroups } = options;
  const threads = new Map<string, [Notification, ...Notification[]]>();
  for (const notification of notifications) {
    const key = (isGrouped ? groupKey(notification) : null) ?? notification.id;
    const thread = threads.get(key);
    if (thread) thread.push(notification);
    else threads.set(key, [notification]);
  }
  const entries: ListEntry[] = [];
  for (const [key, rows] of threads) {
    if (rows.length === 1) {
      entries.push(singleEntry(rows[0], false));
      continue;
    }
    const isOpen = openGroups.has(key);
    entries.push({ id: key, notifications: rows, isOpen, isMember: false });
    if (isOpen) entries.push(...rows.map((row) => singleEntry(row, true)));
  }
  return entries;
}

const singles = new WeakMap<Notification, ListEntry>();

/** The same object for the same row, so that its component is not rendered again. */
function singleEntry(notification: Notification, isMember: boolean): ListEntry {
  const known = singles.get(notification);
  if (known && known.isMember === isMember) return known;
  const entry = { id: notification.id, notifications: [notification] as const, isOpen: false, isMember };
  singles.set(notification, entry);
  return entry;
}

/** null: it is never grouped, because it requires an answer or has no thread. */
function groupKey(row: Notification): string | null {
  return row.thread === null || asksForAnswer(row) ? null : `thread ${row.thread}`;
}
