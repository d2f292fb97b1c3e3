import { number, object, optional, recordOf, type TypeOf } from 'supabase-protocol-clients/platform/schema';
import { needsUser, type Notification } from './notification.ts';
import { inboxTabs, type NotificationFilter } from './notification-filter.ts';
import type { NotificationAction } from './notification-operation.ts';

/** The number of notifications per filter; the source of every number on the screen. */
export interface NotificationCounts {
  /** Neither archived nor snoozed. */
  readonly all: number;
  readonly unread: number;
  /** Unread notifications that need the user. */
  readonly 'needs-you': number;
  readonly archived: number;
  readonly snoozed: number;
  /** Unread notifications by kind; a kind without any may be missing. */
  readonly kinds: Readonly<Record<string, number>>;
}

export const zeroCounts: NotificationCounts = {
  all: 0,
  unread: 0,
  'needs-you': 0,
  archived: 0,
  snoozed: 0,
  kinds: {},
};

/** The counts as the server's `notification_counts` returns them: every unread kind by its name. */
export const serverCounts = object({
  inbox: number,
  unread: number,
  /** An earlier version of the function lacks it. */
  needs_you: optional(number),
  archived: number,
  snoozed: number,
  unread_by_kind: recordOf(number),
});

export function toCounts(counts: TypeOf<typeof serverCounts>): NotificationCounts {
  const { inbox, unread, needs_you: needsYou = 0, archived, snoozed, unread_by_kind: byKind } = counts;
  return { all: inbox, unread, 'needs-you': needsYou, archived, snoozed, kinds: byKind };
}

export function countNotifications(
  notifications: Iterable<Pick<Notification, 'status' | 'kindName' | 'isSnoozed' | 'data'>>,
): NotificationCounts {
  const kinds: Record<string, number> = {};
  let all = 0;
  let unread = 0;
  let needsYou = 0;
  let archived = 0;
  let snoozed = 0;
  for (const row of notifications) {
    const { status, kindName, isSnoozed } = row;
    if (isSnoozed) {
      snoozed += 1;
      continue;
    }
    if (status === 'archived') archived += 1;
    else all += 1;
    if (status !== 'unread') continue;
    unread += 1;
    if (needsUser(row)) needsYou += 1;
    kinds[kindName] = (kinds[kindName] ?? 0) + 1;
  }
  return { all, unread, 'needs-you': needsYou, archived, snoozed, kinds };
}

/** `one + sign * other`, never below zero. */
export function combineCounts(
  one: NotificationCounts,
  other: NotificationCounts,
  sign: 1 | -1 = 1,
): NotificationCounts {
  const combine = (first: number, second: number) => Math.max(0, first + sign * second);
  const kinds: Record<string, number> = { ...one.kinds };
  for (const [kind, count] of Object.entries(other.kinds)) kinds[kind] = combine(kinds[kind] ?? 0, count);
  const tabs = inboxTabs.map((tab) => [tab, combine(one[tab], other[tab])]);
  return { ...one, ...Object.fromEntries(tabs), kinds };
}

/**
 * The counts after a bulk action. Read notifications are not counted by kind, so deleting a kind's whole list subtracts
 * its unread ones only; the server's next totals correct that.
 */
export function countsAfterBulk(counts: NotificationCounts, action: NotificationAction): NotificationCounts {
  if (action.type === 'read-all') return withoutUnread(counts, action.kind);
  if (action.type === 'remove-all') return withoutList(counts, action.filter);
  if (action.type !== 'archive-all') return counts;
  const left = withoutList(counts, action.filter);
  return { ...left, archived: counts.archived + counts.all - left.all + counts.snoozed - left.snoozed };
}

function withoutList(counts: NotificationCounts, { tab, kind }: NotificationFilter): NotificationCounts {
  if (tab === 'archived' || tab === 'snoozed') return kind === null ? { ...counts, [tab]: 0 } : counts;
  const rest = withoutUnread(counts, kind);
  const isEverything = tab === 'all' && kind === null;
  return { ...rest, all: isEverything ? 0 : counts.all - (counts.unread - rest.unread) };
}

function withoutUnread(counts: NotificationCounts, kind: string | null): NotificationCounts {
  if (kind === null) return { ...counts, unread: 0, 'needs-you': 0, kinds: zeroCounts.kinds };
  return {
    ...counts,
    unread: counts.unread - (counts.kinds[kind] ?? 0),
    kinds: { ...counts.kinds, [kind]: 0 },
  };
}
