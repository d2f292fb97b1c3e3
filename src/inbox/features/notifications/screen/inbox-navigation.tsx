import { Link } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ArchiveIcon, ClockIcon, InboxIcon, UnreadIcon } from '../../../ui/icons.tsx';
import { TabLinks } from '../../../ui/page/tab-links.tsx';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import layout from '../../../ui/layout.module.css';
import styles from './inbox.module.css';
import { KindIcon } from '../list/kind-icon.tsx';
import { notificationKinds } from '../model/notification.ts';
import type { NotificationCounts } from '../model/notification-counts.ts';
import { unfiltered, inboxHref, inboxTabs, type NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { kindsName } from '../texts/notification-words.ts';

interface NavigationProps {
  readonly filter: NotificationFilter;
  readonly counts: NotificationCounts;
}

/** The lists, with the kind kept. Only unread notifications have a badge. */
export function InboxTabs({ filter, counts }: NavigationProps) {
  const texts = inboxTexts.use();
  return (
    <TabLinks
      label={texts.tabsLabel}
      tabs={inboxTabs.map((tab) => ({
        href: inboxHref({ ...filter, tab }),
        label: texts.tabs[tab],
        current: filter.tab === tab,
        ...(tab === 'unread' && { count: counts.unread }),
        name: texts.tabName(texts.tabs[tab], counts[tab]),
      }))}
    />
  );
}

interface KindLinksProps extends NavigationProps {
  readonly onChoose?: () => void;
}

/** The kinds, with the tab kept. The current kind is a link to all kinds. */
export function KindLinks({ filter, counts, onChoose }: KindLinksProps) {
  const texts = inboxTexts.use();
  const registered = [...useRegisteredKinds().keys()].map((kind) => ({ kind, name: kindsName(kind, texts) }));
  const builtIn = notificationKinds.map((kind) => ({ kind, name: kindsName(kind, texts) }));
  const others = registered.filter(({ kind }) => kind !== 'system');
  others.sort((one, other) => one.name.localeCompare(other.name, texts.language));
  return (
    <nav aria-label={texts.kindsLabel}>
      {[...builtIn, ...others].map(({ kind, name }) => {
        const isCurrent = filter.kind === kind;
        const unread = counts.kinds[kind] ?? 0;
        return (
          <Link
            key={kind}
            className={layout.railLink}
            href={inboxHref({ ...filter, kind: isCurrent ? null : kind })}
            aria-current={isCurrent ? 'true' : undefined}
            aria-label={texts.kindName(name, unread)}
            onClick={onChoose}
          >
            <KindIcon kind={kind} size={20} />
            <span>{name}</span>
            <Badge count={unread} />
          </Link>
        );
      })}
    </nav>
  );
}

const tabIcons = { all: InboxIcon, unread: UnreadIcon, snoozed: ClockIcon, archived: ArchiveIcon } as const;

/** The lists and kinds in the rail of wide screens. */
export function InboxRail({ isCurrentPage }: { readonly isCurrentPage: boolean }) {
  const texts = inboxTexts.use();
  const { view, counts } = useInboxSnapshot();
  const { filter } = view;
  return (
    <div className={styles.rail}>
      <nav aria-label={texts.tabsLabel}>
        {inboxTabs.map((tab) => {
          const Icon = tabIcons[tab];
          return (
            <Link
              key={tab}
              className={layout.railLink}
              href={inboxHref({ ...(isCurrentPage ? filter : unfiltered), tab })}
              aria-current={isCurrentPage && filter.tab === tab ? 'page' : undefined}
              aria-label={texts.tabName(texts.tabs[tab], counts[tab])}
            >
              <Icon />
              <span>{texts.tabs[tab]}</span>
              {tab === 'unread' ? (
                <Badge count={counts.unread} />
              ) : (
                counts[tab] > 0 && <span className={styles.total}>{counts[tab].toLocaleString()}</span>
              )}
            </Link>
          );
        })}
      </nav>
      <h2 className={styles.railHeading}>{texts.kindsLabel}</h2>
      <KindLinks filter={isCurrentPage ? filter : unfiltered} counts={counts} />
    </div>
  );
}
