import { lazy, startTransition, useState } from 'react';
import { Link } from 'wouter';
import { useAuthState } from '../../app/clients-context.ts';
import { links } from '../../app/routes.ts';
import { AuthPage } from './auth-page.tsx';
import { authTexts } from './auth-texts.ts';
import styles from './auth-page.module.css';
import { carriedEmail } from './carried-email.ts';
import { LinkProblem } from './link-problem.tsx';
import { PasswordSignIn } from './password-sign-in.tsx';
import { SocialSlot } from './social-slot.tsx';
import { useReturn } from './use-return.ts';

const CheckMail = lazy(async () => ({ default: (await import('./check-mail.tsx')).CheckMail }));
const EmailSignIn = lazy(async () => ({ default: (await import('./email-sign-in.tsx')).EmailSignIn }));
const MfaChallenge = lazy(async () => ({ default: (await import('./mfa-challenge.tsx')).MfaChallenge }));

type Mode =
  | { readonly kind: 'password' | 'email' }
  | { readonly kind: 'check-mail'; readonly purpose: 'signup' | 'magiclink'; readonly sent: boolean };

export function LoginScreen() {
  const texts = authTexts.use();
  const { session } = useAuthState();
  const { next } = useReturn();
  const [mode, setModeNow] = useState<Mode>({ kind: 'password' });
  // What is on the screen stays until the code of what follows is there.
  const setMode = (next: Mode) => startTransition(() => setModeNow(next));
  // The gate leaves a signed-in person here only while the second factor is due.
  if (session) return <MfaChallenge session={session} />;
  if (mode.kind === 'check-mail') {
    const { purpose, sent } = mode;
    const email = sent ? carriedEmail.get() : null;
    return <CheckMail purpose={purpose} email={email} onBack={() => setMode({ kind: 'password' })} />;
  }
  const isByEmail = mode.kind === 'email';
  const foot = (
    <p>
      {texts.newHere}{' '}
      <Link className={styles.inline} href={links.signup({ next })}>
        {texts.signUp}
      </Link>
    </p>
  );
  return (
    <AuthPage
      key={mode.kind}
      title={isByEmail ? texts.codeTitle : texts.signIn}
      {...(isByEmail ? { intro: texts.codeIntro } : {})}
      foot={foot}
    >
      <LinkProblem onHaveCode={() => setMode({ kind: 'check-mail', purpose: 'magiclink', sent: false })} />
      {isByEmail ? (
        <EmailSignIn
          onSent={() => setMode({ kind: 'check-mail', purpose: 'magiclink', sent: true })}
          onPasswordInstead={() => setMode({ kind: 'password' })}
        />
      ) : (
        <PasswordSignIn
          onUnconfirmed={() => setMode({ kind: 'check-mail', purpose: 'signup', sent: true })}
          onCodeInstead={() => setMode({ kind: 'email' })}
        />
      )}
      <SocialSlot />
    </AuthPage>
  );
}
