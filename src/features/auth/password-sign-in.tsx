import { Link } from 'wouter';
import { AuthError } from '../../auth-client/index.ts';
import { attempt } from '../../app/auth-problem.ts';
import { useClients } from '../../app/clients-context.ts';
import { links } from '../../app/routes.ts';
import { Button } from '../../ui/button.tsx';
import { FormMessages } from '../../ui/message.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { SubmitButton } from '../../ui/submit-button.tsx';
import { EmailField } from '../../ui/text-field.tsx';
import { useForm } from '../../ui/use-form.ts';
import { credentialTexts } from '../../ui/credential-texts.ts';
import { authTexts } from './auth-texts.ts';
import styles from './auth-page.module.css';
import { carriedEmail } from './carried-email.ts';
import { useCaptcha } from './use-captcha.tsx';
import { useReturn } from './use-return.ts';
import { checkEmail, checkPassword } from '../../ui/credential-rules.ts';

export interface PasswordSignInProps {
  /** The password was right, but the address is still to be confirmed. */
  readonly onUnconfirmed: () => void;
  readonly onCodeInstead: () => void;
}

/** E-mail and password. Where it succeeds, the gate leads on. */
export function PasswordSignIn({ onUnconfirmed, onCodeInstead }: PasswordSignInProps) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const captcha = useCaptcha();
  const { next } = useReturn();
  const form = useForm({
    initial: { email: carriedEmail.get(), password: '' },
    validate: ({ email, password }) => ({
      email: checkEmail(email, rules),
      password: checkPassword(password, rules),
    }),
    submit({ email, password }) {
      carriedEmail.set(email);
      return attempt(['email', 'password'], async () => {
        try {
          await auth.signInWithPassword({ email: email.trim(), password, captchaToken: captcha.take() });
        } catch (problem) {
          if (!(problem instanceof AuthError) || problem.code !== 'email_not_confirmed') throw problem;
          onUnconfirmed();
        }
      });
    },
  });
  return (
    <form {...form.props} className={styles.form}>
      <FormMessages error={form.problem} />
      <EmailField
        label={texts.email}
        required
        {...form.field('email')}
        onInput={(event) => carriedEmail.set(event.currentTarget.value)}
      />
      <PasswordField
        label={texts.password}
        autoComplete="current-password"
        required
        {...form.field('password')}
      />
      {captcha.slot}
      <SubmitButton pending={form.pending} untilMs={form.retryAtMs}>
        {texts.signIn}
      </SubmitButton>
      <div className={styles.row}>
        <Button look="link" onClick={onCodeInstead}>
          {texts.codeInstead}
        </Button>
        <Link className={styles.inline} href={links.resetPassword({ next })}>
          {texts.forgotPassword}
        </Link>
      </div>
    </form>
  );
}
