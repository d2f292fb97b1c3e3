import { useState } from 'react';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients, useConfiguration } from '../../../shared/clients/clients-context.ts';
import { paths } from '../../../shared/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { useSending } from '../../../ui/form/use-sending.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { accountTexts } from '../account-texts.ts';
import { CodeForm } from '../../../shared/auth-problem/code-form.tsx';

export interface PendingEmailProps {
  readonly current: string;
  readonly next: string;
  /** Called with the new address when the change is complete, with null after the first confirmation. */
  readonly onConfirmed: (address: string | null) => Promise<void>;
  /** Called to enter a different new address. */
  readonly onReplace: () => void;
}

/** An email change that is waiting for its confirmations. */
export function PendingEmail({ current, next, onConfirmed, onReplace }: PendingEmailProps) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const configuration = useConfiguration();
  const again = useSending();
  /** The address whose code this page has sent. */
  const [confirmed, setConfirmed] = useState<string | null>(null);
  const resend = () => {
    const redirectTo = (configuration.siteUrl ?? location.origin) + paths.account;
    return auth.resend({ type: 'email_change', email: current, redirectTo });
  };
  return (
    <>
      <p>{current === '' ? texts.emailPendingOne(next) : texts.emailPending(current, next)}</p>
      {[next, current]
        .filter((address) => address && address !== confirmed)
        .map((address) => (
          <CodeForm
            key={`${address} ${confirmed}`}
            className={styles.form}
            label={texts.codeSentTo(address)}
            submit={texts.confirm}
            look="secondary"
            wide={false}
            takesFocus={confirmed !== null}
            onCode={async (token) => {
              const { session } = await auth.verifyOtp({ type: 'email_change', email: address, token });
              if (!session) setConfirmed(address);
              await onConfirmed(session ? next : null);
            }}
          />
        ))}
      <FormMessages error={again.problem} success={again.hasSent && texts.mailsSent} />
      <div className={layout.row}>
        <CountdownButton
          look="link"
          pending={again.pending}
          untilMs={again.nextAtMs}
          onClick={() => void again.send(() => runFormAction([], resend))}
        >
          {texts.resendMails}
        </CountdownButton>
        <Button look="link" onClick={onReplace}>
          {texts.otherEmail}
        </Button>
      </div>
    </>
  );
}
