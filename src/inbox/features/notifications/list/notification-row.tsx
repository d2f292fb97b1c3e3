import { memo, useEffect, useRef, useState, useSyncExternalStore, type ReactNode, type Ref } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { ClockIcon } from '../../../ui/icons.tsx';
import { NextIcon } from '../../../ui/overlay/menu-icons.tsx';
import { Highlight } from '../../../ui/list/highlight.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { useInbox } from '../data/inbox-context.ts';
import { asksForAnswer, shownAtMs } from '../model/notification.ts';
import { groupTypeOf, type ListEntry } from '../model/list-entries.ts';
import { inboxHref, unfiltered, type NotificationFilter } from '../model/notification-filter.ts';
import { openDetail } from './detail-history.ts';
import styles from './notification-row.module.css';
import { inboxTexts, type InboxTexts } from '../texts/inbox-texts.ts';
import {
  leadOf,
  notificationActor,
  notificationEntity,
  notificationKindLabel,
  rowSnippet,
  rowTitle,
} from '../texts/notification-words.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { KindIcon } from './kind-icon.tsx';
import { rowActions, rowMenuPopup, type OnRowAction, type RowAction } from './row-actions.ts';
import { RowTime } from './row-time.tsx';
import { RowTitle } from './row-title.tsx';
import { SenderAvatar } from './sender-avatar.tsx';

export interface NotificationRowProps {
  readonly entry: ListEntry;
  readonly onAction: OnRowAction;
  /** Opens or closes a group. Without it a group is a link to its list. */
  readonly onToggle?: (entry: ListEntry) => void;
  /** How many of its notifications are selected; null: selecting is off. */
  readonly selectedCount?: number | null;
  /** Whether the heading above names the day of its time. */
  readonly isDayNamed?: boolean;
  /** Whether the detail shows this notification. */
  readonly isOpen?: boolean;
  readonly filter: NotificationFilter;
  /** Without buttons, as in the bell's panel. */
  readonly isPlain?: boolean;
  /** The row's position in its list, from 1, and the list's length: only a part of a list is in the document. */
  readonly position?: number;
  readonly size?: number;
  readonly ref?: Ref<HTMLLIElement>;
}

/** A notification as a link to its detail, or a group, which opens; and the buttons of its actions. */
export const NotificationRow = memo(function NotificationRow(props: NotificationRowProps) {
  const { entry, onAction, filter, selectedCount = null, isOpen = false, isPlain = false } = props;
  const { ref, position, size, isDayNamed = false } = props;
  const texts = inboxTexts.use();
  useRegisteredKinds();
  const { id, notifications } = entry;
  const [newest] = notifications;
  const [isActive, setActive] = useState(false);
  const title = rowTitle(notifications, texts);
  const isUnread = notifications.some(({ status }) => status === 'unread');
  const hasButtons = !isPlain && selectedCount === null;
  const shared = { entry, texts, title, onAction };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- they only show the row's buttons
    <li
      className={classNames(
        styles.row,
        isUnread && styles.unread,
        isOpen && styles.open,
        entry.isMember && styles.member,
      )}
      data-id={id}
      ref={ref}
      aria-posinset={position}
      aria-setsize={size}
      onPointerEnter={() => setActive(true)}
      onFocus={() => setActive(true)}
      // The focused row keeps its button, which may be what has the focus. A pointer that leaves the window changes nothing.
      onPointerLeave={({ currentTarget, relatedTarget }) =>
        setActive(!(relatedTarget instanceof Node) || currentTarget.contains(document.activeElement))
      }
      onBlur={({ currentTarget, relatedTarget }) =>
        setActive(currentTarget.matches(':hover') || currentTarget.contains(relatedTarget))
      }
    >
      {selectedCount !== null && <RowCheckbox {...shared} selectedCount={selectedCount} />}
      <RowLink {...props}>
        <RowFace {...shared} isUnread={isUnread} filter={filter} isDayNamed={isDayNamed} />
      </RowLink>
      {hasButtons && <RowButtons {...shared} isActive={isActive} />}
      {hasButtons && notifications.length === 1 && asksForAnswer(newest) && (
        <AnswerButtons
          className={styles.answers}
          notification={newest}
          title={title}
          onAnswer={() => onAction('open', notifications, id)}
        />
      )}
    </li>
  );
});

interface RowPartProps extends Pick<NotificationRowProps, 'entry' | 'onAction'> {
  readonly texts: InboxTexts;
  readonly title: string;
}

interface RowFaceProps extends RowPartProps, Pick<NotificationRowProps, 'filter'> {
  readonly isDayNamed: boolean;
  readonly isUnread: boolean;
}

