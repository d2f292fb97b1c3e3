import { useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode, Ref, RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Button, IconButton, type ButtonProps } from '../../../ui/button.tsx';
import {
  ArchiveIcon,
  CheckIcon,
  ClockIcon,
  CloseIcon,
  TrashIcon,
  UnarchiveIcon,
} from '../../../ui/icons.tsx';
import { SelectIcon } from '../../../ui/menu-icons.tsx';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import styles from './selection-bar.module.css';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { useLocale } from '../data/inbox-context.ts';
import { useInboxCommands } from '../actions/inbox-commands.ts';
import { isKeyTaken } from '../actions/use-shortcuts.ts';
import { rowAfterSelection, visibleRows } from './row-after-selection.ts';
import type { Selection } from './use-selection.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';

export type SelectionAction = 'read' | 'archive' | 'snooze' | 'remove';

export interface SelectionBarHandle {
  /** Presses the button of the action; does nothing while the bar does not offer it. */
  act(action: SelectionAction): void;
}

export interface SelectionBarProps {
  readonly selection: Selection;
  readonly shown: readonly Notification[];
  readonly filter: NotificationFilter;
  /** The length of the whole list, if it is known and not loaded to its end; else null. */
  readonly total: number | null;
  /** Asks for the time until which the selected notifications are snoozed. */
  readonly onSnooze: (notifications: readonly Notification[]) => void;
  /** null ends selecting. */
  readonly onChange: (selection: Selection | null) => void;
  readonly ref?: Ref<SelectionBarHandle>;
}

