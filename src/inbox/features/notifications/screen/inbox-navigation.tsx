import { Link, useSearch } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ArchiveIcon, ClockIcon, InboxIcon, UnreadIcon } from '../../../ui/icons.tsx';
import { FlagIcon } from '../../../ui/overlay/menu-icons.tsx';
import { TabLinks } from '../../../ui/page/tab-links.tsx';
import { useInboxSnapshot, useLocale } from '../data/inbox-context.ts';
import layout from '../../../ui/layout.module.css';
import styles from './inbox.module.css';
import { KindIcon } from '../list/kind-icon.tsx';
import type { NotificationCounts } from '../model/notification-counts.ts';
import {
  encodeFilter,
  inboxHref,
  inboxTabs,
  listsUnread,
  parseFilter,
  unfiltered,
  type InboxTab,
  type NotificationFilter,
} from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { listKinds } from './filter-options.ts';

interface NavigationProps {
  readonly filter: NotificationFilter;
  readonly counts: NotificationCounts;
}

/** The list of a tab: "All" is everything; the others keep what narrows the list. */
function tabFilter(tab: InboxTab, filter: NotificationFilter): NotificationFilter {
  return tab === 'all' ? unfiltered : { ...filter, tab };
}

/** Whether the tab shows this list. The tab "All" does not show a narrowed list. */
function isTab(tab: InboxTab, filter: NotificationFilter): boolean {
  return filter.tab === tab && (tab !== 'all' || encodeFilter({ ...filter, query: undefined }) === '');
}

/** The lists of narrow screens. Only unread notifications have a badge. */
export function InboxTabs({ filter, counts }: NavigationProps) {
  const texts = inboxTexts.use();
  const tabs = inboxTabs.map((tab) => ({
    href: inboxHref(tabFilter(tab, filter)),
    label: texts.tabs[tab],
    current: isTab(tab, filter),
    ...(listsUnread({ tab }) && { count: counts[tab] }),
    name: texts.tabName(texts.tabs[tab], counts[tab]),
  }));
  return <TabLinks label={texts.tabsLabel} tabs={tabs} />;
}

/** The kinds of the list, with their numbers of unread notifications. The current kind is a link to all kinds. */
function KindLinks({ filter, counts }: NavigationProps) {
  const texts = inboxTexts.use();
  useRegisteredKinds();
  const tab = filter.tab === 'unread' ? 'unread' : 'all';
  return (
    <nav aria-label={texts.kindsLabel}>
      {listKinds(texts).map(([kind, label]) => {
        const isCurrent = filter.kind === kind;
        const unread = counts.kinds[kind] ?? 0;
        return (
          <Link
            key={kind}
            className={layout.railLink}
            href={inboxHref({ ...filter, tab, kind: isCurrent ? null : kind })}
            aria-current={isCurrent ? 'true' : undefined}
            aria-label={texts.kindName(label, unread)}
          >
            <KindIcon kind={kind} size={20} />
            <span>{label}</span>
            <Unread count={unread} />
          </Link>
        );
      })}
    </nav>
  );
}

/** The number of unread notifications; renders nothing at 0. */
function Unread({ count }: { readonly count: number }) {
  const locale = useLocale();
  return count > 0 && <span className={styles.total}>{count.toLocaleString(locale)}</span>;
}

const tabIcons = {
  all: InboxIcon,
  unread: UnreadIcon,
  'needs-you': FlagIcon,
  snoozed: ClockIcon,
  archived: ArchiveIcon,
} as const;

/** The lists and kinds in the rail of wide screens. Every number shown is one of unread notifications. */
export function InboxRail({ isCurrentPage }: { readonly isCurrentPage: boolean }) {
  const texts = inboxTexts.use();
  const { counts } = useInboxSnapshot();
  const search = useSearch();
  const filter = isCurrentPage ? parseFilter(search) : unfiltered;
  return (
    <div className={styles.rail}>
      <nav aria-label={texts.tabsLabel}>
        {inboxTabs.map((tab) => {
          const Icon = tabIcons[tab];
          return (
            <Link
              key={tab}
              className={layout.railLink}
              href={inboxHref(tabFilter(tab, filter))}
              aria-current={isCurrentPage && isTab(tab, filter) ? 'page' : undefined}
              aria-label={texts.tabName(texts.tabs[tab], counts[tab])}
            >
              <Icon />
              <span>{texts.tabs[tab]}</span>
              {listsUnread({ tab }) && <Badge count={counts[tab]} />}
            </Link>
          );
        })}
      </nav>
      <h2 className={styles.railHeading}>{texts.kindsLabel}</h2>
      <KindLinks filter={filter} counts={counts} />
    </div>
  );
}
