import { Suspense, useCallback, useDeferredValue, useEffect, useState } from 'react';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import { useLocation, useSearch } from 'wouter';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { useHeldArrivals } from '../model/held-arrivals.ts';
import { useInbox, useInboxServices, useInboxSnapshot } from '../data/inbox-context.ts';
import { InboxFoot, InboxNotices } from './inbox-notices.tsx';
import { InboxTabs, KindLinks } from './inbox-navigation.tsx';
import { InboxToolbar } from './inbox-toolbar.tsx';
import type { InboxDialog } from './inbox-toolbar.tsx';
import styles from './inbox.module.css';
import type { Notification } from '../model/notification.ts';
import { filterKey, inboxHref, parseFilter, parseOpenId } from '../model/notification-filter.ts';
import { NotificationList } from '../list/notification-list.tsx';
import { inboxTexts } from '../texts/notification-texts.ts';
import type { Shortcut } from '../actions/shortcuts.ts';
import { useRowAction } from '../actions/use-inbox-actions.ts';

const parts = {
  selectionBar: () => import('../list/selection-bar.tsx'),
  options: () => import('./inbox-options.tsx'),
  detail: () => import('../detail/notification-detail.tsx'),
  rowMenu: () => import('../list/row-menu.tsx'),
};
const SelectionBar = lazyPart(async () => (await parts.selectionBar()).SelectionBar);
const InboxOptions = lazyPart(async () => (await parts.options()).InboxOptions);
const NotificationDetail = lazyPart(async () => (await parts.detail()).NotificationDetail);
const RowMenu = lazyPart(async () => (await parts.rowMenu()).RowMenu);

/** `/home`: the inbox. What it shows is in the URL. */
export function InboxScreen() {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const { InviteDialog } = useInboxServices();
  const snapshot = useInboxSnapshot();
  const search = useSearch();
  const [, navigate] = useLocation();
  const openId = parseOpenId(search);
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  const [dialog, setDialog] = useState<InboxDialog | null>(null);
  const [menuOf, setMenuOf] = useState<Notification | null>(null);

  useEffect(() => inbox.show(parseFilter(search)), [inbox, search]);
  const { isVerified } = snapshot;
  useEffect(() => {
    // Once the list is there: where the network goes later, the list shall still be of use.
    if (isVerified) for (const load of Object.values(parts)) load().catch(() => undefined);
  }, [isVerified]);

  const { filter } = snapshot.view;
  // Tabs and counts answer a click at once; the rows, of which there may be many, a moment later.
  const list = useDeferredValue(snapshot.view);
  const { shown, held, top, release } = useHeldArrivals(list.notifications, filterKey(list.filter));
  const onOther = useCallback(
    (action: 'select' | 'more', notification: Notification) => {
      if (action === 'more') setMenuOf(notification);
      else setSelected((current) => toggle(current, notification.id));
    },
    [setMenuOf, setSelected],
  );
  const onAction = useRowAction(onOther);
  const onShortcut = useCallback(
    (shortcut: Shortcut) => {
      if (shortcut === 'allRead') inbox.markAllRead(filter.kind);
      else if (shortcut === 'undo') toasts.actOnNewest();
      else if (shortcut === 'help') setDialog('options');
    },
    [inbox, filter.kind, setDialog],
  );
  const close = () => setDialog(null);

  return (
    <div className={styles.screen} data-selecting={selected !== null || undefined}>
      <InboxToolbar
        unread={filter.kind ? snapshot.counts.kinds[filter.kind] : snapshot.counts.unread}
        onMarkAllRead={() => inbox.markAllRead(filter.kind)}
        isSelecting={selected !== null}
        onSelect={() => setSelected(selected ? null : new Set())}
        onDialog={setDialog}
      />
      <div className={styles.narrow}>
        <InboxTabs filter={filter} counts={snapshot.counts} />
        <KindLinks filter={filter} counts={snapshot.counts} />
      </div>
      <div ref={top} />
      <InboxNotices snapshot={snapshot} />
      {held > 0 && (
        <button
          type="button"
          className={styles.pill}
          onClick={() => {
            release();
            top.current?.scrollIntoView({ block: 'end' });
          }}
        >
          ↑ {texts.fresh(held)}
        </button>
      )}
      <NotificationList
        notifications={shown}
        filter={list.filter}
        onAction={onAction}
        onShortcut={onShortcut}
        selected={selected}
      />
      <InboxFoot snapshot={{ ...snapshot, view: list }} />
      <Suspense>
        {selected && <SelectionBar selected={selected} shown={shown} onChange={setSelected} />}
        {dialog === 'options' && <InboxOptions onClose={close} />}
        {menuOf && <RowMenu notification={menuOf} onAction={onAction} onClose={() => setMenuOf(null)} />}
        {openId && (
          <NotificationDetail
            key={openId}
            id={openId}
            onAction={onAction}
            onClose={() => navigate(inboxHref(parseFilter(search)), { replace: true })}
          />
        )}
        {InviteDialog && dialog === 'invite' && <InviteDialog open onClose={close} />}
      </Suspense>
    </div>
  );
}

function toggle(selected: ReadonlySet<string> | null, id: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}
