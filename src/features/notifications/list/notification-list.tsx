import { memo, useId, useSyncExternalStore } from 'react';
import type { KeyboardEvent } from 'react';
import { groupByDay, dayLabel } from '../model/day-groups.ts';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import styles from '../screen/inbox.module.css';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { NotificationRow } from './notification-row.tsx';
import type { RowAction } from './notification-row.tsx';
import { parseShortcut, shortcutsEnabled } from '../actions/shortcuts.ts';
import type { Shortcut } from '../actions/shortcuts.ts';

export interface NotificationListProps {
  readonly notifications: readonly Notification[];
  readonly filter: NotificationFilter;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  /** Shortcuts that concern no single notification. */
  readonly onShortcut: (shortcut: Shortcut) => void;
  /** null: nothing is being selected. */
  readonly selected: ReadonlySet<string> | null;
}

/** The notifications under the days on which they came. */
export const NotificationList = memo(function NotificationList(props: NotificationListProps) {
  const { notifications, filter, onAction, onShortcut, selected } = props;
  const id = useId();
  const locale = useLocale();
  const { minuteClock } = useInboxServices();
  const today = useSyncExternalStore(minuteClock.subscribe, () =>
    new Date(minuteClock.getSnapshot()).toDateString(),
  );
  const groups = groupByDay(notifications, Date.parse(today));
  const isLetterOn = useSyncExternalStore(shortcutsEnabled.subscribe, shortcutsEnabled.getSnapshot);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!(event.target instanceof HTMLElement) || event.target.closest('input')) return;
    const shortcut = parseShortcut(event);
    if (!shortcut || (!isLetterOn && event.key.length === 1)) return;
    const row = event.target.closest<HTMLElement>('[data-id]');
    const notification = notifications.find((candidate) => candidate.id === row?.dataset['id']);
    event.preventDefault();
    if (shortcut === 'next' || shortcut === 'previous') moveFocus(event.currentTarget, row, shortcut);
    else if (shortcut === 'open') row?.querySelector<HTMLElement>('[data-row]')?.click();
    else if (!isOfRow(shortcut)) onShortcut(shortcut);
    else if (notification) onAction(shortcut, notification);
  };

  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are extra ways to what the rows' links and buttons do
    <div onKeyDown={onKeyDown}>
      {groups.map((group) => (
        <section key={group.day} aria-labelledby={`${id}-${group.day}`}>
          <h2 id={`${id}-${group.day}`} className={styles.day}>
            {dayLabel(group, locale)}
          </h2>
          <ul>
            {group.notifications.map((notification) => (
              <NotificationRow
                key={notification.id}
                notification={notification}
                filter={filter}
                onAction={onAction}
                isSelected={selected && selected.has(notification.id)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
});

function isOfRow(shortcut: Shortcut): shortcut is Extract<RowAction, Shortcut> {
  return shortcut === 'read' || shortcut === 'archive' || shortcut === 'remove' || shortcut === 'select';
}

function moveFocus(list: HTMLElement, row: HTMLElement | null, to: 'next' | 'previous'): void {
  const rows = [...list.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((link) => row?.contains(link));
  rows[to === 'next' ? at + 1 : Math.max(0, at - 1)]?.focus();
}
