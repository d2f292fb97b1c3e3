import { memo } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import { Avatar } from '../../../ui/avatar.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import {
  ArchiveIcon,
  CheckIcon,
  MoreIcon,
  TrashIcon,
  UnarchiveIcon,
  UnreadIcon,
} from '../../../ui/icons.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { useInboxServices } from '../data/inbox-context.ts';
import { KindIcon } from './kind-icon.tsx';
import type { Notification } from '../model/notification.ts';
import { inboxHref } from '../model/notification-filter.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import styles from './notification-row.module.css';
import { inboxTexts } from '../texts/notification-texts.ts';
import { notificationHref, notificationSnippet, notificationTitle } from '../texts/notification-words.ts';
import { TimeAgo } from './time-ago.tsx';

/** What can be done to one notification; the letters are the keyboard's. */
export type RowAction = 'open' | 'read' | 'archive' | 'remove' | 'select' | 'more';

export interface NotificationRowProps {
  readonly notification: Notification;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  /** null: nothing is being selected. */
  readonly isSelected?: boolean | null;
  /** The list in which it stands. */
  readonly filter: NotificationFilter;
  /** Without its buttons, as in the bell's panel. */
  readonly isPlain?: boolean;
}

/** One notification: a link to what it is about, and beside it the buttons. */
export const NotificationRow = memo(function NotificationRow(props: NotificationRowProps) {
  const { notification, onAction, filter, isSelected = null, isPlain = false } = props;
  const texts = inboxTexts.use();
  const { status, kind, createdAtMs } = notification;
  const title = notificationTitle(notification, texts);
  const snippet = notificationSnippet(notification, texts);
  const isUnread = status === 'unread';
  return (
    <li
      className={classNames(styles.row, isUnread && styles.unread, isPlain && styles.plain)}
      data-id={notification.id}
    >
      {isSelected !== null && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={texts.selectNamed(title)}
            onChange={() => onAction('select', notification)}
          />
        </label>
      )}
      <RowLink notification={notification} filter={filter} onOpen={() => onAction('open', notification)}>
        <Avatar name="">
          <KindIcon kind={kind} size={18} />
        </Avatar>
        <span className={styles.words}>
          <span className={styles.title} dir="auto">
            {isUnread && <VisuallyHidden>{texts.unread}: </VisuallyHidden>}
            {title}
          </span>
          {snippet && (
            <span className={styles.snippet} dir="auto">
              {snippet}
            </span>
          )}
          <span className={styles.meta}>
            {texts.kind[kind]} · <TimeAgo atMs={createdAtMs} />
          </span>
        </span>
      </RowLink>
      {!isPlain && isSelected === null && (
        <RowButtons notification={notification} title={title} onAction={onAction} />
      )}
    </li>
  );
});

interface RowLinkProps {
  readonly notification: Notification;
  readonly filter: NotificationFilter;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

function RowLink({ notification, filter, onOpen, children }: RowLinkProps) {
  const { entityUrl } = useInboxServices();
  // What has no page of its own is shown here.
  const href = notificationHref(notification, entityUrl) ?? inboxHref(filter, notification.id);
  const shared = { className: styles.link, onClick: onOpen, 'data-row': notification.id };
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
  const { status } = notification;
  const button = (action: RowAction, word: string, icon: ReactNode, className?: string) => (
    <IconButton
      className={className}
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
        button(
          'read',
          status === 'unread' ? texts.markRead : texts.markUnread,
          status === 'unread' ? <CheckIcon /> : <UnreadIcon />,
        )}
      {status === 'archived'
        ? button('archive', texts.unarchive, <UnarchiveIcon />)
        : button('archive', texts.archive, <ArchiveIcon />)}
      {button('remove', texts.remove, <TrashIcon />)}
      {button('more', texts.more, <MoreIcon />, styles.more)}
    </div>
  );
}
