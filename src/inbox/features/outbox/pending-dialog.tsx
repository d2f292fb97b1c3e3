import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import layout from '../../ui/layout.module.css';
import styles from './outbox.module.css';
import { outboxTexts } from './outbox-texts.ts';

export interface ListedChange {
  readonly id: string;
  /** What the change does, in the user's language. */
  readonly name: string;
}

export interface PendingDialogProps {
  /** Oldest first. */
  readonly changes: readonly ListedChange[];
  /** Whether the changes are stored on this device; otherwise they end with this tab. */
  readonly areStored: boolean;
  readonly onDiscard: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Lists the pending changes. Each can be discarded. */
export function PendingDialog({ changes, areStored, onDiscard, onClose }: PendingDialogProps) {
  const texts = outboxTexts.use();
  return (
    <Dialog open sheet title={texts.listTitle} closeLabel={texts.close} onClose={onClose}>
      <p>{areStored ? texts.listIntro : texts.listIntroUnsaved}</p>
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
      <div className={layout.actions}>
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
