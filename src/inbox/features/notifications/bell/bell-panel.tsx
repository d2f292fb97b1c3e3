import { Link } from 'wouter';
import { IconButton, buttonClass } from '../../../ui/button.tsx';
import { CheckAllIcon } from '../../../ui/icons.tsx';
import styles from './bell.module.css';
import { useInboxCommands } from '../actions/inbox-commands.ts';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { unfiltered, inboxHref } from '../model/notification-filter.ts';
import { NotificationRow, type RowAction } from '../list/notification-row.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';

const rowsShown = 8;

/** The newest notifications below the bell, from the same state as the page. */
export function BellPanel({ onClose }: { readonly onClose: () => void }) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const commands = useInboxCommands();
  const { newest, counts, problem } = useInboxSnapshot();
  const rows = newest.notifications.slice(0, rowsShown);
  const open = (_action: RowAction, { id, status }: Notification) => {
    if (status === 'unread') inbox.setStatus([id], 'read');
    onClose();
  };
  return (
    <>
      <div className={styles.head}>
        {texts.title}
        <IconButton
          label={texts.markAllRead}
          icon={<CheckAllIcon />}
          inactive={counts.unread === 0}
          onClick={() => commands.markAllRead(null)}
        />
      </div>
      {rows.length > 0 ? (
        <ul>
          {rows.map((notification) => (
            <NotificationRow
              key={notification.id}
              notification={notification}
              filter={unfiltered}
              onAction={open}
              isPlain
            />
          ))}
        </ul>
      ) : (
        <p className={styles.empty}>
          {newest.isLoaded ? texts.empty.all : problem ? texts.readFailed : texts.loading}
        </p>
      )}
      <div className={styles.foot}>
        <Link className={buttonClass('quiet', true)} href={inboxHref(unfiltered)} onClick={onClose}>
          {texts.seeAll}
        </Link>
      </div>
    </>
  );
}
