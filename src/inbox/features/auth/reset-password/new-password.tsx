import { useState } from 'react';
import { Link } from 'wouter';
import type { Session } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { signOutOthers } from '../../../shared/clients/sign-out-others.ts';
import { paths } from '../../../shared/routes.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { AuthPage } from '../auth-page.tsx';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { authTexts } from '../auth-texts.ts';
import { NewPasswordField } from '../../../ui/form/new-password-field.tsx';
import { refuseCommonPassword } from '../../../ui/form/common-password.ts';
import { checkNewPassword } from '../../../ui/form/credential-rules.ts';
import { useReturnUrls } from '../use-return-urls.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

/** The second state of /reset-password, with the session of the recovery link or code. */
export function NewPassword({ session }: { readonly session: Session }) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const [saved, setSaved] = useState(false);
  const email = session.user.email ?? '';
  const form = useForm({
    initial: { password: '' },
    validate: ({ password }) => ({ password: checkNewPassword(password, rules) }),
    submit: async ({ password }) =>
      (await refuseCommonPassword(password, [email])) ??
      runFormAction(['password'], async () => {
        await auth.updateUser({ password });
        setSaved(true);
      }),
  });
  if (saved) return <PasswordSaved />;
  return (
    <AuthPage key="new" title={texts.newPasswordTitle} intro={texts.newPasswordIntro(email)}>
      <SubmitForm form={form} submit={texts.savePassword}>
        {/* Tells the password manager the account of the password. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordField label={texts.newPassword} own={[email]} {...form.field('password')} />
      </SubmitForm>
    </AuthPage>
  );
}

function PasswordSaved() {
  const texts = authTexts.use();
  const { next } = useReturnUrls();
  const clients = useClients();
  const [state, setState] = useState<{ pending: boolean; done: boolean; problem?: string | undefined }>({
    pending: false,
    done: false,
  });
  const signOutOtherDevices = async () => {
    setState({ pending: true, done: false });
    const failure = await runFormAction([], () => signOutOthers(clients));
    setState({ pending: false, done: failure === undefined, problem: failure?.message });
  };
  return (
    <AuthPage key="saved" title={texts.passwordSaved}>
      <FormMessages error={state.problem} success={state.done && texts.othersSignedOut} />
      <Link className={buttonClass('primary', true)} href={next ?? paths.home}>
        {texts.goOn}
      </Link>
      {!state.done && (
        <Button wide pending={state.pending} onClick={() => void signOutOtherDevices()}>
          {texts.signOutEverywhere}
        </Button>
      )}
    </AuthPage>
  );
}
