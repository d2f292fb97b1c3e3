import { useEffect, useMemo, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { compareNewestFirst } from './notification.ts';
import type { Notification } from './notification.ts';

export interface HeldArrivals {
  readonly shown: readonly Notification[];
  readonly held: number;
}

/** Splits off what is newer than `newestSeen`: it waits above until the reader wants to see it. */
export function holdBack(
  notifications: readonly Notification[],
  newestSeen: Notification | null,
): HeldArrivals {
  const shown = newestSeen
    ? notifications.filter((notification) => compareNewestFirst(notification, newestSeen) >= 0)
    : notifications;
  return { shown, held: notifications.length - shown.length };
}

/**
 * Keeps the list still while the reader has scrolled down in it.
 *
 * @param listKey names the list; another list starts at its top.
 * @returns what to show, and the mark to place above the list.
 */
export function useHeldArrivals(
  notifications: readonly Notification[],
  listKey: string,
): HeldArrivals & { readonly top: RefObject<HTMLDivElement | null>; readonly release: () => void } {
  const top = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<{ readonly listKey: string; readonly newest: Notification | null } | null>(
    null,
  );
  const newest = notifications[0] ?? null;
  const latest = useRef({ listKey, newest });
  useEffect(() => {
    latest.current = { listKey, newest };
  });
  useEffect(() => {
    if (!top.current || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver(([entry]) =>
      setHeld(entry?.isIntersecting ? null : latest.current),
    );
    observer.observe(top.current);
    return () => observer.disconnect();
  }, []);
  const newestSeen = held?.listKey === listKey ? held.newest : null;
  const split = useMemo(() => holdBack(notifications, newestSeen), [notifications, newestSeen]);
  return {
    ...split,
    top,
    release: () => setHeld(null),
  };
}
