import { useState } from 'react';
import { AuthError, type UnverifiedUser } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { announceEndedSessions } from '../../shared/clients/sign-out-others.ts';
import { checkCode, checkNewPassword, compactCode } from '../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../ui/form/credential-texts.ts';
import { refuseCommonPassword } from '../../ui/form/common-password.ts';
import { FormMessages } from '../../ui/page/message.tsx';
import { NewPasswordField } from '../../ui/form/new-password-field.tsx';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { CountdownButton } from '../../ui/form/submit-button.tsx';
import { CodeField } from '../../ui/form/text-field.tsx';
import { useForm, type FieldBinding } from '../../ui/form/use-form.ts';
import { useSending } from '../../ui/form/use-sending.ts';
import { useKeptDraft } from './use-kept-draft.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { Section } from '../../ui/section.tsx';
import { SubmitForm } from '../../ui/form/submit-form.tsx';

const fieldNames = ['currentPassword', 'password', 'code'] as const;

/** Fields that the server requires besides the new password, by its error codes. */
interface RequiredFields {
  readonly code: boolean;
  readonly currentPassword: boolean;
}

export function PasswordSection({ user }: { readonly user: UnverifiedUser }) {
  const texts = accountTexts.use();
  const email = user.email ?? '';
  const { form, required, hasChanged } = usePasswordForm(user.id, email);
  const errors = fieldNames.flatMap((name) => form.field(name).error ?? []);
  // With three errors, one summary announces all of them to screen readers.
  const summary = errors.length > 2 && (
    <ul>
      {errors.map((error) => (
        <li key={error}>{error}</li>
      ))}
    </ul>
  );
  return (
    <Section id="password" title={texts.password}>
      <SubmitForm
        form={form}
        className={styles.form}
        wide={false}
        look={form.values.password === '' ? 'secondary' : 'primary'}
        submit={texts.changePassword}
        error={form.problem ?? summary}
        success={hasChanged ? texts.passwordChanged : required.code && texts.reauthenticate(email)}
      >
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        {required.currentPassword && (
          <PasswordField
            label={texts.currentPassword}
            autoComplete="current-password"
            {...form.field('currentPassword')}
          />
        )}
        <NewPasswordField label={texts.newPassword} own={[email]} {...form.field('password')} />
        {required.code && <ReauthenticationCode {...form.field('code')} />}
      </SubmitForm>
    </Section>
  );
}

function usePasswordForm(userId: string, email: string) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const clients = useClients();
  const keepDraft = useKeptDraft(userId);
  const { required, setRequired, askFor } = useRequiredFields();
  const [hasChanged, setChanged] = useState(false);
  const form = useForm({
    initial: { password: '', currentPassword: '', code: '' },
    validate: ({ password, currentPassword, code }) => ({
      password: checkNewPassword(password, rules),
      currentPassword:
        required.currentPassword && currentPassword === '' ? texts.currentPasswordMissing : undefined,
      code: required.code ? checkCode(code, rules) : undefined,
    }),
    async submit({ password, currentPassword, code }) {
      setChanged(false);
      const refusal = await refuseCommonPassword(password, [email]);
      if (refusal) return refusal;
      return keepDraft({}, () =>
        runFormAction(fieldNames, async () => {
          try {
            await clients.auth.updateUser({
              password,
              ...(required.currentPassword ? { currentPassword } : {}),
              ...(required.code ? { nonce: compactCode(code) } : {}),
            });
          } catch (problem) {
            if (await askFor(problem)) return;
            throw problem;
          }
          setRequired({ code: false, currentPassword: false });
          setChanged(true);
          void announceEndedSessions(clients);
          form.reset();
        }),
      );
    },
  });
  return { form, required, hasChanged };
}

function useRequiredFields() {
  const { auth } = useClients();
  const [required, setRequired] = useState<RequiredFields>({ code: false, currentPassword: false });
  /** Shows the field that the server requires. Resolves to false for any other problem. */
  const askFor = async (problem: unknown): Promise<boolean> => {
    if (!(problem instanceof AuthError)) return false;
    if (problem.code === 'reauthentication_needed') {
      await auth.reauthenticate();
      setRequired({ ...required, code: true });
      return true;
    }
    if (problem.code === 'current_password_required') {
      setRequired({ ...required, currentPassword: true });
      return true;
    }
    return false;
  };
  return { required, setRequired, askFor };
}

/** The code of a reauthentication email. Any attempt spends it, even one that fails for another reason. */
function ReauthenticationCode(field: FieldBinding) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const again = useSending(true);
  return (
    <>
      <FormMessages error={again.problem} success={again.hasSent && texts.codeSent} />
      <CodeField label={texts.reauthenticationCode} {...field} />
      <CountdownButton
        look="link"
        pending={again.pending}
        untilMs={again.nextAtMs}
        onClick={() => void again.send(() => runFormAction([], () => auth.reauthenticate()))}
      >
        {texts.sendCode}
      </CountdownButton>
    </>
  );
}
