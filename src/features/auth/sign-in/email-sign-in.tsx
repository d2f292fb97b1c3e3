import { attempt } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { SubmitButton } from '../../../ui/form/submit-button.tsx';
import { EmailField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { authTexts } from '../texts/auth-texts.ts';
import { followUpTexts } from '../texts/follow-up-texts.ts';
import styles from '../auth-page.module.css';
import { carriedEmail } from '../email-links/carried-email.ts';
import { mailedEmail } from '../email-links/mailed-email.ts';
import { useCaptcha } from '../use-captcha.tsx';
import { useReturn } from '../use-return.ts';
import { checkEmail } from '../../../ui/form/credential-rules.ts';

export interface EmailSignInProps {
  /** After a link that failed: the fresh mail is for its code. */
  readonly isAgain: boolean;
  readonly onSent: () => void;
  readonly onPasswordInstead: () => void;
}

/** Asks for a link and a code by mail. It creates no account: that is what /signup is for. */
export function EmailSignIn({ isAgain, onSent, onPasswordInstead }: EmailSignInProps) {
  const texts = authTexts.use();
  const more = followUpTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const captcha = useCaptcha();
  const { homeUrl } = useReturn();
  const form = useForm({
    initial: { email: carriedEmail.get() || (isAgain ? mailedEmail.get() : '') },
    validate: ({ email }) => ({ email: checkEmail(email, rules) }),
    submit: ({ email }) =>
      attempt(['email'], async () => {
        carriedEmail.set(email);
        await auth.signInWithOtp({
          email: email.trim(),
          createUser: false,
          redirectTo: homeUrl,
          captchaToken: captcha.take(),
        });
        onSent();
      }),
  });
  return (
    <form {...form.props} className={styles.form}>
      <FormMessages error={form.problem} />
      <EmailField label={texts.email} required {...form.field('email')} />
      {captcha.slot}
      <SubmitButton pending={form.pending} untilMs={form.retryAtMs}>
        {isAgain ? more.sendFresh : more.sendCode}
      </SubmitButton>
      <Button look="link" onClick={onPasswordInstead}>
        {more.passwordInstead}
      </Button>
    </form>
  );
}
