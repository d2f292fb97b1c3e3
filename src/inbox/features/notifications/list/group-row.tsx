import { memo, useEffect, useRef, type ReactNode, type Ref } from 'react';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ArchiveIcon, CheckIcon, MoreIcon, TrashIcon, UnarchiveIcon } from '../../../ui/icons.tsx';
import { NextIcon } from '../../../ui/menu-icons.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { shownAtMs } from '../model/day-groups.ts';
import type { ListEntry } from '../model/list-entries.ts';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationActor, notificationKindLabel, notificationTitle } from '../texts/notification-words.ts';
import { rowMenuPopup } from './menu-button.ts';
import styles from './notification-row.module.css';
import type { RowAction } from './notification-row.tsx';
import { NotificationTime } from './notification-time.tsx';
import { RowTitle } from './row-title.tsx';
import { SenderAvatar, SenderOnlineDot } from './sender-avatar.tsx';

export interface GroupRowProps {
  readonly group: Extract<ListEntry, { type: 'group' }>;
  readonly onAction: (action: RowAction, notifications: readonly Notification[], id: string) => void;
  readonly onToggle: (id: string) => void;
  /** null: selecting is off. */
  readonly selected: ReadonlySet<string> | null;
  readonly position: number;
  readonly size: number;
  readonly index: number;
  readonly ref?: Ref<HTMLLIElement>;
}

/** Many notifications as one row, which opens; its actions act on all of them. */
export const GroupRow = memo(function GroupRow(props: GroupRowProps) {
  const { group, onAction, onToggle, selected, position, size, index, ref } = props;
  const texts = inboxTexts.use();
  useRegisteredKinds();
  const { id, notifications, isOpen, isPartial } = group;
  const [newest] = notifications;
  const sentence = notificationTitle(newest, texts);
  const title = texts.times(sentence, notifications.length, isPartial);
  const unread = notifications.filter(({ status }) => status === 'unread').length;
  const areArchived = notifications.every(({ status }) => status === 'archived');
  const button = (action: RowAction, word: string, icon: ReactNode, className?: string) => (
    <IconButton
      className={className}
      aria-haspopup={action === 'more' ? rowMenuPopup() : undefined}
      label={texts.actionOn(word, texts.several(sentence, notifications.length))}
      title={texts.several(word, notifications.length)}
      icon={icon}
      onClick={() => onAction(action, notifications, id)}
    />
  );
  return (
    <li
      className={classNames(styles.row, unread > 0 && styles.unread)}
      data-id={id}
      data-index={index}
      ref={ref}
      aria-posinset={position}
      aria-setsize={size}
    >
      {selected && (
        <GroupCheckbox
          label={texts.selectNamed(title)}
          chosen={notifications.filter((row) => selected.has(row.id)).length}
          total={notifications.length}
          onChange={() => onAction('select', notifications, id)}
        />
      )}
      <button
        type="button"
        className={styles.link}
        data-row={id}
        aria-expanded={isOpen}
        onClick={() => onToggle(id)}
      >
        <span className={styles.avatar}>
          <SenderAvatar name={notificationActor(newest)} kind={newest.kindName} />
          <SenderOnlineDot notification={newest} />
        </span>
        <span className={styles.words}>
          {unread > 0 && <VisuallyHidden>{texts.unread}: </VisuallyHidden>}
          <RowTitle title={title} notification={newest} query={undefined} />
        </span>
        <span className={styles.meta}>
          <span className={styles.kind}>{notificationKindLabel(newest, texts)}</span>
          <NotificationTime atMs={shownAtMs(newest)} withDay={false} />
          <span className={styles.chevron}>
            <NextIcon size={16} />
          </span>
        </span>
      </button>
      {!selected && (
        <div className={styles.buttons}>
          {unread > 0 && button('read', texts.markRead, <CheckIcon />)}
          {button(
            'archive',
            areArchived ? texts.unarchive : texts.archive,
            areArchived ? <UnarchiveIcon /> : <ArchiveIcon />,
          )}
          {button('remove', texts.remove, <TrashIcon />)}
          {button('more', texts.more, <MoreIcon />, styles.more)}
        </div>
      )}
    </li>
  );
});

interface GroupCheckboxProps {
  readonly label: string;
  readonly chosen: number;
  readonly total: number;
  readonly onChange: () => void;
}

function GroupCheckbox({ label, chosen, total, onChange }: GroupCheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  const isMixed = chosen > 0 && chosen < total;
  useEffect(() => {
    // `indeterminate` has no attribute that React could set.
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label className={styles.check}>
      <input ref={box} type="checkbox" checked={chosen === total} aria-label={label} onChange={onChange} />
    </label>
  );
}
