import { useEffect } from 'react';
import { Link } from 'wouter';
import { attempt } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { links } from '../../../shared/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { CountdownButton, SubmitButton } from '../../../ui/form/submit-button.tsx';
import { CodeField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { useSending } from '../../../ui/form/use-sending.ts';
import { AuthPage } from '../auth-page.tsx';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { followUpTexts } from '../texts/follow-up-texts.ts';
import styles from '../auth-page.module.css';
import { mailedEmail } from './mailed-email.ts';
import { useCaptcha } from '../use-captcha.tsx';
import { useReturn } from '../use-return.ts';
import { checkCode, compactCode } from '../../../ui/form/credential-rules.ts';

export interface CheckMailProps {
  readonly purpose: 'signup' | 'magiclink' | 'recovery';
  /** Who has been sent a mail. */
  readonly email: string;
  /** Whether it was sent only now, so that the next one has to wait. Default true. */
  readonly isJustSent?: boolean;
  /** The link of the mail before was spent by somebody else: this time it is to be the code. */
  readonly isAgain?: boolean;
  readonly onBack: () => void;
}

/** A mail is on its way: its link, its code, or another mail. */
export function CheckMail({ purpose, email, isJustSent = true, isAgain = false, onBack }: CheckMailProps) {
  const more = followUpTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const captcha = useCaptcha();
  const { next } = useReturn();
  // A sign-up does not tell whether the address has an account; who has one gets no mail.
  const isSignup = purpose === 'signup' && isJustSent;
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules) }),
    submit: ({ code }) =>
      attempt(['code'], async () => {
        const type = purpose === 'recovery' ? 'recovery' : 'email';
        await auth.verifyOtp({ type, email, token: compactCode(code) });
        mailedEmail.forget();
      }),
  });
  const mail = useMail(purpose);
  const again = useSending(isJustSent);
  useEffect(() => mailedEmail.set(email), [email]);
  return (
    <AuthPage
      key={purpose}
      title={more.checkMail}
      intro={(isAgain ? more.freshSent : more.mailSent[isSignup ? 'new' : purpose])(email)}
    >
      <form {...form.props} className={styles.form}>
        <FormMessages
          error={form.problem ?? again.problem}
          success={again.hasSent && again.problem === undefined && more.resent}
        />
        {/* Not among what is validated on blur: a code is typed in one go. */}
        <CodeField label={more.code} required maxLength={12} {...form.field('code')} />
        {captcha.slot}
        <SubmitButton pending={form.pending} untilMs={form.retryAtMs}>
          {more.confirm}
        </SubmitButton>
      </form>
      <div className={styles.row}>
        <CountdownButton
          pending={again.pending}
          untilMs={again.nextAtMs}
          onClick={() => void again.send(() => attempt([], () => mail(email, captcha.take())))}
        >
          {more.resend}
        </CountdownButton>
        <Button look="link" onClick={onBack}>
          {more.otherAddress}
        </Button>
        {isSignup && (
          <Link className={styles.inline} href={links.login({ next })}>
            {more.haveAccount}
          </Link>
        )}
      </div>
      <p className={styles.intro}>{more.spamHint}</p>
    </AuthPage>
  );
}

/** Asks for the same mail once more. */
function useMail(purpose: CheckMailProps['purpose']) {
  const { auth } = useClients();
  const { homeUrl, resetUrl } = useReturn();
  return (email: string, captchaToken: string | undefined) => {
    switch (purpose) {
      case 'signup':
        return auth.resend({ type: 'signup', email, redirectTo: homeUrl, captchaToken });
      case 'magiclink':
        return auth.signInWithOtp({ email, createUser: false, redirectTo: homeUrl, captchaToken });
      case 'recovery':
        return auth.resetPasswordForEmail({ email, redirectTo: resetUrl, captchaToken });
    }
  };
}
