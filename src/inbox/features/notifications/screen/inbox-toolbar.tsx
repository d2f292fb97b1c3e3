import type { ReactNode } from 'react';
import type { InboxDialog } from './inbox-overlays.tsx';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { IconButton } from '../../../ui/button.tsx';
import { CheckAllIcon, FilterIcon, InviteIcon, MoreIcon, SearchIcon } from '../../../ui/icons.tsx';
import { SelectIcon } from '../../../ui/menu-icons.tsx';
import { PageHeading } from '../../../ui/page/page-heading.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { useInboxServices } from '../data/inbox-context.ts';
import { encodeFilter, type NotificationFilter } from '../model/notification-filter.ts';
import styles from './inbox.module.css';
import { inboxTexts, type InboxTexts } from '../texts/inbox-texts.ts';
import { kindsName } from '../texts/notification-words.ts';

export interface InboxToolbarProps {
  readonly filter: NotificationFilter;
  readonly hasUnread: boolean;
  readonly onMarkAllRead: () => void;
  readonly isSelecting: boolean;
  readonly onSelect: () => void;
  readonly onSearch: () => void;
  readonly onDialog: (dialog: InboxDialog) => void;
  /** The search field. */
  readonly children: ReactNode;
}

/** The name of the list, its search and the actions on it. On phones some of them are in the options. */
export function InboxToolbar(props: InboxToolbarProps) {
  const { filter, hasUnread, onMarkAllRead, isSelecting, onSelect, onSearch, onDialog, children } = props;
  const texts = inboxTexts.use();
  useRegisteredKinds();
  const { InviteDialog } = useInboxServices();
  const isFiltered = encodeFilter({ ...filter, tab: 'all', query: undefined }) !== '';
  return (
    <div className={styles.toolbar}>
      <PageHeading>{viewName(filter, texts)}</PageHeading>
      {children}
      <IconButton
        className={styles.searchButton}
        label={texts.search}
        icon={<SearchIcon />}
        onClick={onSearch}
      />
      <IconButton
        className={classNames(isFiltered && styles.filtered)}
        label={texts.filter}
        icon={<FilterIcon />}
        onClick={() => onDialog('filter')}
      />
      <IconButton
        label={texts.markAllRead}
        icon={<CheckAllIcon />}
        inactive={!hasUnread}
        onClick={onMarkAllRead}
      />
      <IconButton
        className={styles.wide}
        label={texts.select}
        icon={<SelectIcon />}
        aria-pressed={isSelecting}
        onClick={onSelect}
      />
      {InviteDialog && (
        <IconButton
          className={styles.wide}
          label={texts.invite}
          icon={<InviteIcon />}
          onClick={() => onDialog('invite')}
        />
      )}
      <IconButton label={texts.options} icon={<MoreIcon />} onClick={() => onDialog('options')} />
    </div>
  );
}

/** The name of a list, for its heading and the title of the document: `Inbox`, `Unread`, `Archived · Edits`. */
function viewName({ tab, kind }: NotificationFilter, texts: InboxTexts): string {
  const parts = [
    ...(tab === 'all' ? [] : [texts.tabs[tab]]),
    ...(kind === null ? [] : [kindsName(kind, texts)]),
  ];
  // A narrow heading breaks behind the dot.
  return parts.length > 0 ? parts.join('\u00a0· ') : texts.title;
}
