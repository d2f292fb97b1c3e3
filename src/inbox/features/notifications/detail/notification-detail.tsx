import { useEffect, useRef, type ReactNode } from 'react';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { NextIcon, PreviousIcon } from '../../../ui/menu-icons.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { useDelay } from '../../../ui/state/use-delay.ts';
import { useMedia } from '../../../ui/state/use-media.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import type { Notification } from '../model/notification.ts';
import type { RowAction } from '../list/notification-row.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationTitle, titleDirection } from '../texts/notification-words.ts';
import { DetailContent } from './detail-content.tsx';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import styles from './notification-detail.module.css';
import { useNotification } from './use-notification.ts';

export interface NotificationDetailProps {
  readonly id: string;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  readonly onClose: () => void;
  /** Opens the next or previous notification of the list; null where there is none. */
  readonly onNext: (() => void) | null;
  readonly onPrevious: (() => void) | null;
}

/** One notification in full, at its own address: a panel beside the list on wide screens, else a sheet. */
export function NotificationDetail({ id, onAction, onClose, onNext, onPrevious }: NotificationDetailProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().detail;
  useRegisteredKinds();
  const isPanel = useMedia(panelQuery);
  const { notification, hasFailed, retry, markRead } = useNotification(id);
  const isOpened = useRef(false);
  useEffect(() => {
    // Mark it read once, also after a reload or from a link: the user may mark it unread again.
    if (!notification || isOpened.current) return;
    isOpened.current = true;
    onAction('open', notification);
    if (!notification.isSnoozed) markRead();
  }, [notification, onAction, markRead]);
  const isSlow = useDelay(notification === undefined && !hasFailed, slowMs);
  const title = notification ? notificationTitle(notification, texts) : words.label;
  const content: ReactNode = notification ? (
    <DetailContent notification={notification} isPanel={isPanel} onAction={onAction} onClose={onClose} />
  ) : (
    <p role="status">
      {notification === null ? words.gone : hasFailed ? texts.readFailed : <Spinner />}{' '}
      {isSlow && <span>{texts.stillLoading}</span>}
      {hasFailed && (
        <Button look="link" onClick={retry}>
          {texts.retry}
        </Button>
      )}
    </p>
  );
  const step = (label: string, icon: ReactNode, onClick: (() => void) | null) => (
    <IconButton label={label} icon={icon} inactive={!onClick} onClick={() => onClick?.()} />
  );
  const steps = (
    <>
      {step(words.previous, <PreviousIcon />, onPrevious)}
      {step(words.next, <NextIcon />, onNext)}
    </>
  );
  if (!isPanel)
    return (
      <Dialog open sheet isInUrl onClose={onClose} title={title} closeLabel={texts.close}>
        {content}
        <div className={styles.steps}>{steps}</div>
      </Dialog>
    );
  return (
    <aside className={styles.panel} aria-label={title} data-detail-panel="">
      <div className={styles.bar}>
        {steps}
        <IconButton className={styles.close} label={texts.close} icon={<CloseIcon />} onClick={onClose} />
      </div>
      <h2 className={styles.title} dir={notification ? titleDirection(notification) : undefined}>
        {title}
      </h2>
      {content}
    </aside>
  );
}

/** A read that takes longer than this shows a message. */
const slowMs = 2_000;

/** In windows this wide the detail is a panel beside the list. */
const panelQuery = '(min-width: 1024px)';
