import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { EmailField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { authTexts } from '../auth-texts.ts';
import { lastMailedEmail, lastTypedEmail } from '../email-links/last-emails.ts';
import type { Captcha } from '../use-captcha.tsx';
import { sendSignInMail } from '../email-links/send-sign-in-mail.ts';
import { useReturnUrls } from '../use-return-urls.ts';
import { checkEmail } from '../../../ui/form/credential-rules.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

export interface EmailSignInProps {
  readonly captcha: Captcha;
  /** The mail replaces one whose link failed. */
  readonly isAgain: boolean;
  readonly onSent: () => void;
  readonly onPasswordInstead: () => void;
}

/** Requests a sign-in link and code by mail. Never creates an account: /signup does. */
export function EmailSignIn({ captcha, isAgain, onSent, onPasswordInstead }: EmailSignInProps) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const { homeUrl } = useReturnUrls();
  const form = useForm({
    initial: { email: lastTypedEmail.get() || (isAgain ? lastMailedEmail.get() : '') },
    validate: ({ email }) => ({ email: checkEmail(email, rules) }),
    submit: ({ email }) =>
      runFormAction(['email'], async () => {
        lastTypedEmail.set(email);
        const captchaToken = captcha.take();
        await sendSignInMail(auth, { email: email.trim(), redirectTo: homeUrl, captchaToken });
        onSent();
      }),
  });
  return (
    <>
      <SubmitForm form={form} submit={isAgain ? texts.sendFresh : texts.sendCode}>
        <EmailField label={texts.email} autoComplete="username webauthn" required {...form.field('email')} />
        {captcha.widget}
      </SubmitForm>
      <Button look="link" onClick={onPasswordInstead}>
        {texts.passwordInstead}
      </Button>
    </>
  );
}
