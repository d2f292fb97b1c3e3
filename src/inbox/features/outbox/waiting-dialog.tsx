import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import styles from './outbox.module.css';
import { outboxTexts } from './outbox-texts.ts';

/** A waiting change as the list shows it. */
export interface ListedChange {
  readonly id: string;
  /** What it does, in the user's language. */
  readonly name: string;
}

export interface WaitingDialogProps {
  /** Oldest first. */
  readonly changes: readonly ListedChange[];
  readonly onDiscard: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Lists the changes that wait for a connection. Each can be discarded. */
export function WaitingDialog({ changes, onDiscard, onClose }: WaitingDialogProps) {
  const texts = outboxTexts.use();
  return (
    <Dialog open sheet title={texts.listTitle} closeLabel={texts.close} onClose={onClose}>
      <p>{texts.listIntro}</p>
      <ol className={styles.list}>
        {changes.map(({ id, name }) => (
          <li key={id} className={styles.change}>
            <span className={styles.name}>{name}</span>
            <Button look="quiet" aria-label={texts.discardNamed(name)} onClick={() => onDiscard([id])}>
              {texts.discard}
            </Button>
          </li>
        ))}
      </ol>
      <div className={styles.actions}>
        {changes.length > 1 && (
          <Button look="danger" onClick={() => onDiscard(changes.map(({ id }) => id))}>
            {texts.discardAll}
          </Button>
        )}
        <Button onClick={onClose}>{texts.close}</Button>
      </div>
    </Dialog>
  );
}
