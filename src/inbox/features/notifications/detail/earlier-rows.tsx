import { useEffect, useEffectEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import { useInbox } from '../data/inbox-context.ts';
import { RowTime } from '../list/row-time.tsx';
import { shownAtMs, type Notification } from '../model/notification.ts';
import { inboxHref, parseFilter, unfiltered } from '../model/notification-filter.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationSnippet, notificationTitle } from '../texts/notification-words.ts';
import styles from './notification-detail.module.css';

const rowsShown = 3;

/** What happened before in the thread of a notification, the newest first; renders nothing without a thread. */
export function EarlierRows({ notification }: { readonly notification: Notification }) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().detail;
  const headingId = useId();
  const rows = useEarlierRows(notification);
  const filter = parseFilter(location.search);
  if (rows.length === 0) return null;
  return (
    <section className={styles.earlier} aria-labelledby={headingId}>
      <h3 id={headingId}>{words.earlier}</h3>
      <ul>
        {rows.map((row) => {
          const snippet = notificationSnippet(row, texts);
          return (
            <li key={row.id}>
              {/* The detail stays in its history entry. */}
              <Link href={inboxHref(filter, row.id)} replace state={history.state}>
                <span className={styles.earlierTitle} dir="auto">
                  {notificationTitle(row, texts)}
                </span>
                <RowTime atMs={shownAtMs(row)} />
                {snippet && (
                  <span className={styles.earlierText} dir="auto">
                    {snippet}
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      {rows.length === rowsShown && notification.thread !== null && (
        <Link href={inboxHref({ ...unfiltered, place: notification.thread })}>{texts.seeAll}</Link>
      )}
    </section>
  );
}

function useEarlierRows(notification: Notification): readonly Notification[] {
  const inbox = useInbox();
  const { id } = notification;
  const [response, setResponse] = useState<{ readonly id: string; readonly rows: readonly Notification[] }>();
  const read = useEffectEvent(() => inbox.listEarlier(notification, rowsShown));
  useEffect(() => {
    let isUnmounted = false;
    void read().then((rows) => isUnmounted || setResponse({ id, rows }));
    return () => {
      isUnmounted = true;
    };
  }, [id]);
  return response?.id === id ? response.rows : [];
}
