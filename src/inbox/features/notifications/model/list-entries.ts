import { dayName, shownAtMs } from './day-groups.ts';
import type { Notification } from './notification.ts';

/** What one row of the list stands for. */
export type ListEntry =
  | {
      readonly type: 'single';
      readonly id: string;
      readonly notification: Notification;
      /** Whether it is listed below the group that it belongs to. */
      readonly isMember: boolean;
    }
  | {
      readonly type: 'group';
      readonly id: string;
      /** Newest first. */
      readonly notifications: readonly [Notification, ...Notification[]];
      readonly isOpen: boolean;
      /** Whether older notifications of the group may exist that are not loaded. */
      readonly isPartial: boolean;
    };

/** The smallest number of notifications that is grouped. */
const smallestGroup = 3;

/** The kinds that arrive often and with the same text. */
const groupedKinds: ReadonlySet<string> = new Set(['edit', 'comment']);

/**
 * Gathers what one person did to one entity on one day into one entry, in the place of the newest. The notifications of
 * an open group follow it.
 *
 * @param readToMs all that was created after this time is loaded; null: everything is.
 */
export function groupEntries(
  notifications: readonly Notification[],
  openGroups: ReadonlySet<string>,
  readToMs: number | null,
): readonly ListEntry[] {
  const groups = new Map<string, [Notification, ...Notification[]]>();
  for (const notification of notifications) {
    const key = groupKey(notification);
    const group = key === null ? undefined : groups.get(key);
    if (group) group.push(notification);
    else if (key !== null) groups.set(key, [notification]);
  }
  const listed = new Set<string>();
  return notifications.flatMap((notification): readonly ListEntry[] => {
    const id = groupKey(notification);
    const group = id === null ? undefined : groups.get(id);
    if (id === null || !group || group.length < smallestGroup) return [toEntry(notification)];
    if (listed.has(id)) return [];
    listed.add(id);
    const isOpen = openGroups.has(id);
    const members = isOpen ? group.map((member) => toEntry(member, true)) : [];
    const dayBeganAtMs = new Date(shownAtMs(group[0])).setHours(0, 0, 0, 0);
    const isPartial = readToMs !== null && dayBeganAtMs <= readToMs;
    return [{ type: 'group', id, notifications: group, isOpen, isPartial }, ...members];
  });
}

export function toEntry(notification: Notification, isMember = false): ListEntry {
  return { type: 'single', id: notification.id, notification, isMember };
}

/** The notifications of an entry. */
export function entryNotifications(entry: ListEntry): readonly Notification[] {
  return entry.type === 'single' ? [entry.notification] : entry.notifications;
}

/** The time with which an entry is listed. */
export function entryAtMs(entry: ListEntry): number {
  return shownAtMs(entry.type === 'single' ? entry.notification : entry.notifications[0]);
}

const groupKeys = new WeakMap<Notification, string | null>();

/** null: the notification is never grouped. Computed once per version of a row, since long lists are grouped often. */
function groupKey(notification: Notification): string | null {
  let key = groupKeys.get(notification);
  if (key === undefined) groupKeys.set(notification, (key = createGroupKey(notification)));
  return key;
}

function createGroupKey(notification: Notification): string | null {
  const { kind, senderId, entityType, entityId, metadata, data } = notification;
  const actor = senderId ?? metadata['actor_id'] ?? metadata['actor_name'];
  if (!groupedKinds.has(kind) || entityId === null || typeof actor !== 'string') return null;
  // The key includes the name, because a group has one title.
  const name = data['entity_name'];
  return `group ${JSON.stringify([dayName(shownAtMs(notification)), kind, actor, entityType, entityId, name])}`;
}
