import { useEffect, useId, useRef } from 'react';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { productName } from '../../../ui/page/page-title.ts';
import { useCopy } from '../../../ui/state/use-copy.ts';
import { useLanguage } from '../../../ui/texts.ts';
import layout from '../../../ui/layout.module.css';
import { saveFile } from '../save-file.ts';
import { takeFocus } from '../take-focus.ts';
import { accountTexts } from '../account-texts.ts';
import styles from './recovery-codes.module.css';

export interface CodeSheetProps {
  readonly codes: readonly string[];
  /** The heading takes the focus of the button that created the codes. */
  readonly takesFocus: boolean;
  readonly onDone: () => void;
}

/** New recovery codes, which the server shows once: to copy, download or print. */
export function CodeSheet({ codes, takesFocus, onDone }: CodeSheetProps) {
  const texts = accountTexts.use().recoveryCodes;
  const language = useLanguage();
  const { platform } = useClients();
  const email = useAuth().user?.email ?? '';
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(platform.clock.now());
  useEffect(() => {
    // The browser asks for confirmation before it leaves the page, because the codes cannot be shown again.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  const titleId = useId();
  const list = useRef<HTMLUListElement>(null);
  const { isCopied, copy } = useCopy(
    codes.join('\n'),
    () => list.current && getSelection()?.selectAllChildren(list.current),
  );
  const download = () => {
    const lines = [`${productName}: ${texts.title}`, texts.account(email, date), '', ...codes, ''];
    saveFile('recovery-codes.txt', lines.join('\n'), 'text/plain');
  };
  return (
    <div role="group" aria-labelledby={titleId} className={styles.sheet}>
      <h3 id={titleId} tabIndex={-1} ref={takesFocus ? takeFocus : undefined}>
        {texts.title}
      </h3>
      <p className={styles.printed}>
        {productName}. {texts.account(email, date)}
      </p>
      <p>{texts.keep}</p>
      <ul ref={list} className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <FormMessages error={isCopied === false && texts.copyRefused} success={isCopied && texts.copied} />
      <div className={layout.row}>
        <Button onClick={() => void copy()}>{texts.copy}</Button>
        <Button onClick={download}>{texts.download}</Button>
        <Button onClick={() => print()}>{texts.print}</Button>
      </div>
      <p className={layout.hint}>{texts.spare}</p>
      <div className={layout.row}>
        <Button look="primary" onClick={onDone}>
          {texts.done}
        </Button>
      </div>
    </div>
  );
}
