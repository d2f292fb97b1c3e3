import { useState } from 'react';
import type { UnverifiedUser } from '../../auth-client/index.ts';
import { attempt } from '../../app/auth-problem.ts';
import { useAuthState, useClients } from '../../app/clients-context.ts';
import { paths } from '../../app/routes.ts';
import { checkEmail } from '../../ui/credential-rules.ts';
import { credentialTexts } from '../../ui/credential-texts.ts';
import { FormMessages } from '../../ui/message.tsx';
import { CountdownButton } from '../../ui/submit-button.tsx';
import { EmailField } from '../../ui/text-field.tsx';
import { useForm } from '../../ui/use-form.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { EmailCodeForm } from './email-code-form.tsx';
import { Section } from './section.tsx';

export interface EmailSectionProps {
  readonly user: UnverifiedUser;
  readonly onChanged: () => Promise<void>;
}

/** A new address has to be confirmed in the old mailbox and in the new one. */
export function EmailSection({ user, onChanged }: EmailSectionProps) {
  const texts = accountTexts.use();
  const { callbackMessage } = useAuthState();
  const [done, setDone] = useState<string>();
  const pending = user.new_email;
  const news = done ?? (callbackMessage === null ? undefined : texts.halfConfirmed);
  const confirm = async (address: string | null) => {
    setDone(address === null ? texts.halfConfirmed : texts.emailChanged(address));
    await onChanged();
  };
  return (
    <Section title={texts.email} intro={texts.currentEmail(user.email ?? '')}>
      <FormMessages success={news} />
      {pending ? (
        <PendingChange current={user.email ?? ''} next={pending} onConfirmed={confirm} />
      ) : (
        <ChangeForm current={user.email ?? ''} onAsked={onChanged} />
      )}
    </Section>
  );
}

function ChangeForm({
  current,
  onAsked,
}: {
  readonly current: string;
  readonly onAsked: () => Promise<void>;
}) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const { auth, configuration } = useClients();
  const form = useForm({
    initial: { email: '' },
    validate: ({ email }) => ({
      email: email.trim() === current ? texts.sameEmail : checkEmail(email, rules),
    }),
    submit: ({ email }) =>
      attempt(['email'], async () => {
        const site = configuration.siteUrl ?? location.origin;
        await auth.updateUser({ email: email.trim(), redirectTo: site + paths.account });
        await onAsked();
      }),
  });
  return (
    <form {...form.props} className={styles.form}>
      <FormMessages error={form.problem} />
      <EmailField label={texts.newEmail} autoComplete="email" required {...form.field('email')} />
      <CountdownButton type="submit" pending={form.pending} untilMs={form.retryAtMs}>
        {texts.changeEmail}
      </CountdownButton>
    </form>
  );
}

interface PendingChangeProps {
  readonly current: string;
  readonly next: string;
  /** The address where the change is complete, null after the first half. */
  readonly onConfirmed: (address: string | null) => Promise<void>;
}

function PendingChange({ current, next, onConfirmed }: PendingChangeProps) {
  const texts = accountTexts.use();
  const { auth, configuration } = useClients();
  const [again, setAgain] = useState<{
    pending: boolean;
    nextAtMs: number | null;
    text?: string;
    problem?: string;
  }>({
    pending: false,
    nextAtMs: null,
  });
  const resend = async () => {
    setAgain({ pending: true, nextAtMs: null });
    const redirectTo = (configuration.siteUrl ?? location.origin) + paths.account;
    const problem = await attempt([], () =>
      auth.resend({ type: 'email_change', email: current, redirectTo }),
    );
    const waitMs = (problem ? (problem.retryAfterSeconds ?? 0) : 60) * 1000;
    setAgain({
      pending: false,
      nextAtMs: waitMs > 0 ? Date.now() + waitMs : null,
      ...(problem ? { problem: problem.message ?? '' } : { text: texts.mailsSent }),
    });
  };
  return (
    <>
      <p>{current === '' ? texts.emailPendingOne(next) : texts.emailPending(current, next)}</p>
      {[next, current].filter(Boolean).map((address) => (
        <EmailCodeForm key={address} address={address} next={next} onConfirmed={onConfirmed} />
      ))}
      <FormMessages error={again.problem} success={again.text} />
      <div className={styles.row}>
        <CountdownButton
          look="quiet"
          pending={again.pending}
          untilMs={again.nextAtMs}
          onClick={() => void resend()}
        >
          {texts.resendMails}
        </CountdownButton>
      </div>
    </>
  );
}
