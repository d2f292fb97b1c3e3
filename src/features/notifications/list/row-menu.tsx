import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { ArchiveIcon, CheckIcon, TrashIcon, UnarchiveIcon, UnreadIcon } from '../../../ui/icons.tsx';
import styles from '../screen/inbox.module.css';
import type { Notification } from '../model/notification.ts';
import type { RowAction } from './notification-row.tsx';
import { inboxTexts } from '../texts/notification-texts.ts';
import { notificationTitle } from '../texts/notification-words.ts';

export interface RowMenuProps {
  readonly notification: Notification;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  readonly onClose: () => void;
}

/** All actions of one notification, in a sheet. */
export function RowMenu({ notification, onAction, onClose }: RowMenuProps) {
  const texts = inboxTexts.use();
  const { status } = notification;
  const item = (action: RowAction, icon: ReactNode, word: string) => (
    <Button
      look="quiet"
      wide
      className={styles.menuItem}
      onClick={() => {
        onClose();
        onAction(action, notification);
      }}
    >
      {icon}
      {word}
    </Button>
  );
  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={notificationTitle(notification, texts)}
      closeLabel={texts.close}
    >
      {status === 'unread' && item('read', <CheckIcon />, texts.markRead)}
      {status === 'read' && item('read', <UnreadIcon />, texts.markUnread)}
      {status === 'archived'
        ? item('archive', <UnarchiveIcon />, texts.unarchive)
        : item('archive', <ArchiveIcon />, texts.archive)}
      {item('select', <CheckIcon />, texts.select)}
      {item('remove', <TrashIcon />, texts.remove)}
    </Dialog>
  );
}
