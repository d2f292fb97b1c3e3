import { memo, useSyncExternalStore, type MouseEvent, type ReactNode, type Ref } from 'react';
import { Link, useLocation } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import {
  ArchiveIcon,
  CheckIcon,
  ClockIcon,
  MoreIcon,
  TrashIcon,
  UnarchiveIcon,
  UnreadIcon,
} from '../../../ui/icons.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { useInbox, useInboxServices } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { inboxHref, type NotificationFilter } from '../model/notification-filter.ts';
import { shownAtMs } from '../model/day-groups.ts';
import { openDetail } from './detail-history.ts';
import styles from './notification-row.module.css';
import { inboxTexts } from '../texts/inbox-texts.ts';
import {
  notificationActor,
  notificationKindLabel,
  notificationLink,
  notificationSnippet,
  notificationTitle,
} from '../texts/notification-words.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { rowMenuPopup } from './menu-button.ts';
import { NotificationTime } from './notification-time.tsx';
import { HighlightedText, RowTitle } from './row-title.tsx';
import { SenderAvatar, SenderOnlineDot } from './sender-avatar.tsx';

/** An action on one notification. */
export type RowAction =
  | 'open'
  | 'read'
  | 'archive'
  | 'remove'
  | 'snooze'
  | 'unsnooze'
  | 'select'
  | 'select-range'
  | 'more';

export interface NotificationRowProps {
  readonly notification: Notification;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  /** null: selecting is off. */
  readonly isSelected?: boolean | null;
  /** Whether it is listed below its group. */
  readonly isMember?: boolean;
  /** Whether the detail shows this notification. */
  readonly isOpen?: boolean;
  /** The list that contains the row. */
  readonly filter: NotificationFilter;
  /** Without buttons and with the day, as in the bell's panel. */
  readonly isPlain?: boolean;
  /** The row's place in its list, from 1, and the list's length: only a part of a list is in the document. */
  readonly position?: number;
  readonly size?: number;
  /** The index in the virtualizer, which measures the row by `ref`. */
  readonly index?: number;
  readonly ref?: Ref<HTMLLIElement>;
}

/** One notification: a link, and the buttons of its actions. */
export const NotificationRow = memo(function NotificationRow(props: NotificationRowProps) {
  const { notification, onAction, filter, isSelected = null, isOpen = false, isPlain = false } = props;
  const { ref, index, position, size } = props;
  const texts = inboxTexts.use();
  useRegisteredKinds();
  const { status, kindName, isSnoozed, snoozedUntilMs } = notification;
  const title = notificationTitle(notification, texts);
  const snippet = notificationSnippet(notification, texts);
  const isUnread = status === 'unread';
  const { pendingRows } = useInbox();
  const isPending = useSyncExternalStore(pendingRows.subscribe, () =>
    pendingRows.getSnapshot().has(notification.id),
  );
  return (
    <li
      className={classNames(
        styles.row,
        isUnread && styles.unread,
        isOpen && styles.open,
        props.isMember && styles.member,
      )}
      data-id={notification.id}
      data-index={index}
      ref={ref}
      aria-posinset={position}
      aria-setsize={size}
    >
      {isSelected !== null && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={texts.selectNamed(title)}
            onChange={({ nativeEvent }) =>
              onAction(isShiftClick(nativeEvent) ? 'select-range' : 'select', notification)
            }
          />
        </label>
      )}
      <RowLink
        notification={notification}
        filter={filter}
        isOpen={isOpen}
        onClickCapture={(event) => {
          // Handle the click before the link does, which leaves clicks with Shift to the browser.
          if (isSelected === null) return;
          event.preventDefault();
          event.stopPropagation();
          onAction(event.shiftKey ? 'select-range' : 'select', notification);
        }}
        onClick={() => onAction('open', notification)}
      >
        <span className={styles.avatar}>
          <SenderAvatar name={notificationActor(notification)} kind={kindName} />
          <SenderOnlineDot notification={notification} />
        </span>
        <span className={styles.words}>
          {isUnread && <VisuallyHidden>{texts.unread}: </VisuallyHidden>}
          <RowTitle title={title} notification={notification} query={filter.query} />
          {snippet && (
            <span className={styles.snippet} dir="auto">
              <HighlightedText text={snippet} query={filter.query} />
            </span>
          )}
        </span>
        <span className={styles.meta}>
          {isPending && <span className={styles.pending}>{texts.pending}</span>}
          <span className={styles.kind}>{notificationKindLabel(notification, texts)}</span>
          {snoozedUntilMs !== null && (
            <span className={styles.snoozed} title={isSnoozed ? texts.tabs.snoozed : texts.returned}>
              <ClockIcon size={16} />
              <VisuallyHidden>{isSnoozed ? texts.tabs.snoozed : texts.returned}</VisuallyHidden>
            </span>
          )}
          <NotificationTime atMs={shownAtMs(notification)} withDay={isPlain} />
        </span>
      </RowLink>
      {!isPlain && isSelected === null && (
        <RowButtons notification={notification} title={title} onAction={onAction} />
      )}
      {!isPlain && isSelected === null && (
        <AnswerButtons
          className={styles.answers}
          notification={notification}
          title={title}
          onAnswer={() => onAction('open', notification)}
        />
      )}
    </li>
  );
});

