import type { Passkey } from 'supabase-protocol-clients/auth-client/passkeys';
import { Button } from '../../../ui/button.tsx';
import { useLanguage } from '../../../ui/texts.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { accountTexts } from '../account-texts.ts';

export interface PasskeyRowProps {
  readonly passkey: Passkey;
  readonly name: string;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

/** A passkey of the list: its name, when it was added and last used, and what can be done with it. */
export function PasskeyRow({ passkey, name, onRename, onRemove }: PasskeyRowProps) {
  const { remove, passkey: texts } = accountTexts.use();
  const date = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'long' });
  const { createdAtMs, lastUsedAtMs } = passkey;
  const use = lastUsedAtMs === null ? texts.neverUsed : texts.lastUsed(date.format(lastUsedAtMs));
  return (
    <li className={styles.item}>
      <span className={styles.itemText}>
        {name}
        <span className={styles.itemHint}>{`${texts.added(date.format(createdAtMs))}, ${use}`}</span>
      </span>
      <span className={layout.row}>
        <Button aria-label={`${texts.rename}: ${name}`} onClick={onRename}>
          {texts.rename}
        </Button>
        <Button aria-label={`${remove}: ${name}`} onClick={onRemove}>
          {remove}
        </Button>
      </span>
    </li>
  );
}
