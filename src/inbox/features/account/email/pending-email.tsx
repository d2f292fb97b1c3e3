import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients, useConfiguration } from '../../../shared/clients/clients-context.ts';
import { paths } from '../../../shared/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { checkCode, compactCode } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { CodeField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { useSending } from '../../../ui/form/use-sending.ts';
import styles from '../account.module.css';
import { accountTexts } from '../account-texts.ts';

export interface PendingEmailProps {
  readonly current: string;
  readonly next: string;
  /** Called with the new address when the change is complete, with null after the first confirmation. */
  readonly onConfirmed: (address: string | null) => Promise<void>;
  /** The user wants to enter a different new address. */
  readonly onReplace: () => void;
}

/** An email change that is waiting for its confirmations. */
export function PendingEmail({ current, next, onConfirmed, onReplace }: PendingEmailProps) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const configuration = useConfiguration();
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

interface EmailCodeFormProps extends Pick<PendingEmailProps, 'next' | 'onConfirmed'> {
  /** The address that received the code. */
  readonly address: string;
}

/** Confirms one half of an email change by its code. */
function EmailCodeForm({ address, next, onConfirmed }: EmailCodeFormProps) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules) }),
    submit: ({ code }) =>
      runFormAction(['code'], async () => {
        const proof = { type: 'email_change', email: address, token: compactCode(code) } as const;
        const { session } = await auth.verifyOtp(proof);
        await onConfirmed(session ? next : null);
      }),
  });
  return (
    <form {...form.props} className={styles.form}>
      <FormMessages error={form.problem} />
      <CodeField label={texts.codeSentTo(address)} maxLength={12} required {...form.field('code')} />
      <Button type="submit" pending={form.pending}>
        {texts.confirm}
      </Button>
      <SlowNote pending={form.pending} />
    </form>
  );
}
