import { Button, buttonClass } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import styles from './notification-detail.module.css';

export interface LeavingDialogProps {
  readonly href: string;
  readonly host: string;
  readonly onClose: () => void;
}

/** Warns before a link to a host that the sender chose, and shows its whole address. */
export function ExternalLinkDialog({ href, host, onClose }: LeavingDialogProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().detail;
  return (
    <Dialog open sheet onClose={onClose} title={words.leaving.title} closeLabel={texts.close}>
      <p>{words.leaving.text}</p>
      <p className={styles.address}>
        <bdi dir="ltr">{showHiddenCharacters(href)}</bdi>
      </p>
      <div className={styles.actions}>
        <a
          className={buttonClass('primary')}
          href={href}
          target="_blank"
          rel="noreferrer noopener"
          onClick={onClose}
        >
          {words.leaving.proceed(host)}
        </a>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** Control, zero-width and bidirectional characters, which could disguise an address. */
const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with hidden characters written as `<U+202E>`. */
export function showHiddenCharacters(text: string): string {
  return text.replace(
    hiddenCharacters,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
