import { startTransition, useState } from 'react';
import { onDemand } from '../../../ui/state/loader.ts';
import { Link } from 'wouter';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { ownTimeZone } from '../../../shared/own-time-zone.ts';
import { links } from '../../../shared/routes.ts';
import { Message } from '../../../ui/page/message.tsx';
import { EmailField, TextField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { AuthPage } from '../auth-page.tsx';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { useLanguage } from '../../../ui/texts.ts';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';
import { awaitedMail } from '../email-links/awaited-mail.ts';
import { lastTypedEmail } from '../email-links/last-emails.ts';
import { NewPasswordField } from '../../../ui/form/new-password-field.tsx';
import { SocialSignIn, useAuthSettings } from '../sign-in/social-sign-in.tsx';
import { useCaptcha } from '../use-captcha.tsx';
import { useReturnUrls } from '../use-return-urls.ts';
import { refuseCommonPassword } from '../../../ui/form/common-password.ts';
import { checkEmail, checkNewPassword } from '../../../ui/form/credential-rules.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

const CheckMail = onDemand(async () => (await import('../email-links/check-mail.tsx')).CheckMail);

export function SignupScreen() {
  const texts = authTexts.use();
  const { session } = useAuth();
  const { next } = useReturnUrls();
  const settings = useAuthSettings();
  const [sentTo, setSentTo] = useState(() => awaitedMail.emailOf('signup'));
  if (sentTo !== null && session === null) {
    return <CheckMail purpose="signup" email={sentTo} onBack={() => setSentTo(null)} />;
  }
  const foot = (
    <p>
      <span>{texts.haveAccount}</span>{' '}
      <Link className={styles.inline} href={links.login({ next })}>
        {texts.signIn}
      </Link>
    </p>
  );
  return (
    <AuthPage title={texts.signUp} foot={foot} alternatives={<SocialSignIn />}>
      <div role="status">
        {settings?.disable_signup === true && <Message tone="warning">{texts.signupClosed}</Message>}
      </div>
      <SignupForm onSent={(email) => startTransition(() => setSentTo(email))} />
    </AuthPage>
  );
}

function SignupForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const language = useLanguage();
  const { auth } = useClients();
  const captcha = useCaptcha();
  const { homeUrl } = useReturnUrls();
  const form = useForm({
    initial: { email: lastTypedEmail.get(), name: '', password: '' },
    validate: ({ email, password }) => ({
      email: checkEmail(email, rules),
      password: checkNewPassword(password, rules),
    }),
    async submit({ email, name, password }) {
      lastTypedEmail.set(email);
      const refusal = await refuseCommonPassword(password, [email]);
      if (refusal) return refusal;
      // The language and time zone of mails, the name that others see, and the flag for the questions of the first
      // visit.
      const known = { language, time_zone: ownTimeZone() ?? 'UTC', first_visit: true };
      const data = name.trim() === '' ? known : { ...known, name: name.trim() };
      const credentials = { email: email.trim(), password, redirectTo: homeUrl, data };
      return runFormAction(['email', 'password'], async () => {
        try {
          const { session } = await auth.signUp({ ...credentials, captchaToken: captcha.take() });
          // With a session `App` redirects; without one the address has to be confirmed.
          if (session === null) onSent(credentials.email);
        } catch (problem) {
          throw signupError(problem);
        }
      });
    },
  });
  return (
    <SubmitForm form={form} submit={texts.signUp}>
      <EmailField label={texts.email} required {...form.field('email')} />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        autoComplete="name"
        maxLength={100}
        {...form.field('name')}
      />
      <NewPasswordField
        label={texts.password}
        own={[form.values.email, form.values.name]}
        {...form.field('password')}
      />
      {captcha.widget}
    </SubmitForm>
  );
}

/** A thrown non-error becomes an error with this text (conformance/protocol/product.md#errors-of-the-application). */
export function signupError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error('Unknown error during signup', { cause: problem });
}
