import { startTransition, useState } from 'react';
import { onDemand } from '../../../ui/state/loader.ts';
import { Link, Redirect } from 'wouter';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { links } from '../../../shared/routes.ts';
import { needsSecondFactor } from '../../../shared/token-claims.ts';
import { EmailField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { AuthPage } from '../auth-page.tsx';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';
import { awaitedMail } from '../email-links/awaited-mail.ts';
import { lastMailedEmail, lastTypedEmail } from '../email-links/last-emails.ts';
import { isSpentLink, LinkProblem, useLinkProblem } from '../email-links/link-problem.tsx';
import { NewPassword } from './new-password.tsx';
import { useCaptcha } from '../use-captcha.tsx';
import { useReturnUrls } from '../use-return-urls.ts';
import { checkEmail } from '../../../ui/form/credential-rules.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

const CheckMail = onDemand(async () => (await import('../email-links/check-mail.tsx')).CheckMail);
const MfaChallenge = onDemand(async () => (await import('../sign-in/mfa-challenge.tsx')).MfaChallenge);

/** Two states: request the mail; and, with the session of its link or code, set the new password. */
export function ResetPasswordScreen() {
  const { session, recovery } = useAuth();
  const isAgain = isSpentLink(useLinkProblem());
  // Stays true after the password is set, so that the confirmation shows.
  const [isSetting, setSetting] = useState(recovery);
  const [sentTo, setSentToNow] = useState(() => awaitedMail.emailOf('recovery') ?? undefined);
  const setSentTo = (next: string | undefined) => startTransition(() => setSentToNow(next));
  if (recovery && !isSetting) setSetting(true);
  const { next } = useReturnUrls();
  // Signed out, here or in another tab: the next user has not requested a new password.
  if (!session && !recovery && isSetting) return <Redirect to={links.login({ next })} replace />;
  if (session && isSetting) {
    return needsSecondFactor(session) ? (
      <MfaChallenge session={session} />
    ) : (
      <NewPassword session={session} />
    );
  }
  if (sentTo !== undefined) {
    return (
      <CheckMail purpose="recovery" email={sentTo} isAgain={isAgain} onBack={() => setSentTo(undefined)} />
    );
  }
  return <AskForMail isAgain={isAgain} onSent={setSentTo} />;
}

interface AskForMailProps {
  readonly isAgain: boolean;
  readonly onSent: (email: string) => void;
}

function AskForMail({ isAgain, onSent }: AskForMailProps) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const { user } = useAuth();
  const captcha = useCaptcha();
  const { next, resetUrl } = useReturnUrls();
  const form = useForm({
    initial: { email: user?.email ?? (lastTypedEmail.get() || (isAgain ? lastMailedEmail.get() : '')) },
    validate: ({ email }) => ({ email: checkEmail(email, rules) }),
    submit({ email }) {
      lastTypedEmail.set(email);
      return runFormAction(['email'], async () => {
        const request = { email: email.trim(), redirectTo: resetUrl, captchaToken: captcha.take() };
        await auth.resetPasswordForEmail(request);
        onSent(request.email);
      });
    },
  });
  const foot = (
    <p>
      <Link className={styles.inline} href={links.login({ next })}>
        {texts.backToSignIn}
      </Link>
    </p>
  );
  return (
    <AuthPage title={texts.resetTitle} {...(isAgain ? {} : { intro: texts.resetIntro })} foot={foot}>
      <LinkProblem />
      <SubmitForm form={form} submit={isAgain ? texts.sendFresh : texts.sendCode}>
        <EmailField label={texts.email} required {...form.field('email')} />
        {captcha.widget}
      </SubmitForm>
    </AuthPage>
  );
}
