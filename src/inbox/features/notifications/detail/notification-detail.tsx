import { useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { NextIcon, PreviousIcon } from '../../../ui/overlay/menu-icons.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { announce } from '../../../ui/page/announcer.tsx';
import { useDelay } from '../../../ui/state/use-delay.ts';
import { useMedia } from '../../../ui/state/use-media.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { focusOpenedDetail } from '../list/detail-history.ts';
import type { Notification } from '../model/notification.ts';
import type { OnRowAction } from '../list/row-actions.ts';
import { RowTitle } from '../list/row-title.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationTitle } from '../texts/notification-words.ts';
import { DetailButtons, DetailContent } from './detail-content.tsx';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import styles from './notification-detail.module.css';
import { useNotification } from './use-notification.ts';

export interface NotificationDetailProps {
  readonly id: string;
  readonly onAction: OnRowAction;
  readonly onClose: () => void;
  /** Opens the next or previous notification of the list; null at the end of the list. */
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
  useOpened(id, notification, onAction, markRead);
  const title = notification ? notificationTitle(notification, texts) : words.label;
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => focusOpenedDetail(heading.current));
  useStepAnnouncement(panel, id, title);
  const content = (titled: ReactNode) =>
    notification ? (
      <DetailContent notification={notification} heading={titled} onAction={onAction} />
    ) : (
      <>
        {titled}
        <MissingNotification isGone={notification === null} onRetry={hasFailed ? retry : null} />
      </>
    );
  const buttons = notification && (
    <DetailButtons notification={notification} onAction={onAction} onLeave={isPanel ? null : onClose} />
  );
  const steps = <StepButtons onNext={onNext} onPrevious={onPrevious} />;
  if (!isPanel)
    return (
      <Dialog
        open
        sheet
        isInUrl
        titleClass={styles.sheetTitle}
        onClose={onClose}
        title={title}
        closeLabel={texts.close}
      >
        {content(null)}
        <div className={styles.foot}>
          {buttons}
          <span className={styles.end}>{steps}</span>
        </div>
      </Dialog>
    );
  return (
    <aside ref={panel} className={styles.panel} aria-label={title} data-detail-panel="">
      <div className={styles.bar}>
        {steps}
        <span className={styles.end}>
          {buttons}
          <IconButton label={texts.close} icon={<CloseIcon />} onClick={onClose} />
        </span>
      </div>
      {content(
        <h2 ref={heading} className={styles.title} tabIndex={-1}>
          {notification ? <RowTitle title={title} notification={notification} /> : title}
        </h2>,
      )}
    </aside>
  );
}

/** Marks it read once, also after a reload or from a link: the user may mark it unread again. */
function useOpened(
  id: string,
  notification: Notification | null | undefined,
  onAction: OnRowAction,
  markRead: () => void,
): void {
  const openedId = useRef<string | null>(null);
  useEffect(() => {
    if (notification?.id !== id || openedId.current === id) return;
    openedId.current = id;
    onAction('open', [notification], id);
    if (!notification.isSnoozed) markRead();
  }, [id, notification, onAction, markRead]);
}

interface MissingNotificationProps {
  readonly isGone: boolean;
  /** null: the read has not failed. */
  readonly onRetry: (() => void) | null;
}

function MissingNotification({ isGone, onRetry }: MissingNotificationProps) {
  const texts = inboxTexts.use();
  const { gone } = inboxDialogTexts.use().detail;
  const isSlow = useDelay(!isGone && !onRetry, slowMs);
  return (
    <p role="status">
      {isGone ? gone : onRetry ? texts.readFailed : <Spinner />} {isSlow && <span>{texts.stillLoading}</span>}
      {onRetry && (
        <Button look="link" onClick={onRetry}>
          {texts.retry}
        </Button>
      )}
    </p>
  );
}

function StepButtons({ onNext, onPrevious }: Pick<NotificationDetailProps, 'onNext' | 'onPrevious'>) {
  const words = inboxDialogTexts.use().detail;
  const step = (label: string, icon: ReactNode, onClick: (() => void) | null) => (
    <IconButton label={label} icon={icon} inactive={!onClick} onClick={() => onClick?.()} />
  );
  return (
    <>
      {step(words.previous, <PreviousIcon />, onPrevious)}
      {step(words.next, <NextIcon />, onNext)}
    </>
  );
}

/** Announces the new title while keys step through the list and the focus stays in the panel. */
function useStepAnnouncement(panel: RefObject<HTMLElement | null>, id: string, title: string): void {
  const shownId = useRef<string | null>(null);
  useEffect(() => {
    const isStep = shownId.current !== null && shownId.current !== id;
    shownId.current = id;
    if (isStep && panel.current?.contains(document.activeElement)) announce(title);
  }, [panel, id, title]);
}

/** A read that takes longer than this shows a message. */
const slowMs = 2_000;

/** In windows this wide the detail is a panel beside the list. */
const panelQuery = '(min-width: 1024px)';
