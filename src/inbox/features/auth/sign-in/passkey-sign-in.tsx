import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useClients, useConfiguration } from '../../../shared/clients/clients-context.ts';
import { hasUsedPasskey } from '../../../shared/known-passkey.ts';
import { Button } from '../../../ui/button.tsx';
import { createIcon } from '../../../ui/create-icon.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';
import { createPasskeyRequests } from './passkey-requests.ts';

const KeyIcon = createIcon('M7 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 6.5-6.5M13 7l2.5 2.5');

const autofillFields = 'input[autocomplete~="webauthn"]';

export interface PasskeySignInProps {
  /** The captcha token, where the project requires one. */
  readonly takeCaptcha: () => string | undefined;
}

/** A button that prompts for a passkey; while it is rendered, the email field's autofill offers passkeys too. */
export function PasskeySignIn({ takeCaptcha }: PasskeySignInProps) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const { captcha } = useConfiguration();
  const requests = useMemo(() => createPasskeyRequests(auth, captcha === null), [auth, captcha]);
  const { subscribe, getSnapshot } = requests.state;
  const { pending, problem } = useSyncExternalStore(subscribe, getSnapshot);
  useEffect(() => {
    const { offer, stop } = requests;
    const offerIn = (field: unknown) => {
      if (field instanceof Element && field.matches(autofillFields)) void offer();
    };
    const onFocus = ({ target }: FocusEvent) => offerIn(target);
    // Most visits have no passkey: their challenge waits until the field is used. A known passkey is offered at the first focus.
    if (hasUsedPasskey()) void offer();
    else offerIn(document.activeElement);
    // The form signs in by itself; if that fails, the focus returns to one of its fields.
    document.addEventListener('submit', stop);
    document.addEventListener('focusin', onFocus);
    return () => {
      document.removeEventListener('submit', stop);
      document.removeEventListener('focusin', onFocus);
      stop();
    };
  }, [requests]);
  return (
    <>
      <FormMessages error={problem?.type === 'rate-limited' ? texts.passkeyLimit : problem?.message} />
      <Button
        wide
        className={styles.lighter}
        pending={pending}
        onClick={() => void requests.prompt(takeCaptcha())}
      >
        <KeyIcon />
        <span>{texts.passkey}</span>
      </Button>
    </>
  );
}
