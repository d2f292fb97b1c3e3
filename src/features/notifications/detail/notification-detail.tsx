import { useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { useInbox, useInboxServices, useInboxSnapshot, useLocale } from '../data/inbox-context.ts';
import { KindIcon } from '../list/kind-icon.tsx';
import styles from './notification-detail.module.css';
import type { Notification } from '../model/notification.ts';
import type { RowAction } from '../list/notification-row.tsx';
import { inboxTexts } from '../texts/notification-texts.ts';
import {
  notificationActor,
  notificationEntity,
  notificationHref,
  notificationSnippet,
  notificationTitle,
} from '../texts/notification-words.ts';
import { absoluteTime } from '../list/relative-time.ts';

export interface NotificationDetailProps {
  readonly id: string;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  readonly onClose: () => void;
}

/** One notification in full, for those that have no page elsewhere; it has an address of its own. */
export function NotificationDetail({ id, onAction, onClose }: NotificationDetailProps) {
  const texts = inboxTexts.use();
  const { notification, hasFailed, retry, markRead } = useNotification(id);
  const isOpened = useRef(false);
  useEffect(() => {
    // Also where a link or a reload led here; once, since it may be marked unread again.
    if (!notification || isOpened.current) return;
    isOpened.current = true;
    onAction('open', notification);
    markRead();
  }, [notification, onAction, markRead]);
  const title = notification ? notificationTitle(notification, texts) : texts.title;
  return (
    <Dialog open sheet onClose={onClose} title={title} closeLabel={texts.close}>
      {notification ? (
        <Detail notification={notification} onAction={onAction} onClose={onClose} />
      ) : (
        <p role="status">
          {notification === null ? texts.detail.gone : hasFailed ? texts.readFailed : <Spinner />}{' '}
          {hasFailed && (
            <Button look="link" onClick={retry}>
              {texts.retry}
            </Button>
          )}
        </p>
      )}
    </Dialog>
  );
}

/** From the lists that are shown, else from the server; undefined until that has answered, null if it does not exist. */
function useNotification(id: string) {
  const inbox = useInbox();
  const { view, newest } = useInboxSnapshot();
  const listed = [...view.notifications, ...newest.notifications].find((candidate) => candidate.id === id);
  const [found, setFound] = useState<Notification | null>();
  const [attempt, setAttempt] = useState(1);
  const [failedAttempt, setFailedAttempt] = useState(0);
  const isUnlisted = listed === undefined && (view.isLoaded || newest.isLoaded);
  useEffect(() => {
    if (!isUnlisted) return;
    let isLeft = false;
    inbox.find(id).then(
      (notification) => isLeft || setFound(notification),
      () => isLeft || setFailedAttempt(attempt),
    );
    return () => {
      isLeft = true;
    };
  }, [inbox, id, isUnlisted, attempt]);
  // One that is in no list does not hear of what is done to it.
  const markRead = useCallback(
    () => setFound((row) => (row?.status === 'unread' ? { ...row, status: 'read' } : row)),
    [],
  );
  return {
    notification: listed ?? found,
    hasFailed: failedAttempt === attempt,
    retry: () => setAttempt(attempt + 1),
    markRead,
  };
}

interface DetailProps extends Omit<NotificationDetailProps, 'id'> {
  readonly notification: Notification;
}

function Detail({ notification, onAction, onClose }: DetailProps) {
  const texts = inboxTexts.use();
  const locale = useLocale();
  const { entityUrl } = useInboxServices();
  const { kind, status, createdAtMs } = notification;
  const snippet = notificationSnippet(notification, texts);
  const href = notificationHref(notification, entityUrl);
  const facts = [
    [texts.detail.from, notificationActor(notification)],
    [texts.detail.about, notificationEntity(notification)],
  ] as const;
  const button = (action: RowAction, word: string) => (
    <Button
      onClick={() => {
        onClose();
        onAction(action, notification);
      }}
    >
      {word}
    </Button>
  );
  return (
    <>
      <p className={styles.kind}>
        <KindIcon kind={kind} size={16} /> {texts.kind[kind]}
      </p>
      {snippet && <p className={styles.text}>{snippet}</p>}
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
        {!Number.isNaN(createdAtMs) && (
          <div>
            <dt>{texts.detail.when}</dt>
            <dd>
              <time dateTime={new Date(createdAtMs).toISOString()}>{absoluteTime(createdAtMs, locale)}</time>
            </dd>
          </div>
        )}
      </dl>
      <div className={styles.actions}>
        {href?.startsWith('/') ? (
          <Link className={buttonClass('primary')} href={href}>
            {texts.detail.follow}
          </Link>
        ) : (
          href && (
            <a className={buttonClass('primary')} href={href} rel="noreferrer">
              {texts.detail.follow}
            </a>
          )
        )}
        {status !== 'archived' && button('read', status === 'unread' ? texts.markRead : texts.markUnread)}
        {button('archive', status === 'archived' ? texts.unarchive : texts.archive)}
        {button('remove', texts.remove)}
      </div>
    </>
  );
}
