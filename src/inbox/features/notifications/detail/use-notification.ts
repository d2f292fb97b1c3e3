import { useCallback, useEffect, useState } from 'react';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';

/** One notification by id: from the loaded lists, else from the server. */
export interface UseNotificationResult {
  /** undefined while the request is in flight; null: it does not exist. */
  readonly notification: Notification | null | undefined;
  readonly hasFailed: boolean;
  readonly retry: () => void;
  /** Shows it as read: a notification outside the lists receives no changes. */
  readonly markRead: () => void;
}

/** The shape of an id: the database refuses any other value, such as that of a truncated link. */
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function useNotification(id: string): UseNotificationResult {
  const inbox = useInbox();
  const { view, newest } = useInboxSnapshot();
  const listed = [...view.notifications, ...newest.notifications].find((candidate) => candidate.id === id);
  const [found, setFound] = useState<Notification | null>();
  const [attempt, setAttempt] = useState(1);
  const [failedAttempt, setFailedAttempt] = useState(0);
  const isUnlisted = listed === undefined && (view.isLoaded || newest.isLoaded);
  useEffect(() => {
    if (!isUnlisted || !uuid.test(id)) return;
    let isUnmounted = false;
    inbox.find(id).then(
      (notification) => isUnmounted || setFound(notification),
      () => isUnmounted || setFailedAttempt(attempt),
    );
    return () => {
      isUnmounted = true;
    };
  }, [inbox, id, isUnlisted, attempt]);
  const markRead = useCallback(
    () => setFound((row) => (row?.status === 'unread' ? { ...row, status: 'read' } : row)),
    [],
  );
  return {
    notification: listed ?? (uuid.test(id) ? found : null),
    hasFailed: failedAttempt === attempt,
    retry: () => setAttempt(attempt + 1),
    markRead,
  };
}
