import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createDeviceSwitch } from '../../../ui/list/device-switch.ts';
import type { InboxView } from '../model/inbox-view.ts';
import { toEntries, type ListEntry } from '../model/list-entries.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { Notification } from '../model/notification.ts';

/** Groups shorten a list: pages are read until it has `minRows` rows, or `maxNotifications` are loaded. */
const minRows = 20;
const maxNotifications = 300;

/** Whether the notifications of a thread, and of a sender within a short time, are one row. */
export const groupingChoice = createDeviceSwitch('inbox-grouping', true);

/** The rows of a list, grouped where the user wants it. */
export function useListEntries(
  shown: readonly Notification[],
  { hasMore, filter }: Pick<InboxView, 'hasMore' | 'filter'>,
  loadMore: () => void,
) {
  const wantsGroups = useSyncExternalStore(groupingChoice.subscribe, groupingChoice.getSnapshot);
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const { groupsThreads, groupsSenders } = groupingOf(filter, wantsGroups);
  const entries = useMemo(
    () => toEntries(shown, { groupsThreads, groupsSenders, openIds }),
    [shown, groupsThreads, groupsSenders, openIds],
  );
  // A list is also short when all loaded rows were archived or deleted.
  const isShort = hasMore && (shown.length === 0 || entries.length < Math.min(minRows, shown.length));
  const readable = isShort ? maxNotifications - shown.length : 0;
  // Runs once per page, because each page changes the number.
  useEffect(() => {
    if (readable > 0) loadMore();
  }, [readable, loadMore]);
  const toggleGroup = useCallback(
    ({ notifications, isOpen }: ListEntry) =>
      setOpenIds((open) => {
        const next = new Set(open);
        for (const { id } of notifications)
          if (isOpen) next.delete(id);
          else next.add(id);
        return next;
      }),
    [],
  );
  return { entries, toggleGroup };
}

/**
 * No groups within a thread, among snoozed notifications, whose times of return differ, in results of a search and in a
 * person's list.
 */
function groupingOf({ tab, place, person, query }: NotificationFilter, wantsGroups: boolean) {
  const groupsThreads = wantsGroups && !place && tab !== 'snoozed';
  return { groupsThreads, groupsSenders: groupsThreads && !person && !query };
}
