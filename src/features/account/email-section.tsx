import { lazy, Suspense, useState } from 'react';
import type { UnverifiedUser } from '../../auth-client/index.ts';
import { attempt } from '../../app/auth-problem.ts';
import { useAuthState, useClients } from '../../app/clients-context.ts';
import { paths } from '../../app/routes.ts';
import { checkEmail } from '../../ui/credential-rules.ts';
import { credentialTexts } from '../../ui/credential-texts.ts';
import { FormMessages } from '../../ui/message.tsx';
import { CountdownButton } from '../../ui/submit-button.tsx';
import { EmailField } from '../../ui/text-field.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { useForm } from '../../ui/use-form.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { Section } from './section.tsx';

const PendingEmail = lazy(async () => ({ default: (await import('./pending-email.tsx')).PendingEmail }));

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
        <Suspense fallback={<Spinner />}>
          <PendingEmail current={user.email ?? ''} next={pending} onConfirmed={confirm} />
        </Suspense>
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
