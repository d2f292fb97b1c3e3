import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createDeviceSwitch } from '../../../ui/list/device-switch.ts';
import type { InboxView } from '../model/inbox-view.ts';
import { toEntries } from '../model/list-entries.ts';
import type { Notification } from '../model/notification.ts';

/** Threads shorten a list: pages are read until it has `fewestRows` rows, or `mostNotifications` are loaded. */
const fewestRows = 20;
const mostNotifications = 300;

/** Whether the notifications about one document are one row. */
export const groupingChoice = createDeviceSwitch('inbox-grouping', true);

/** The rows of a list, grouped where the user wants it. */
export function useListEntries(
  shown: readonly Notification[],
  { hasMore, filter }: Pick<InboxView, 'hasMore' | 'filter'>,
  loadMore: () => void,
) {
  const wantsGroups = useSyncExternalStore(groupingChoice.subscribe, groupingChoice.getSnapshot);
  const [openGroups, setOpenGroups] = useState<ReadonlySet<string>>(new Set());
  // Within one thread, and where each row has its own time of return, rows are not grouped.
  const isGrouped = wantsGroups && !filter.place && filter.tab !== 'snoozed';
  const entries = useMemo(() => toEntries(shown, { isGrouped, openGroups }), [shown, isGrouped, openGroups]);
  // A list is also short when all loaded rows were archived or deleted.
  const isShort = hasMore && (shown.length === 0 || entries.length < Math.min(fewestRows, shown.length));
  const readable = isShort ? mostNotifications - shown.length : 0;
  // Runs once per page, because each page changes the number.
  useEffect(() => {
    if (readable > 0) loadMore();
  }, [readable, loadMore]);
  const toggleGroup = useCallback(
    (id: string) =>
      setOpenGroups((open) => {
        const next = new Set(open);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  return { entries, toggleGroup };
}
