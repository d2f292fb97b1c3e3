import { useCallback, useEffect, useState } from 'react';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { isId } from '../model/notification-filter.ts';

/** One notification by id: from the loaded lists, else from the server. */
export function useNotification(id: string) {
  const inbox = useInbox();
  const { view, newest } = useInboxSnapshot();
  const listed = [...view.notifications, ...newest.notifications].find((candidate) => candidate.id === id);
  const [response, setResponse] = useState<{ readonly id: string; readonly row: Notification | null }>();
  const found = response?.id === id ? response.row : undefined;
  const [attempt, setAttempt] = useState(1);
  const [failedAttempt, setFailedAttempt] = useState(0);
  const isUnlisted = listed === undefined && (view.isLoaded || newest.isLoaded);
  useEffect(() => {
    if (!isUnlisted || !isId(id)) return;
    let isUnmounted = false;
    inbox.find(id).then(
      (row) => isUnmounted || setResponse({ id, row }),
      () => isUnmounted || setFailedAttempt(attempt),
    );
    return () => {
      isUnmounted = true;
    };
  }, [inbox, id, isUnlisted, attempt]);
  /** Shows it as read: a notification outside the lists receives no changes. */
  const markRead = useCallback(
    () =>
      setResponse((known) =>
        known?.row?.status === 'unread' ? { ...known, row: { ...known.row, status: 'read' } } : known,
      ),
    [],
  );
  return {
    /** undefined while the request is in flight; null: it does not exist. */
    notification: listed ?? (isId(id) ? found : null),
    hasFailed: failedAttempt === attempt,
    retry: () => setAttempt(attempt + 1),
    markRead,
  };
}
