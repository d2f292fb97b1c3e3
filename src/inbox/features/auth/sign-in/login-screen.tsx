import { startTransition, useState } from 'react';
import { Link } from 'wouter';
import { useAuth } from 'supabase-protocol-clients/react';
import { links } from '../../../shared/routes.ts';
import { needsSecondFactor } from '../../../shared/token-claims.ts';
import { onDemand } from '../../../ui/state/loader.ts';
import { AuthPage } from '../auth-page.tsx';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';
import { awaitedMail } from '../email-links/awaited-mail.ts';
import { lastTypedEmail } from '../email-links/last-emails.ts';
import { isSpentLink, LinkProblem, useLinkProblem } from '../email-links/link-problem.tsx';
import { EmailSignIn } from './email-sign-in.tsx';
import { PasswordSignIn } from './password-sign-in.tsx';
import { SocialSignIn } from './social-sign-in.tsx';
import { useCaptcha } from '../use-captcha.tsx';
import { useReturnUrls } from '../use-return-urls.ts';

const CheckMail = onDemand(async () => (await import('../email-links/check-mail.tsx')).CheckMail);
const MfaChallenge = onDemand(async () => (await import('./mfa-challenge.tsx')).MfaChallenge);

type Mode =
  | { readonly type: 'password' | 'email' }
  | {
      readonly type: 'check-mail';
      readonly purpose: 'signup' | 'magiclink';
      readonly email: string;
      /** The page was loaded again after the mail was sent. */
      readonly isRestored?: boolean;
    };

export function LoginScreen() {
  const texts = authTexts.use();
  const { session } = useAuth();
  const isAgain = isSpentLink(useLinkProblem());
  const captcha = useCaptcha();
  const [mode, setModeNow] = useState(() => initialMode(isAgain));
  const [failures, setFailures] = useState(0);
  // A transition keeps the current screen until the next one's code is loaded.
  const setMode = (next: Mode) => startTransition(() => setModeNow(next));
  if (session && needsSecondFactor(session)) return <MfaChallenge session={session} />;
  if (mode.type === 'check-mail') {
    return (
      <CheckMail
        purpose={mode.purpose}
        email={mode.email}
        isJustSent={mode.purpose === 'magiclink' && !mode.isRestored}
        isAgain={isAgain}
        onBack={() => setMode({ type: 'password' })}
      />
    );
  }
  const isByEmail = mode.type === 'email';
  return (
    <AuthPage
      key={mode.type}
      title={isByEmail ? texts.codeTitle : texts.signIn}
      {...(isAgain ? {} : { intro: isByEmail ? texts.codeIntro : texts.purpose })}
      foot={<SignUpLink />}
      hasTrouble={isAgain || failures > 1}
      alternatives={<SocialSignIn takeCaptcha={captcha.take} />}
    >
      <LinkProblem mayBeConfirmed />
      {isByEmail ? (
        <EmailSignIn
          isAgain={isAgain}
          captcha={captcha}
          onSent={() => setMode({ type: 'check-mail', purpose: 'magiclink', email: lastTypedEmail.get() })}
          onPasswordInstead={() => setMode({ type: 'password' })}
        />
      ) : (
        <PasswordSignIn
          captcha={captcha}
          onFailed={() => setFailures(failures + 1)}
          onUnconfirmed={() =>
            setMode({ type: 'check-mail', purpose: 'signup', email: lastTypedEmail.get() })
          }
          onCodeInstead={() => setMode({ type: 'email' })}
        />
      )}
    </AuthPage>
  );
}

/** Continues to wait for a mail where the page was loaded again. */
function initialMode(isAgain: boolean): Mode {
  for (const purpose of ['magiclink', 'signup'] as const) {
    const email = awaitedMail.emailOf(purpose);
    if (email !== null) return { type: 'check-mail', purpose, email, isRestored: true };
  }
  return { type: isAgain ? 'email' : 'password' };
}

function SignUpLink() {
  const texts = authTexts.use();
  const { next } = useReturnUrls();
  return (
    <p>
      <span>{texts.newHere}</span>{' '}
      <Link className={styles.inline} href={links.signup({ next })}>
        {texts.signUp}
      </Link>
    </p>
  );
}