function RowFace({ entry, texts, title, isUnread, filter, isDayNamed }: RowFaceProps) {
  const { notifications } = entry;
  const [newest] = notifications;
  const { isSnoozed, snoozedUntilMs } = newest;
  const lead = leadOf(notifications);
  const { kindName } = lead;
  const { pendingRows } = useInbox();
  const isPending = useSyncExternalStore(pendingRows.subscribe, () =>
    notifications.some(({ id }) => pendingRows.getSnapshot().has(id)),
  );
  const actor = notificationActor(lead);
  // An open thread is headed by its entity; the rows below it have the sentences.
  const heading = entry.isOpen && groupTypeOf(notifications) === 'thread' ? notificationEntity(lead) : null;
  const snippet = heading === null && rowSnippet(notifications, texts);
  return (
    <>
      <span className={styles.avatar}>
        <SenderAvatar name={actor} kind={kindName} />
      </span>
      <span className={styles.glyph} aria-hidden="true" title={notificationKindLabel(lead, texts)}>
        {actor !== null && <KindIcon kind={kindName} size={16} />}
      </span>
      <span className={styles.words}>
        {isUnread && <VisuallyHidden>{texts.unread}: </VisuallyHidden>}
        <RowTitle title={heading ?? title} notification={lead} query={filter.query} />
        {snippet && (
          <span className={styles.snippet} dir="auto">
            <Highlight text={snippet} query={filter.query} />
          </span>
        )}
      </span>
      <span className={styles.meta}>
        {isPending && <span className={styles.pending}>{texts.pending}</span>}
        {notifications.length > 1 ? (
          <span className={styles.count}>
            <span aria-hidden="true">{notifications.length}</span>
            <VisuallyHidden>{texts.updates(notifications.length)}</VisuallyHidden>
            <NextIcon size={12} />
          </span>
        ) : (
          <VisuallyHidden>{notificationKindLabel(lead, texts)}</VisuallyHidden>
        )}
        {snoozedUntilMs !== null && (
          <span className={styles.snoozed} title={isSnoozed ? texts.tabs.snoozed : texts.returned}>
            <ClockIcon size={16} />
            <VisuallyHidden>{isSnoozed ? texts.tabs.snoozed : texts.returned}</VisuallyHidden>
          </span>
        )}
        <RowTime atMs={shownAtMs(newest)} isDayNamed={isDayNamed} />
      </span>
    </>
  );
}

interface RowCheckboxProps extends RowPartProps {
  readonly selectedCount: number;
}

function RowCheckbox({ entry, texts, title, selectedCount, onAction }: RowCheckboxProps) {
  const { id, notifications } = entry;
  const box = useRef<HTMLInputElement>(null);
  const isMixed = selectedCount > 0 && selectedCount < notifications.length;
  useEffect(() => {
    // `indeterminate` has no attribute that React could set.
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label className={styles.check}>
      <input
        ref={box}
        type="checkbox"
        checked={selectedCount === notifications.length}
        aria-label={texts.selectNamed(title)}
        onChange={({ nativeEvent }) => onAction(selectAction(nativeEvent), notifications, id)}
      />
    </label>
  );
}

function selectAction(event: Event): RowAction {
  return 'shiftKey' in event && event.shiftKey === true ? 'select-range' : 'select';
}

interface RowLinkProps extends NotificationRowProps {
  readonly children: ReactNode;
}

/** Every notification opens in the detail, which leads on to its page. While selecting, a click selects. */
function RowLink({ entry, filter, onAction, onToggle, selectedCount, isOpen, children }: RowLinkProps) {
  const { id, notifications } = entry;
  const [{ thread, senderId, kindName }] = notifications;
  const shared = { className: styles.link, 'data-row': id };
  const groupType = groupTypeOf(notifications);
  if (groupType && onToggle)
    return (
      <button type="button" {...shared} aria-expanded={entry.isOpen} onClick={() => onToggle(entry)}>
        {children}
      </button>
    );
  const hrefs = {
    thread: inboxHref({ ...unfiltered, place: thread ?? undefined }),
    sender: inboxHref({ ...unfiltered, person: senderId ?? undefined, kind: kindName }),
  };
  const href = groupType ? hrefs[groupType] : inboxHref(filter, id);
  return (
    // No `Link` of the router: each listens to the URL, which would slow down every click in a long list.
    <a
      href={href}
      {...shared}
      aria-current={isOpen || undefined}
      onClick={(event) => {
        const isSelecting = typeof selectedCount === 'number';
        const { ctrlKey, metaKey, altKey, shiftKey } = event;
        // The browser opens it in another tab.
        if (!isSelecting && (ctrlKey || metaKey || altKey || shiftKey)) return;
        event.preventDefault();
        onAction(isSelecting ? selectAction(event.nativeEvent) : 'open', notifications, id);
        if (isSelecting) return;
        if (groupType) navigate(href, { replace: location.href.endsWith(href) });
        else openDetail(href, isByKeyboard(event.nativeEvent));
      }}
    >
      {children}
    </a>
  );
}

/** Firefox counts one click for Enter on a link, too, but names no pointer. */
function isByKeyboard(click: MouseEvent): boolean {
  return click.detail === 0 || ('pointerType' in click && click.pointerType === '');
}

interface RowButtonsProps extends RowPartProps {
  /** Whether the row is pointed at or has the focus. */
  readonly isActive: boolean;
}

/**
 * The menu of all actions and, on the active row, buttons for the frequent ones: for the mouse, since the keyboard has
 * shortcuts.
 */
function RowButtons({ entry: { id, notifications }, texts, title, onAction, isActive }: RowButtonsProps) {
  const count = notifications.length;
  const { read, unsnooze, archive, remove, more } = rowActions(notifications, texts);
  return (
    <div className={styles.buttons}>
      {(isActive ? [read, unsnooze ?? archive, remove, more] : [more]).map((button) => {
        if (!button) return null;
        const [action, word, Icon] = button;
        return (
          <IconButton
            key={action}
            className={classNames(action === 'more' && styles.more)}
            aria-haspopup={action === 'more' ? rowMenuPopup() : undefined}
            tabIndex={action === 'more' ? undefined : -1}
            label={texts.actionOn(word, count > 1 ? texts.several(title, count) : title)}
            title={count > 1 ? texts.several(word, count) : word}
            icon={<Icon size={18} />}
            onClick={() => onAction(action, notifications, id)}
          />
        );
      })}
    </div>
  );
}
