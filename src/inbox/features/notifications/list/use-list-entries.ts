import { createDeviceSwitch } from '../arrivals/device-switch.ts';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { InboxView } from '../model/inbox-view.ts';
import { groupEntries, toEntry, type ListEntry } from '../model/list-entries.ts';
import type { Notification } from '../model/notification.ts';

/** Groups shorten a list: pages are read until it has `fewestRows` rows, or `mostNotifications` are loaded. */
const fewestRows = 20;
const mostNotifications = 300;

export interface UseListEntriesResult {
  readonly entries: readonly ListEntry[];
  readonly toggleGroup: (id: string) => void;
}

/** The rows of a list, grouped where the user wants it. */
export function useListEntries(
  shown: readonly Notification[],
  { hasMore, readToMs }: Pick<InboxView, 'hasMore' | 'readToMs'>,
  loadMore: () => void,
): UseListEntriesResult {
  const isGrouped = useSyncExternalStore(groupingChoice.subscribe, groupingChoice.getSnapshot);
  const [openGroups, setOpenGroups] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(
    () => (isGrouped ? groupEntries(shown, openGroups, readToMs) : shown.map((row) => toEntry(row))),
    [shown, isGrouped, openGroups, readToMs],
  );
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

/** Whether many edits or comments by one person in one entity are one row. */
export const groupingChoice = createDeviceSwitch('inbox-grouping', true);
