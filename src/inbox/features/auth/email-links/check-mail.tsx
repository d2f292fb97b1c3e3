import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { links } from '../../../shared/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { useSending } from '../../../ui/form/use-sending.ts';
import { AuthPage } from '../auth-page.tsx';
import { authTexts } from '../auth-texts.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../auth-page.module.css';
import { type AwaitedMail, awaitedMail } from './awaited-mail.ts';
import { lastMailedEmail } from './last-emails.ts';
import { useCaptcha } from '../use-captcha.tsx';
import { sendSignInMail } from './send-sign-in-mail.ts';
import { useReturnUrls } from '../use-return-urls.ts';
import { CodeForm } from '../../../shared/auth-problem/code-form.tsx';

export interface CheckMailProps {
  readonly purpose: AwaitedMail['purpose'];
  /** The address that the mail went to. */
  readonly email: string;
  /** Whether a mail was sent just now, so that the next one has to wait. Default true. */
  readonly isJustSent?: boolean;
  /** The mail replaces one whose link failed. */
  readonly isAgain?: boolean;
  readonly onBack: () => void;
}

/** A mail was sent: enter its code, or request another one. */
export function CheckMail({ purpose, email, isJustSent = true, isAgain = false, onBack }: CheckMailProps) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const captcha = useCaptcha();
  const { next } = useReturnUrls();
  // A sign-up does not reveal whether the address has an account; an existing account gets no mail.
  const isSignup = purpose === 'signup' && isJustSent;
  const verify = async (token: string) => {
    await auth.verifyOtp({ type: purpose === 'recovery' ? 'recovery' : 'email', email, token });
    lastMailedEmail.forget();
  };
  const mail = useMail(purpose);
  // Remembering the mail below replaces the note of the failed link in the history's state.
  const [replacesLink] = useState(isAgain);
  const again = useSending(isJustSent);
  useEffect(() => {
    lastMailedEmail.set(email);
    awaitedMail.set({ purpose, email });
  }, [purpose, email]);
  const goBack = () => {
    awaitedMail.set(null);
    onBack();
  };
  return (
    <AuthPage
      key={purpose}
      title={texts.checkMail}
      foot={
        isSignup ? (
          <Link className={styles.inline} href={links.login({ next })}>
            {texts.alreadyHaveAccount}
          </Link>
        ) : undefined
      }
      intro={(replacesLink ? texts.freshSent : texts.mailSent[isSignup ? 'new' : purpose])(email)}
    >
      <FormMessages error={again.problem} success={again.hasSent && texts.resent[purpose]} />
      <CodeForm label={texts.code} submit={texts.confirm} onCode={verify}>
        {captcha.widget}
      </CodeForm>
      <div className={styles.row}>
        <CountdownButton
          pending={again.pending}
          untilMs={again.nextAtMs}
          onClick={() => void again.send(() => runFormAction([], () => mail(email, captcha.take())))}
        >
          {texts.resend}
        </CountdownButton>
        <Button look="link" onClick={goBack}>
          {texts.otherAddress}
        </Button>
      </div>
      <p className={layout.hint}>{texts.spamHint}</p>
    </AuthPage>
  );
}

/** Requests the same mail again. */
function useMail(purpose: CheckMailProps['purpose']) {
  const { auth } = useClients();
  const { homeUrl, resetUrl } = useReturnUrls();
  return (email: string, captchaToken: string | undefined) => {
    switch (purpose) {
      case 'signup':
        return auth.resend({ type: 'signup', email, redirectTo: homeUrl, captchaToken });
      case 'magiclink':
        return sendSignInMail(auth, { email, redirectTo: homeUrl, captchaToken });
      case 'recovery':
        return auth.resetPasswordForEmail({ email, redirectTo: resetUrl, captchaToken });
    }
  };
}
