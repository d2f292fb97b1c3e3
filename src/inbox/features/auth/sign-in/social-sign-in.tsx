import { useState } from 'react';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';
import { providerName } from '../../../ui/provider-name.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { ProviderLogo } from './provider-logo.tsx';
import { useReturnUrls } from '../use-return-urls.ts';

export interface SocialSignInProps {
  readonly providers: readonly string[];
  /** Passkeys too, with the captcha's answer. Default: providers only. */
  readonly takeCaptcha?: (() => string | undefined) | undefined;
}

/** The ways to sign in beside the form: passkeys and providers. */
export function SocialSignIn({ providers, takeCaptcha }: SocialSignInProps) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const { homeUrl } = useReturnUrls();
  const [pending, setPending] = useState<string | null>(null);
  const [problem, setProblem] = useState<string>();
  const signIn = async (provider: string) => {
    setPending(provider);
    const failure = await runFormAction([], async () => {
      const { url } = await auth.signInWithOAuth({ provider, redirectTo: homeUrl });
      location.assign(url);
    });
    setProblem(failure?.message);
    if (failure) setPending(null);
  };
  return (
    <div className={styles.aside}>
      <p className={styles.or}>{texts.or}</p>
      {takeCaptcha && <PasskeySignIn takeCaptcha={takeCaptcha} />}
      <FormMessages error={problem} />
      {providers.map((provider) => (
        <Button key={provider} wide pending={pending === provider} onClick={() => void signIn(provider)}>
          <ProviderLogo provider={provider} />
          <span>{texts.continueWith(providerName(provider))}</span>
        </Button>
      ))}
    </div>
  );
}
