import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { Button } from '../../../ui/button.tsx';
import styles from '../screen/inbox.module.css';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { useInboxCommands } from '../actions/use-inbox-commands.ts';
import { emptySelection } from '../screen/use-selection.ts';
import type { Selection } from '../screen/use-selection.ts';
import { inboxTexts } from '../texts/notification-texts.ts';

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
}

/** The actions on the selected notifications. */
export function SelectionBar(props: SelectionBarProps) {
  const { selection, shown, filter, total, onSnooze, onChange } = props;
  const bar = useRef<HTMLElement>(null);
  useToastsAbove(bar);
  const texts = inboxTexts.use();
  const commands = useInboxCommands();
  const { isEverything } = selection;
  // Rows that left the list are not acted on.
  const chosen = isEverything ? shown : shown.filter(({ id }) => selection.ids.has(id));
  const isNone = chosen.length === 0;
  const areArchived = !isNone && chosen.every(({ status }) => status === 'archived');
  const areAllShown = !isNone && chosen.length === shown.length;
  const act = (action: () => void) => () => {
    action();
    onChange(emptySelection);
  };
  return (
    <section ref={bar} className={styles.selection} aria-label={texts.select}>
      <span role="status" className={styles.selectionCount}>
        {texts.selected(isEverything ? (total ?? chosen.length) : chosen.length)}
      </span>
      {areAllShown && total !== null && !isEverything ? (
        <Button look="link" onClick={() => onChange({ ids: selection.ids, isEverything: true })}>
          {texts.selectEverything(total)}
        </Button>
      ) : (
        <Button
          look="link"
          onClick={() => onChange({ ids: new Set(shown.map(({ id }) => id)), isEverything: false })}
        >
          {texts.selectAll}
        </Button>
      )}
      <Button
        inactive={isNone || areArchived}
        onClick={act(() =>
          isEverything ? commands.markAllRead(filter.kind) : commands.setStatus(chosen, 'read'),
        )}
      >
        {texts.markRead}
      </Button>
      {!isEverything && (
        <Button
          inactive={isNone}
          onClick={act(() => commands.setStatus(chosen, areArchived ? 'read' : 'archived'))}
        >
          {areArchived ? texts.unarchive : texts.archive}
        </Button>
      )}
      {!isEverything && (
        <Button inactive={isNone} onClick={() => onSnooze(chosen)}>
          {texts.snooze}
        </Button>
      )}
      <Button
        look="danger"
        inactive={isNone}
        onClick={act(() => (isEverything ? commands.removeAll(filter) : commands.remove(chosen)))}
      >
        {texts.remove}
      </Button>
      <Button look="quiet" onClick={() => onChange(null)}>
        {texts.selectDone}
      </Button>
    </section>
  );
}

/** At the end of a list the bar stands this much higher. */
const footPx = 40;

/** Tells the style of the toasts how much of the foot the bar takes, so that they stack above it. */
function useToastsAbove(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = bar.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() =>
      style.setProperty('--selection-height', `${element.offsetHeight + footPx}px`),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty('--selection-height');
    };
  }, [bar]);
}
