import { attempt } from '../../app/auth-problem.ts';
import { useClients } from '../../app/clients-context.ts';
import { paths } from '../../app/routes.ts';
import { FormMessages } from '../../ui/message.tsx';
import { CountdownButton } from '../../ui/submit-button.tsx';
import { useSending } from '../../ui/use-sending.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { EmailCodeForm } from './email-code-form.tsx';

export interface PendingEmailProps {
  readonly current: string;
  readonly next: string;
  /** The address where the change is complete, null after the first half. */
  readonly onConfirmed: (address: string | null) => Promise<void>;
}

/** A change of the address that waits for its confirmations. */
export function PendingEmail({ current, next, onConfirmed }: PendingEmailProps) {
  const texts = accountTexts.use();
  const { auth, configuration } = useClients();
  const again = useSending();
  const resend = () => {
    const redirectTo = (configuration.siteUrl ?? location.origin) + paths.account;
    return auth.resend({ type: 'email_change', email: current, redirectTo });
  };
  return (
    <>
      <p>{current === '' ? texts.emailPendingOne(next) : texts.emailPending(current, next)}</p>
      {[next, current].filter(Boolean).map((address) => (
        <EmailCodeForm key={address} address={address} next={next} onConfirmed={onConfirmed} />
      ))}
      <FormMessages error={again.problem} success={again.hasSent && texts.mailsSent} />
      <div className={styles.row}>
        <CountdownButton
          look="quiet"
          pending={again.pending}
          untilMs={again.nextAtMs}
          onClick={() => void again.send(() => attempt([], resend))}
        >
          {texts.resendMails}
        </CountdownButton>
      </div>
    </>
  );
}
