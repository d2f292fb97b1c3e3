import type { ReactNode } from 'react';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { IconButton, type IconButtonProps } from '../../../ui/button.tsx';
import { CheckAllIcon, FilterIcon, InviteIcon, MoreIcon, SearchIcon } from '../../../ui/icons.tsx';
import { SelectIcon } from '../../../ui/overlay/menu-icons.tsx';
import { PartBoundary } from '../../../ui/page/part-boundary.tsx';
import { Popover } from '../../../ui/overlay/popover.tsx';
import { PageHeading } from '../../../ui/page/page-heading.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { onDemand } from '../../../ui/state/loader.ts';
import { useInboxServices } from '../data/inbox-context.ts';
import { isFiltered, type NotificationFilter } from '../model/notification-filter.ts';
import styles from './inbox.module.css';
import { inboxTexts, type InboxTexts } from '../texts/inbox-texts.ts';
import { kindsName } from '../texts/notification-words.ts';
import type { InboxDialog } from './use-row-actions.ts';

const FilterPanel = onDemand(async () => (await import('./filter-panel.tsx')).FilterPanel);

export interface InboxToolbarProps {
  readonly filter: NotificationFilter;
  readonly hasUnread: boolean;
  readonly hasRows: boolean;
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
  const { filter, hasUnread, hasRows, onMarkAllRead, isSelecting, onSelect, onSearch, onDialog, children } =
    props;
  const texts = inboxTexts.use();
  const { tab } = filter;
  useRegisteredKinds();
  const { InviteDialog } = useInboxServices();
  const button = (
    label: string,
    Icon: typeof MoreIcon,
    onClick: () => void,
    more?: Partial<IconButtonProps>,
  ) => <IconButton label={label} icon={<Icon />} onClick={onClick} {...more} />;
  return (
    <div className={styles.toolbar}>
      <PageHeading>{viewName(filter, texts)}</PageHeading>
      {children}
      {button(texts.search, SearchIcon, onSearch, { className: styles.searchButton })}
      <FilterButton filter={filter} />
      {tab !== 'archived' && tab !== 'snoozed' && (
        <IconButton
          label={texts.markAllRead}
          className={styles.worded}
          icon={
            <>
              <CheckAllIcon />
              <span aria-hidden="true">{texts.markAllRead}</span>
            </>
          }
          inactive={!hasUnread}
          onClick={onMarkAllRead}
        />
      )}
      {button(texts.select, SelectIcon, onSelect, {
        className: styles.wide,
        'aria-pressed': isSelecting,
        inactive: !hasRows && !isSelecting,
      })}
      {InviteDialog && button(texts.invite, InviteIcon, () => onDialog('invite'), { className: styles.wide })}
      {button(texts.options, MoreIcon, () => onDialog('options'))}
    </div>
  );
}

function FilterButton({ filter }: { readonly filter: NotificationFilter }) {
  const texts = inboxTexts.use();
  return (
    <Popover
      label={texts.filter}
      className={styles.filterPanel}
      // eslint-disable-next-line react/no-unstable-nested-components -- a render function, not a component
      trigger={(trigger) => (
        <IconButton
          {...trigger}
          label={texts.filter}
          icon={<FilterIcon />}
          className={classNames(isFiltered(filter) && styles.filtered)}
        />
      )}
    >
      {(close) => (
        <PartBoundary onFail={close}>
          <FilterPanel filter={filter} />
        </PartBoundary>
      )}
    </Popover>
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
