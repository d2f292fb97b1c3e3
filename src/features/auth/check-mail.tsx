import { useEffect, useState } from 'react';
import { attempt } from '../../app/auth-problem.ts';
import { useClients } from '../../app/clients-context.ts';
import { Button } from '../../ui/button.tsx';
import { FormMessages } from '../../ui/message.tsx';
import { CountdownButton, SubmitButton } from '../../ui/submit-button.tsx';
import { CodeField } from '../../ui/text-field.tsx';
import { useForm } from '../../ui/use-form.ts';
import { AuthPage } from './auth-page.tsx';
import { credentialTexts } from '../../ui/credential-texts.ts';
import { followUpTexts } from './follow-up-texts.ts';
import styles from './auth-page.module.css';
import { mailedEmail } from './mailed-email.ts';
import { useCaptcha } from './use-captcha.tsx';
import { useReturn } from './use-return.ts';
import { checkCode, compactCode } from '../../ui/credential-rules.ts';

/** How long the auth service waits between two mails to one person, unless it says otherwise. */
const RESEND_AFTER_MS = 60_000;

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
  const resend = useResend(purpose, isJustSent);
  useEffect(() => mailedEmail.set(email), [email]);
  return (
    <AuthPage
      key={purpose}
      title={more.checkMail}
      intro={(isAgain ? more.freshSent : more.mailSent[purpose])(email)}
    >
      <form {...form.props} className={styles.form}>
        <FormMessages
          error={form.problem ?? resend.problem}
          success={resend.hasSent && resend.problem === undefined && more.resent}
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
          pending={resend.pending}
          untilMs={resend.nextAtMs}
          onClick={() => void resend.send(email, captcha.take())}
        >
          {more.resend}
        </CountdownButton>
        <Button look="link" onClick={onBack}>
          {more.otherAddress}
        </Button>
      </div>
      <p className={styles.intro}>{more.spamHint}</p>
    </AuthPage>
  );
}

/** Sending the mail again, with the time that the server wants in between. */
function useResend(purpose: CheckMailProps['purpose'], wasJustSent: boolean) {
  const { auth } = useClients();
  const { homeUrl, resetUrl } = useReturn();
  const [state, setState] = useState(() => ({
    pending: false,
    hasSent: false,
    problem: undefined as string | undefined,
    nextAtMs: wasJustSent ? Date.now() + RESEND_AFTER_MS : null,
  }));
  const request = (email: string, captchaToken: string | undefined) => {
    switch (purpose) {
      case 'signup':
        return auth.resend({ type: 'signup', email, redirectTo: homeUrl, captchaToken });
      case 'magiclink':
        return auth.signInWithOtp({ email, createUser: false, redirectTo: homeUrl, captchaToken });
      case 'recovery':
        return auth.resetPasswordForEmail({ email, redirectTo: resetUrl, captchaToken });
    }
  };
  return {
    ...state,
    async send(email: string, captchaToken: string | undefined) {
      setState((current) => ({ ...current, pending: true, problem: undefined }));
      const problem = await attempt([], () => request(email, captchaToken));
      const waitMs = (problem?.retryAfterSeconds ?? 0) * 1000 || (problem ? 0 : RESEND_AFTER_MS);
      setState({
        pending: false,
        hasSent: problem === undefined,
        problem: problem?.message,
        nextAtMs: waitMs > 0 ? Date.now() + waitMs : null,
      });
    },
  };
}
