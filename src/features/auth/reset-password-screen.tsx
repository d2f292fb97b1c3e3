import { lazy, startTransition, useState } from 'react';
import { Link } from 'wouter';
import { attempt } from '../../app/auth-problem.ts';
import { useAuthState, useClients } from '../../app/clients-context.ts';
import { links } from '../../app/routes.ts';
import { needsSecondFactor } from '../../app/second-factor.ts';
import { FormMessages } from '../../ui/message.tsx';
import { SubmitButton } from '../../ui/submit-button.tsx';
import { EmailField } from '../../ui/text-field.tsx';
import { useForm } from '../../ui/use-form.ts';
import { AuthPage } from './auth-page.tsx';
import { credentialTexts } from '../../ui/credential-texts.ts';
import { authTexts } from './auth-texts.ts';
import { followUpTexts } from './follow-up-texts.ts';
import styles from './auth-page.module.css';
import { carriedEmail } from './carried-email.ts';
import { LinkProblem } from './link-problem.tsx';
import { NewPassword } from './new-password.tsx';
import { useCaptcha } from './use-captcha.tsx';
import { useReturn } from './use-return.ts';
import { checkEmail } from '../../ui/credential-rules.ts';

const CheckMail = lazy(async () => ({ default: (await import('./check-mail.tsx')).CheckMail }));
const MfaChallenge = lazy(async () => ({ default: (await import('./mfa-challenge.tsx')).MfaChallenge }));

/** Two states: ask for the mail; and, with the session that its link or code gave, set the new password. */
export function ResetPasswordScreen() {
  const { session, recovery } = useAuthState();
  // Sticks to the form after the password is set, for its last word.
  const [isSetting, setSetting] = useState(recovery);
  const [sentTo, setSentToNow] = useState<string | null>();
  const setSentTo = (next: string | null | undefined) => startTransition(() => setSentToNow(next));
  if (recovery && !isSetting) setSetting(true);
  if (session && isSetting) {
    return needsSecondFactor(session) ? (
      <MfaChallenge session={session} />
    ) : (
      <NewPassword session={session} />
    );
  }
  if (sentTo !== undefined) {
    return <CheckMail purpose="recovery" email={sentTo} onBack={() => setSentTo(undefined)} />;
  }
  return <AskForMail onSent={setSentTo} onHaveCode={() => setSentTo(null)} />;
}

interface AskForMailProps {
  readonly onSent: (email: string) => void;
  readonly onHaveCode: () => void;
}

function AskForMail({ onSent, onHaveCode }: AskForMailProps) {
  const texts = authTexts.use();
  const more = followUpTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const { user } = useAuthState();
  const captcha = useCaptcha();
  const { next, resetUrl } = useReturn();
  const form = useForm({
    initial: { email: user?.email ?? carriedEmail.get() },
    validate: ({ email }) => ({ email: checkEmail(email, rules) }),
    submit({ email }) {
      carriedEmail.set(email);
      return attempt(['email'], async () => {
        const request = { email: email.trim(), redirectTo: resetUrl, captchaToken: captcha.take() };
        await auth.resetPasswordForEmail(request);
        onSent(request.email);
      });
    },
  });
  const foot = (
    <p>
      <Link className={styles.inline} href={links.login({ next })}>
        {more.backToSignIn}
      </Link>
    </p>
  );
  return (
    <AuthPage title={more.resetTitle} intro={more.resetIntro} foot={foot}>
      <LinkProblem onHaveCode={onHaveCode} />
      <form {...form.props} className={styles.form}>
        <FormMessages error={form.problem} />
        <EmailField label={texts.email} required {...form.field('email')} />
        {captcha.slot}
        <SubmitButton pending={form.pending} untilMs={form.retryAtMs}>
          {more.resetSend}
        </SubmitButton>
      </form>
    </AuthPage>
  );
}
