import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import {
  ArchiveIcon,
  BlockIcon,
  CheckIcon,
  ClockIcon,
  FlagIcon,
  MuteIcon,
  SelectIcon,
  TrashIcon,
  UnarchiveIcon,
  UnreadIcon,
} from '../../../ui/icons.tsx';
import styles from './row-menu.module.css';
import type { Notification } from '../model/notification.ts';
import { ReportDialog } from '../senders/report-dialog.tsx';
import { senderTexts } from '../senders/sender-texts.ts';
import { threadOf, useSenderCommands } from '../senders/use-sender-commands.ts';
import type { RowAction } from './notification-row.tsx';
import { inboxTexts } from '../texts/notification-texts.ts';
import { notificationActor, notificationTitle } from '../texts/notification-words.ts';

export interface RowMenuProps {
  readonly notification: Notification;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  readonly onClose: () => void;
}

/** All actions of one notification, in a sheet. */
export function RowMenu({ notification, onAction, onClose }: RowMenuProps) {
  const texts = inboxTexts.use();
  const senders = senderTexts.use();
  const commands = useSenderCommands();
  const [isReporting, setIsReporting] = useState(false);
  const { status, isSnoozed, senderId, entityType } = notification;
  const actor = notificationActor(notification) ?? senders.sender;
  const thread = threadOf(notification);
  const entity = thread?.entityName ?? texts.something(entityType, 'object');
  const item = (icon: ReactNode, word: string, onClick: () => void) => (
    <li>
      <Button look="quiet" wide className={styles.item} onClick={onClick}>
        {icon}
        <span>{word}</span>
      </Button>
    </li>
  );
  const action = (name: RowAction, icon: ReactNode, word: string) =>
    item(icon, word, () => {
      onClose();
      onAction(name, notification);
    });
  if (isReporting) return <ReportDialog notification={notification} onClose={onClose} />;
  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={notificationTitle(notification, texts)}
      closeLabel={texts.close}
    >
      <ul className={styles.items}>
        {isSnoozed && action('unsnooze', <UnarchiveIcon />, texts.unarchive)}
        {status === 'unread' && action('read', <CheckIcon />, texts.markRead)}
        {status === 'read' && action('read', <UnreadIcon />, texts.markUnread)}
        {action('snooze', <ClockIcon />, texts.snooze)}
        {status === 'archived'
          ? action('archive', <UnarchiveIcon />, texts.unarchive)
          : action('archive', <ArchiveIcon />, texts.archive)}
        {action('select', <SelectIcon />, texts.select)}
        {action('remove', <TrashIcon />, texts.remove)}
      </ul>
      <ul className={styles.items}>
        {senderId !== null &&
          item(<BlockIcon />, senders.block(actor), () => {
            onClose();
            commands.block(senderId, actor);
          })}
        {thread &&
          item(<MuteIcon />, senders.mute(entity), () => {
            onClose();
            commands.mute(thread, entity);
          })}
        {item(<FlagIcon />, senders.report, () => setIsReporting(true))}
      </ul>
    </Dialog>
  );
}