function isShiftClick(event: Event): boolean {
  return event instanceof globalThis.MouseEvent && event.shiftKey;
}

interface RowLinkProps {
  readonly notification: Notification;
  readonly filter: NotificationFilter;
  readonly isOpen: boolean;
  readonly onClickCapture: (event: MouseEvent) => void;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function RowLink({ notification, filter, isOpen, onClickCapture, onClick, children }: RowLinkProps) {
  const { entityUrl } = useInboxServices();
  const link = notificationLink(notification, entityUrl);
  // The detail warns before a foreign host, and shows notifications that have no page.
  const isDetail = link === null || link.foreignHost !== null;
  const href = isDetail ? inboxHref(filter, notification.id) : link.href;
  const [, navigate] = useLocation();
  const shared = {
    className: styles.link,
    onClickCapture,
    onClick: (event: MouseEvent) => {
      onClick();
      if (!isDetail) return;
      event.preventDefault();
      openDetail(navigate, href);
    },
    'data-row': notification.id,
    'aria-current': isOpen || undefined,
  };
  return href.startsWith('/') ? (
    <Link href={href} {...shared}>
      {children}
    </Link>
  ) : (
    <a href={href} rel="noreferrer" {...shared}>
      {children}
    </a>
  );
}

interface RowButtonsProps extends Pick<NotificationRowProps, 'notification' | 'onAction'> {
  readonly title: string;
}

function RowButtons({ notification, title, onAction }: RowButtonsProps) {
  const texts = inboxTexts.use();
  const { status, isSnoozed } = notification;
  const button = (action: RowAction, word: string, icon: ReactNode, className?: string) => (
    <IconButton
      className={className}
      aria-haspopup={action === 'more' ? rowMenuPopup() : undefined}
      label={texts.actionOn(word, title)}
      title={word}
      icon={icon}
      onClick={(event: MouseEvent) => {
        event.stopPropagation();
        onAction(action, notification);
      }}
    />
  );
  return (
    <div className={styles.buttons}>
      {status !== 'archived' &&
        !isSnoozed &&
        button(
          'read',
          status === 'unread' ? texts.markRead : texts.markUnread,
          status === 'unread' ? <CheckIcon /> : <UnreadIcon />,
        )}
      {status === 'archived' || isSnoozed
        ? button(isSnoozed ? 'unsnooze' : 'archive', texts.unarchive, <UnarchiveIcon />)
        : button('archive', texts.archive, <ArchiveIcon />)}
      {button('remove', texts.remove, <TrashIcon />)}
      {button('more', texts.more, <MoreIcon />, styles.more)}
    </div>
  );
}
