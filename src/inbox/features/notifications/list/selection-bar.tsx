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
import { SelectIcon } from '../../../ui/overlay/menu-icons.tsx';
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
  const { selection, shown, total, onChange, ref } = props;
  const { isEverything } = selection;
  const bar = useRef<HTMLElement>(null);
  const selectMore = useRef<HTMLButtonElement>(null);
  const firstAction = useRef<HTMLButtonElement>(null);
  const setNextRow = useFocusReturn(bar);
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().selection;
  const chosen = chooseRows(props);
  const { isNone, areAllShown, count } = chosen;
  const { act, question } = useAct(props, chosen, setNextRow);
  useImperativeHandle(ref, () => ({
    act(action) {
      // The bar moves the focus on when selecting ends.
      bar.current?.focus({ preventScroll: true });
      act(action);
    },
  }));
  const offersEverything = areAllShown && total !== null && !isEverything && !isNone;
  const selectAll = () => {
    const ids = new Set(shown.map(({ id }) => id));
    flushSync(() => onChange({ ids, isEverything: isEverything || offersEverything }));
    // The button is removed once nothing more can be selected.
    (selectMore.current ?? firstAction.current)?.focus({ preventScroll: true });
  };
  useSelectAllKey(selectAll);
  return (
    <section ref={bar} className={styles.bar} aria-label={texts.select} data-selection-bar="" tabIndex={-1}>
      <div className={styles.actions}>
        <SelectedCount count={count} />
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
        <SelectionActions chosen={chosen} isEverything={isEverything} first={firstAction} onAct={act} />
        <IconButton
          className={styles.button}
          label={words.done}
          icon={<CloseIcon />}
          onClick={() => {
            setNextRow(null);
            onChange(null);
          }}
        />
      </div>
      {question}
    </section>
  );
}

function SelectedCount({ count }: { readonly count: number }) {
  const words = inboxDialogTexts.use().selection;
  const locale = useLocale();
  return (
    <span role="status" className={styles.count} data-count={count.toLocaleString(locale)}>
      <span className={styles.countWords}>{words.selected(count)}</span>
    </span>
  );
}

interface ChosenRows {
  readonly rows: readonly Notification[];
  readonly isNone: boolean;
  readonly areArchived: boolean;
  readonly areAllShown: boolean;
  /** The number of selected notifications, or of the whole list if everything is selected. */
  readonly count: number;
}

function chooseRows({ selection: { ids, isEverything }, shown, total }: SelectionBarProps): ChosenRows {
  // Rows that left the list are not acted on.
  const rows = isEverything ? shown : shown.filter(({ id }) => ids.has(id));
  const isNone = rows.length === 0;
  const areArchived = !isNone && rows.every(({ status }) => status === 'archived');
  const count = isEverything ? (total ?? rows.length) : rows.length;
  return { rows, isNone, areArchived, areAllShown: rows.length === shown.length, count };
}

interface SelectionActionsProps {
  readonly chosen: ChosenRows;
  readonly isEverything: boolean;
  readonly first: Ref<HTMLButtonElement>;
  readonly onAct: (action: SelectionAction) => void;
}

function SelectionActions({
  chosen: { isNone, areArchived },
  isEverything,
  first,
  onAct,
}: SelectionActionsProps) {
  const texts = inboxTexts.use();
  const archive = areArchived
    ? (['archive', texts.unarchive, UnarchiveIcon] as const)
    : (['archive', texts.archive, ArchiveIcon] as const);
  const buttons = [
    ['read', texts.markRead, CheckIcon] as const,
    ...(isEverything && areArchived ? [] : [archive]),
    ...(isEverything ? [] : [['snooze', texts.snooze, ClockIcon] as const]),
    ['remove', texts.remove, TrashIcon] as const,
  ];
  return buttons.map(([action, word, Icon]) => (
    <BarButton
      key={action}
      ref={action === 'read' ? first : undefined}
      look={action === 'remove' ? 'danger' : 'secondary'}
      icon={<Icon />}
      word={word}
      inactive={isNone || (action === 'read' && areArchived)}
      onClick={() => onAct(action)}
    />
  ));
}

function useAct(
  { selection: { isEverything }, filter, onSnooze, onChange }: SelectionBarProps,
  { rows, isNone, areArchived, count }: ChosenRows,
  setNextRow: (row: HTMLElement | null) => void,
) {
  const [isAsking, setAsking] = useState(false);
  const commands = useInboxCommands();
  const remove = () => (isEverything ? commands.removeAll(filter, count) : commands.remove(rows));
  const archive = () =>
    isEverything && !areArchived
      ? commands.archiveAll(filter, count)
      : commands.setStatus(rows, areArchived ? 'read' : 'archived');
  const markRead = () =>
    isEverything ? commands.markAllRead(filter.kind) : commands.setStatus(rows, 'read');
  const act = (action: SelectionAction, isSure = count <= maxUnconfirmed) => {
    const isOffered = action === 'read' ? !areArchived : !(isEverything && action === 'snooze');
    if (isNone || !isOffered) return;
    if (action === 'remove' && !isSure) return setAsking(true);
    setNextRow(rowAfterSelection(action === 'read' ? 'stay' : 'leave'));
    // The dialog asks for the time first.
    if (action === 'snooze') return onSnooze(rows);
    if (action === 'archive') archive();
    else if (action === 'remove') remove();
    else markRead();
    onChange(null);
  };
  const question = isAsking && (
    <RemovalQuestion
      count={count}
      onClose={() => setAsking(false)}
      onConfirm={() => {
        // The focus returns to the bar, which moves it on.
        flushSync(() => setAsking(false));
        act('remove', true);
      }}
    />
  );
  return { act, question };
}

interface RemovalQuestionProps {
  readonly count: number;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

function RemovalQuestion({ count, onClose, onConfirm }: RemovalQuestionProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().selection;
  return (
    <Dialog open onClose={onClose} title={words.remove(count)} closeLabel={texts.close}>
      <p>{words.removeText}</p>
      <div className={layout.actions}>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button look="danger" onClick={onConfirm}>
          {texts.remove}
        </Button>
      </div>
    </Dialog>
  );
}

/** Deleting more than this asks first. */
const maxUnconfirmed = 50;

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

/**
 * Moves the focus from a button of the bar to the next row, else to the first visible one, when selecting ends.
 *
 * @returns sets the next row.
 */
function useFocusReturn(bar: RefObject<HTMLElement | null>): (row: HTMLElement | null) => void {
  const nextRow = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const { current: next } = nextRow;
      const target = next?.isConnected ? next : visibleRows()[0];
      (target ?? document.querySelector('h1'))?.focus({ preventScroll: true });
    };
  }, [bar]);
  return (row) => {
    nextRow.current = row;
  };
}
