import { Link } from 'wouter';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { links } from '../../../shared/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { EmailField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';
import { lastTypedEmail } from '../email-links/last-emails.ts';
import type { Captcha } from '../use-captcha.tsx';
import { useReturnUrls } from '../use-return-urls.ts';
import { checkEmail, checkPassword } from '../../../ui/form/credential-rules.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

export interface PasswordSignInProps {
  readonly captcha: Captcha;
  /** The password was right, but the address is unconfirmed. */
  readonly onUnconfirmed: () => void;
  readonly onCodeInstead: () => void;
  readonly onFailed: () => void;
}

/** Email and password. On success `App` redirects. */
export function PasswordSignIn({ captcha, onUnconfirmed, onCodeInstead, onFailed }: PasswordSignInProps) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const { next } = useReturnUrls();
  const form = useForm({
    initial: { email: lastTypedEmail.get(), password: '' },
    validate: ({ email, password }) => ({
      email: checkEmail(email, rules),
      password: checkPassword(password, rules),
    }),
    async submit({ email, password }) {
      lastTypedEmail.set(email);
      const failure = await runFormAction(['email', 'password'], async () => {
        try {
          await auth.signInWithPassword({ email: email.trim(), password, captchaToken: captcha.take() });
        } catch (problem) {
          if (!(problem instanceof AuthError) || problem.code !== 'email_not_confirmed') throw problem;
          onUnconfirmed();
        }
      });
      if (failure) onFailed();
      return failure;
    },
  });
  return (
    <>
      <SubmitForm form={form} submit={texts.signIn}>
        <EmailField
          label={texts.email}
          autoComplete="username webauthn"
          required
          {...form.field('email')}
          onInput={(event) => lastTypedEmail.set(event.currentTarget.value)}
        />
        <PasswordField
          label={texts.password}
          autoComplete="current-password"
          required
          {...form.field('password')}
        />
        {captcha.widget}
      </SubmitForm>
      <div className={styles.row}>
        <Button look="link" onClick={onCodeInstead}>
          {texts.codeInstead}
        </Button>
        <Link className={styles.inline} href={links.resetPassword({ next })}>
          {texts.forgotPassword}
        </Link>
      </div>
    </>
  );
}
