import { asksForAnswer, listedAtMs, needsUser, type Notification } from './notification.ts';

/** One row of the list: a notification, or several of one thread or one sender. */
export interface ListEntry {
  readonly id: string;
  /** Newest first. */
  readonly notifications: Rows;
  /** Whether its notifications are listed below it. */
  readonly isOpen: boolean;
  /** Whether it is listed below its group. */
  readonly isMember: boolean;
}

export type Rows = readonly [Notification, ...Notification[]];

/** What the notifications of a row share; null: it is a single one. */
export function groupTypeOf([first, ...others]: Rows): 'thread' | 'sender' | null {
  if (others.length === 0) return null;
  return first.thread !== null && others.every(({ thread }) => thread === first.thread) ? 'thread' : 'sender';
}

export interface EntryOptions {
  /** Whether the notifications of a thread are one row. */
  readonly groupsThreads: boolean;
  /** Whether the notifications of one kind that a sender caused within a short time are one row. */
  readonly groupsSenders: boolean;
  /** Ids of notifications whose group lists its notifications. */
  readonly openIds: ReadonlySet<string>;
}

/** The minimum number of notifications of one sender that form a row. */
const smallestSenderGroup = 3;
/** The longest time between two neighbors of a sender's group. */
const senderGapMs = 30 * 60_000;

/** Returns the rows of a list in their order. A group has the position of its newest notification. */
export function toEntries(
  notifications: readonly Notification[],
  { groupsThreads, groupsSenders, openIds }: EntryOptions,
): readonly ListEntry[] {
  const threads = groupsThreads ? groupThreads(notifications) : notifications.map((row) => [row] as const);
  const senders = groupsSenders ? groupSenders(threads) : new Map<Notification, Rows>();
  const entries: ListEntry[] = [];
  for (const thread of threads) {
    const [first] = thread;
    const sender = senders.get(first);
    const rows = sender ?? thread;
    // A group has the position of its newest notification.
    if (rows[0] !== first) continue;
    if (rows.length === 1) {
      entries.push(singleEntry(first, false));
      continue;
    }
    const isOpen = rows.some(({ id }) => openIds.has(id));
    // The oldest notification identifies the group of a sender while newer ones arrive.
    const id = sender ? `sender ${rows.at(-1)?.id}` : `thread ${first.thread}`;
    entries.push({ id, notifications: rows, isOpen, isMember: false });
    if (isOpen) entries.push(...rows.map((row) => singleEntry(row, true)));
  }
  return entries;
}

function groupThreads(notifications: readonly Notification[]): readonly Rows[] {
  const threads = new Map<string, [Notification, ...Notification[]]>();
  for (const row of notifications) {
    const isAlone = row.thread === null || asksForAnswer(row);
    const key = isAlone ? `row ${row.id}` : `thread ${row.thread}`;
    const thread = threads.get(key);
    if (thread) thread.push(row);
    else threads.set(key, [row]);
  }
  return [...threads.values()];
}

/** The groups of senders, by each of their notifications: of those that are alone in their thread and do not need the user. */
function groupSenders(threads: readonly Rows[]): ReadonlyMap<Notification, Rows> {
  const latest = new Map<string, [Notification, ...Notification[]]>();
  const groups = new Map<Notification, Rows>();
  for (const [row, ...others] of threads) {
    if (others.length > 0 || row.senderId === null || needsUser(row) || asksForAnswer(row)) continue;
    const key = `${row.senderId} ${row.kindName}`;
    let group = latest.get(key);
    const newer = group?.at(-1);
    if (group && newer && listedAtMs(newer) - listedAtMs(row) <= senderGapMs) group.push(row);
    else latest.set(key, (group = [row]));
    groups.set(row, group);
  }
  return new Map([...groups].filter(([, rows]) => rows.length >= smallestSenderGroup));
}

const singles = new WeakMap<Notification, ListEntry>();

/** The same object for the same row, so that its component is not rendered again. */
function singleEntry(notification: Notification, isMember: boolean): ListEntry {
  const known = singles.get(notification);
  if (known && known.isMember === isMember) return known;
  const entry = { id: notification.id, notifications: [notification], isOpen: false, isMember } as const;
  singles.set(notification, entry);
  return entry;
}
