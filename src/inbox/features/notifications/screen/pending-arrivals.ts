import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { waitingAbove } from '../arrivals/arrivals.ts';
import { compareListed, type Notification } from '../model/notification.ts';

/** Splits off the notifications that are newer than `newestSeen`. @returns the others, and how many wait above the list. */
export function splitPendingArrivals(
  notifications: readonly Notification[],
  newestSeen: Notification | null,
) {
  const shown = newestSeen
    ? notifications.filter((notification) => compareListed(notification, newestSeen) >= 0)
    : notifications;
  return { shown, pending: notifications.length - shown.length };
}

/**
 * Keeps the list in place while the page is scrolled down: new notifications wait above it.
 *
 * @param listKey identifies the list; another list starts at its top.
 * @returns the rows to show, and a ref for the element above the list.
 */
export function usePendingArrivals(notifications: readonly Notification[], listKey: string) {
  const top = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<{ readonly listKey: string; readonly newest: Notification | null } | null>(
    null,
  );
  const newest = notifications[0] ?? null;
  const note = useEffectEvent((isAtTop = false) => setSeen(isAtTop ? null : { listKey, newest }));
  useEffect(() => {
    if (!top.current || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver(([entry]) => note(entry?.isIntersecting));
    observer.observe(top.current);
    return () => observer.disconnect();
  }, []);
  const newestSeen = seen?.listKey === listKey ? seen.newest : null;
  const split = useMemo(() => splitPendingArrivals(notifications, newestSeen), [notifications, newestSeen]);
  useEffect(() => {
    waitingAbove.set(split.pending);
    return () => waitingAbove.set(0);
  }, [split.pending]);
  return { ...split, top, release: () => setSeen(null) };
}
