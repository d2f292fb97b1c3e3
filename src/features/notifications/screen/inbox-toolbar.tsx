import { Button, IconButton } from '../../../ui/button.tsx';
import { CheckAllIcon, MoreIcon, PlusIcon, SelectIcon } from '../../../ui/icons.tsx';
import { PageHeading } from '../../../ui/page/page-heading.tsx';
import { useInboxServices } from '../data/inbox-context.ts';
import styles from './inbox.module.css';
import { inboxTexts } from '../texts/notification-texts.ts';

export type InboxDialog = 'options' | 'invite';

export interface InboxToolbarProps {
  /** Of the kind that is shown. */
  readonly unread: number;
  readonly onMarkAllRead: () => void;
  readonly isSelecting: boolean;
  readonly onSelect: () => void;
  readonly onDialog: (dialog: InboxDialog) => void;
}

export function InboxToolbar({ unread, onMarkAllRead, isSelecting, onSelect, onDialog }: InboxToolbarProps) {
  const texts = inboxTexts.use();
  const { InviteDialog } = useInboxServices();
  return (
    <div className={styles.toolbar}>
      <PageHeading>{texts.title}</PageHeading>
      <IconButton
        label={texts.markAllRead}
        icon={<CheckAllIcon />}
        inactive={unread === 0}
        onClick={onMarkAllRead}
      />
      <IconButton label={texts.options} icon={<MoreIcon />} onClick={() => onDialog('options')} />
      <Button look="quiet" aria-pressed={isSelecting} onClick={onSelect}>
        <SelectIcon />
        <span className={styles.word}>{texts.select}</span>
      </Button>
      {InviteDialog && (
        <Button onClick={() => onDialog('invite')}>
          <PlusIcon />
          <span className={styles.word}>{texts.invite}</span>
        </Button>
      )}
    </div>
  );
}
