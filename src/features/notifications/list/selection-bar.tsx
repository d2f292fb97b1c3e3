import { Button } from '../../../ui/button.tsx';
import { useInbox } from '../data/inbox-context.ts';
import styles from '../screen/inbox.module.css';
import type { Notification, NotificationStatus } from '../model/notification.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
import { useRemove } from '../actions/use-inbox-actions.ts';

export interface SelectionBarProps {
  readonly selected: ReadonlySet<string>;
  readonly shown: readonly Notification[];
  /** null: selecting ends. */
  readonly onChange: (selected: ReadonlySet<string> | null) => void;
}

/** What can be done to many at once. */
export function SelectionBar({ selected, shown, onChange }: SelectionBarProps) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const remove = useRemove();
  // What has left the list meanwhile is not acted upon.
  const chosen = shown.filter(({ id }) => selected.has(id));
  const ids = chosen.map(({ id }) => id);
  const isNone = ids.length === 0;
  const areArchived = !isNone && chosen.every(({ status }) => status === 'archived');
  const set = (status: NotificationStatus) => {
    inbox.setStatus(ids, status);
    onChange(new Set());
  };
  return (
    <section className={styles.selection} aria-label={texts.select}>
      <span role="status" className={styles.selectionCount}>
        {texts.selected(ids.length)}
      </span>
      <Button look="link" onClick={() => onChange(new Set(shown.map(({ id }) => id)))}>
        {texts.selectAll}
      </Button>
      <Button inactive={isNone} onClick={() => set('read')}>
        {texts.markRead}
      </Button>
      <Button inactive={isNone} onClick={() => set(areArchived ? 'read' : 'archived')}>
        {areArchived ? texts.unarchive : texts.archive}
      </Button>
      <Button
        look="danger"
        inactive={isNone}
        onClick={() => {
          remove(ids);
          onChange(new Set());
        }}
      >
        {texts.remove}
      </Button>
      <Button look="quiet" onClick={() => onChange(null)}>
        {texts.selectDone}
      </Button>
    </section>
  );
}
