import { useRef, useState } from 'react';
import type { UnverifiedUser } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients, useConfiguration } from '../../../shared/clients/clients-context.ts';
import { paths } from '../../../shared/routes.ts';
import { unsavedDraft } from '../../../shared/unsaved-draft.ts';
import { checkEmail } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { EmailField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { accountTexts } from '../account-texts.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { Section } from '../../../ui/section.tsx';
import { useRecentProof } from '../proof/recent-proof.tsx';
import { takeFocus } from '../take-focus.ts';
import { useKeptDraft } from '../use-kept-draft.ts';
import { PendingEmail } from './pending-email.tsx';

export interface EmailSectionProps {
  readonly user: UnverifiedUser;
  readonly onChanged: () => Promise<void>;
}

/** Changes the email address, which both mailboxes have to confirm. */
export function EmailSection({ user, onChanged }: EmailSectionProps) {
  const texts = accountTexts.use();
  const { callbackMessage } = useAuth();
  const [done, setDone] = useState<string>();
  const [isReplacing, setReplacing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const pending = user.new_email;
  const news = done ?? (callbackMessage === null ? undefined : texts.halfConfirmed);
  const confirm = async (address: string | null) => {
    setDone(address === null ? texts.halfConfirmed : texts.emailChanged(address));
    if (address !== null) heading.current?.focus();
    await onChanged();
  };
  const close = () => {
    setReplacing(false);
    heading.current?.focus();
  };
  return (
    <Section id="email" title={texts.email} intro={user.email} headingRef={heading}>
      <FormMessages success={news} />
      {pending && !isReplacing ? (
        <PendingEmail
          key={pending}
          current={user.email ?? ''}
          next={pending}
          onConfirmed={confirm}
          onReplace={() => setReplacing(true)}
        />
      ) : (
        <ChangeForm
          user={user}
          onRequested={async () => {
            // Clear the message about the previous address.
            setDone('');
            close();
            await onChanged();
          }}
          onCancel={close}
        />
      )}
    </Section>
  );
}

interface ChangeFormProps {
  /** The user, perhaps with an unconfirmed new address, which a further change replaces. */
  readonly user: UnverifiedUser;
  readonly onRequested: () => Promise<void>;
  readonly onCancel: () => void;
}

function ChangeForm({ user, onRequested, onCancel }: ChangeFormProps) {
  const current = user.email ?? '';
  const pending = user.new_email;
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const configuration = useConfiguration();
  const proof = useRecentProof();
  const keepDraft = useKeptDraft(user.id);
  const form = useForm({
    initial: { email: unsavedDraft.get(user.id)?.['email'] ?? pending ?? '' },
    validate: ({ email }) => ({
      email: email.trim() === current ? texts.sameEmail : checkEmail(email, rules),
    }),
    submit: async ({ email }) => {
      if (!(await proof.request('email'))) return undefined;
      return keepDraft({ email }, () =>
        runFormAction(['email'], async () => {
          const site = configuration.siteUrl ?? location.origin;
          await auth.updateUser({ email: email.trim(), redirectTo: site + paths.account });
          await onRequested();
        }),
      );
    },
  });
  return (
    <>
      <form {...form.props} className={styles.form}>
        <FormMessages error={form.problem} />
        <EmailField
          ref={pending ? takeFocus : null}
          label={texts.newEmail}
          autoComplete="email"
          required
          {...form.field('email')}
        />
        <div className={layout.row}>
          <CountdownButton
            type="submit"
            look={form.values.email === (pending ?? '') ? 'secondary' : 'primary'}
            pending={form.pending}
            untilMs={form.retryAtMs}
          >
            {texts.changeEmail}
          </CountdownButton>
          {pending && <Button onClick={onCancel}>{texts.cancel}</Button>}
        </div>
        <SlowNote pending={form.pending} />
      </form>
      {proof.dialog}
    </>
  );
}
