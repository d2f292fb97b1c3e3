import { notificationKinds } from './notification.ts';
import type { Notification, NotificationKind } from './notification.ts';

/** How many notifications each filter holds. Every number that the application shows comes from one of these. */
export interface NotificationCounts {
  /** Not archived. */
  readonly all: number;
  readonly unread: number;
  readonly archived: number;
  /** Unread ones by kind. */
  readonly kinds: Readonly<Record<NotificationKind, number>>;
}

export const noCounts: NotificationCounts = {
  all: 0,
  unread: 0,
  archived: 0,
  kinds: { mention: 0, edit: 0, comment: 0, invite: 0, system: 0 },
};

export function countNotifications(
  notifications: Iterable<Pick<Notification, 'status' | 'kind'>>,
): NotificationCounts {
  const kinds = { ...noCounts.kinds };
  let [all, unread, archived] = [0, 0, 0];
  for (const { status, kind } of notifications) {
    if (status === 'archived') archived += 1;
    else all += 1;
    if (status !== 'unread') continue;
    unread += 1;
    kinds[kind] += 1;
  }
  return { all, unread, archived, kinds };
}

/** `a + sign * b`, never below zero. */
export function combineCounts(
  a: NotificationCounts,
  b: NotificationCounts,
  sign: 1 | -1 = 1,
): NotificationCounts {
  const combine = (x: number, y: number) => Math.max(0, x + sign * y);
  const kinds = { ...a.kinds };
  for (const kind of notificationKinds) kinds[kind] = combine(a.kinds[kind], b.kinds[kind]);
  return {
    all: combine(a.all, b.all),
    unread: combine(a.unread, b.unread),
    archived: combine(a.archived, b.archived),
    kinds,
  };
}

/** As they are when all are read, or all of a kind. */
export function withoutUnread(counts: NotificationCounts, kind: NotificationKind | null): NotificationCounts {
  if (kind === null) return { ...counts, unread: 0, kinds: noCounts.kinds };
  return {
    ...counts,
    unread: counts.unread - counts.kinds[kind],
    kinds: { ...counts.kinds, [kind]: 0 },
  };
}
