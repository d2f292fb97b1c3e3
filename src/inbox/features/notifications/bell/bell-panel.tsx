import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { IconButton, buttonClass } from '../../../ui/button.tsx';
import { CheckAllIcon } from '../../../ui/icons.tsx';
import styles from './bell.module.css';
import { useInboxCommands } from '../actions/inbox-commands.ts';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { toEntries } from '../model/list-entries.ts';
import { unfiltered, inboxHref } from '../model/notification-filter.ts';
import { NotificationRow } from '../list/notification-row.tsx';
import type { OnRowAction } from '../list/row-actions.ts';
import { groupingChoice } from '../list/use-list-entries.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';

const rowsShown = 8;
const nothingOpen = new Set<string>();

/** The unread notifications, grouped as in the list, below the bell, from the same state as the page. */
export function BellPanel({ onClose }: { readonly onClose: () => void }) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const commands = useInboxCommands();
  const { newest, counts, problem } = useInboxSnapshot();
  const isGrouped = useSyncExternalStore(groupingChoice.subscribe, groupingChoice.getSnapshot);
  const unread = newest.notifications.filter(({ status }) => status === 'unread');
  const grouping = { groupsThreads: isGrouped, groupsSenders: isGrouped, openIds: nothingOpen };
  const rows = toEntries(unread, grouping).slice(0, rowsShown);
  const open: OnRowAction = (_action, [{ id, status }, ...others]) => {
    if (status === 'unread' && others.length === 0) inbox.setStatus([id], 'read');
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
          {rows.map((entry) => (
            <NotificationRow key={entry.id} entry={entry} filter={unfiltered} onAction={open} isPlain />
          ))}
        </ul>
      ) : (
        <p className={styles.empty}>
          {newest.isLoaded ? texts.empty.unread : problem ? texts.readFailed : texts.loading}
        </p>
      )}
      <div className={styles.foot}>
        <Link
          className={buttonClass('quiet', true)}
          href={inboxHref(counts.unread > 0 ? { ...unfiltered, tab: 'unread' } : unfiltered)}
          onClick={onClose}
        >
          {texts.seeAll}
        </Link>
      </div>
    </>
  );
}