/** The actions on the selected notifications. Each ends selecting, and moves the focus from the bar to the list. */
export function SelectionBar(props: SelectionBarProps) {
  const { selection, shown, filter, total, onSnooze, onChange, ref } = props;
  const bar = useRef<HTMLElement>(null);
  const selectMore = useRef<HTMLButtonElement>(null);
  const firstAction = useRef<HTMLButtonElement>(null);
  const nextRow = useRef<HTMLElement>(null);
  useFocusReturn(bar, nextRow);
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().selection;
  const locale = useLocale();
  const commands = useInboxCommands();
  const { isEverything } = selection;
  // Rows that left the list are not acted on.
  const chosen = isEverything ? shown : shown.filter(({ id }) => selection.ids.has(id));
  const isNone = chosen.length === 0;
  const areArchived = !isNone && chosen.every(({ status }) => status === 'archived');
  const count = isEverything ? (total ?? chosen.length) : chosen.length;
  const [isAsking, setAsking] = useState(false);
  const removeSelected = () => (isEverything ? commands.removeAll(filter, count) : commands.remove(chosen));
  const archiveSelected = () =>
    isEverything && !areArchived
      ? commands.archiveAll(filter, count)
      : commands.setStatus(chosen, areArchived ? 'read' : 'archived');
  const markRead = () =>
    isEverything ? commands.markAllRead(filter.kind) : commands.setStatus(chosen, 'read');
  const act = (action: SelectionAction, isSure = count <= mostUnasked) => {
    const isOffered = action === 'read' ? !areArchived : !(isEverything && action === 'snooze');
    if (isNone || !isOffered) return;
    if (action === 'remove' && !isSure) return setAsking(true);
    nextRow.current = rowAfterSelection(action === 'read' ? 'stay' : 'leave');
    // The dialog asks for the time first.
    if (action === 'snooze') return onSnooze(chosen);
    if (action === 'archive') archiveSelected();
    else if (action === 'remove') removeSelected();
    else markRead();
    onChange(null);
  };
  useImperativeHandle(ref, () => ({
    act(action) {
      // The bar moves the focus on when selecting ends.
      bar.current?.focus({ preventScroll: true });
      act(action);
    },
  }));
  const archive = areArchived
    ? (['archive', texts.unarchive, UnarchiveIcon] as const)
    : (['archive', texts.archive, ArchiveIcon] as const);
  const buttons = [
    ['read', texts.markRead, CheckIcon] as const,
    ...(isEverything && areArchived ? [] : [archive]),
    ...(isEverything ? [] : [['snooze', texts.snooze, ClockIcon] as const]),
    ['remove', texts.remove, TrashIcon] as const,
  ];
  const areAllShown = chosen.length === shown.length;
  const offersEverything = areAllShown && total !== null && !isEverything && !isNone;
  const selectAll = () => {
    flushSync(() =>
      onChange({ ids: new Set(shown.map(({ id }) => id)), isEverything: isEverything || offersEverything }),
    );
    // The button is removed once nothing more can be selected.
    (selectMore.current ?? firstAction.current)?.focus({ preventScroll: true });
  };
  useSelectAllKey(selectAll);
  return (
    <section ref={bar} className={styles.bar} aria-label={texts.select} data-selection-bar="" tabIndex={-1}>
      <div className={styles.actions}>
        <span role="status" className={styles.count} data-count={count.toLocaleString(locale)}>
          <span className={styles.countWords}>{words.selected(count)}</span>
        </span>
        {(offersEverything || !areAllShown) && (
          // One button for both labels, because a second one would lose the focus.
          <BarButton
            ref={selectMore}
            look="link"
            aria-keyshortcuts="Control+A Meta+A"
            icon={<SelectIcon />}
            word={offersEverything ? words.everything(total) : words.all}
            isWord={offersEverything}
            onClick={selectAll}
          />
        )}
        {buttons.map(([action, word, Icon]) => (
          <BarButton
            key={action}
            ref={action === 'read' ? firstAction : undefined}
            look={action === 'remove' ? 'danger' : 'secondary'}
            icon={<Icon />}
            word={word}
            inactive={isNone || (action === 'read' && areArchived)}
            onClick={() => act(action)}
          />
        ))}
        <IconButton
          className={styles.button}
          label={words.done}
          icon={<CloseIcon />}
          onClick={() => {
            nextRow.current = null;
            onChange(null);
          }}
        />
      </div>
      {isAsking && (
        <Dialog open onClose={() => setAsking(false)} title={words.remove(count)} closeLabel={texts.close}>
          <p>{words.removeText}</p>
          <div className={layout.actions}>
            <Button onClick={() => setAsking(false)}>{texts.cancel}</Button>
            <Button
              look="danger"
              onClick={() => {
                // The focus returns to the bar, which moves it on.
                flushSync(() => setAsking(false));
                act('remove', true);
              }}
            >
              {texts.remove}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Deleting more than this asks first. */
const mostUnasked = 50;

interface BarButtonProps extends Omit<ButtonProps, 'children' | 'className' | 'title'> {
  readonly icon: ReactNode;
  readonly word: string;
  /** Whether a narrow bar shows the word, in a separate row, instead of the icon. Default: false. */
  readonly isWord?: boolean;
}

/** A button with a word; in a narrow bar the word is its name, and the icon is shown. */
function BarButton({ icon, word, isWord = false, ...rest }: BarButtonProps) {
  return (
    <Button {...rest} className={isWord ? styles.everything : styles.button} title={word}>
      {!isWord && icon}
      <span className={isWord ? undefined : styles.word}>{word}</span>
    </Button>
  );
}

/**
 * Ctrl+A (⌘A) selects, a second time also what is not loaded, and moves the focus to the bar: Tab reaches the bar only
 * behind all rows, which load further rows.
 */
function useSelectAllKey(selectAll: () => void): void {
  const act = useEffectEvent(selectAll);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isSelectAll = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a';
      const target = event.target instanceof HTMLElement ? event.target : document.body;
      if (!isSelectAll || event.shiftKey || event.altKey || isKeyTaken(target)) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Moves the focus from a button of the bar to the next row, else to the first visible one, when selecting ends. */
function useFocusReturn(bar: RefObject<HTMLElement | null>, nextRow: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const { current: next } = nextRow;
      const target = next?.isConnected ? next : visibleRows()[0];
      (target ?? document.querySelector('h1'))?.focus({ preventScroll: true });
    };
  }, [bar, nextRow]);
}
