import { useEffect, useState } from 'react';
import type { AuthServerSettings } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages, Message } from '../../../ui/page/message.tsx';
import { useOnline } from '../../../ui/state/online.ts';
import { readStored, writeStored } from '../../../ui/state/stored-value.ts';
import { isSocialProvider, providerName } from '../../../ui/provider-name.ts';
import styles from '../auth-page.module.css';
import { authTexts } from '../auth-texts.ts';
import { useReturnUrls } from '../use-return-urls.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { ProviderLogo } from './provider-logo.tsx';

/** The ways that `VITE_SIGN_IN_WAYS` or `supabase/config.toml` names at the build; `define` of vite.config.ts sets it. */
declare const SIGN_IN_WAYS: SignInWays;

interface SignInWays {
  readonly providerCount: number;
  readonly passkeys: boolean;
}

const countKey = 'provider-count';
const passkeysKey = 'offers-passkeys';

export interface SocialSignInProps {
  /** Takes the captcha token for a sign-in by passkey. Default: the screen offers no passkeys. */
  readonly takeCaptcha?: () => string | undefined;
}

/** Passkeys and the enabled providers, once the settings are read. */
export function SocialSignIn({ takeCaptcha }: SocialSignInProps) {
  const texts = authTexts.use();
  const online = useOnline();
  const read = useSettingsRead();
  const settings = read.settings === 'failed' ? null : read.settings;
  const providers = enabledProviders(settings);
  const canOfferPasskeys = takeCaptcha !== undefined && 'PublicKeyCredential' in globalThis;
  const offersPasskeys = canOfferPasskeys && settings?.passkeys_enabled === true;
  // The buttons of the last visit: the height to reserve while the settings load.
  const [known] = useState(readKnownWays);
  const { passkeys_enabled: hasPasskeys = false } = settings ?? {};
  useEffect(() => {
    if (!settings) return;
    writeStored(countKey, String(providers.length));
    writeStored(passkeysKey, String(hasPasskeys));
  }, [settings, providers.length, hasPasskeys]);
  if (read.settings === 'failed' && online)
    return (
      <div role="status">
        <Message tone="warning">
          <span>{texts.waysFailed}</span>{' '}
          <Button look="link" onClick={read.retry}>
            {texts.retry}
          </Button>
        </Message>
      </div>
    );
  if (!settings) return <Placeholder {...known} passkeys={canOfferPasskeys && known.passkeys} />;
  if (providers.length === 0 && !offersPasskeys) return null;
  return <SignInButtons providers={providers} takeCaptcha={offersPasskeys ? takeCaptcha : undefined} />;
}

interface SignInButtonsProps {
  readonly providers: readonly string[];
  /** Passkeys too, with the captcha token. Default: providers only. */
  readonly takeCaptcha?: (() => string | undefined) | undefined;
}

/** The ways to sign in beside the form: passkeys and providers. */
function SignInButtons({ providers, takeCaptcha }: SignInButtonsProps) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const { homeUrl } = useReturnUrls();
  const [pending, setPending] = useState<string | null>(null);
  const [problem, setProblem] = useState<string>();
  const signIn = async (provider: string) => {
    setPending(provider);
    setProblem(undefined);
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
      <div className={styles.providers}>
        {providers.map((provider) => (
          <Button
            key={provider}
            wide
            className={styles.lighter}
            aria-label={texts.continueWith(providerName(provider))}
            pending={pending === provider}
            onClick={() => void signIn(provider)}
          >
            <ProviderLogo provider={provider} />
            <span>
              {providers.length === 1 ? texts.continueWith(providerName(provider)) : providerName(provider)}
            </span>
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Reserves the height of the buttons. */
function Placeholder({ providerCount, passkeys }: SignInWays) {
  if (providerCount === 0 && !passkeys) return null;
  return (
    <div className={styles.aside} aria-hidden="true">
      <p className={styles.or}>&nbsp;</p>
      {passkeys && <span className={styles.provider} />}
      <div className={styles.providers}>
        {Array.from({ length: providerCount }, (_, index) => (
          <span key={index} className={styles.provider} />
        ))}
      </div>
    </div>
  );
}

function enabledProviders(settings: AuthServerSettings | null): readonly string[] {
  const entries = Object.entries(settings?.external ?? {});
  return entries.flatMap(([name, enabled]) => (enabled && isSocialProvider(name) ? [name] : []));
}

/** The ways of the last visit; without one, or if storage is blocked, those that the build expects. */
function readKnownWays(): SignInWays {
  const count = readStored(countKey);
  if (count === null) return SIGN_IN_WAYS;
  return { providerCount: Math.min(10, Number(count) || 0), passkeys: readStored(passkeysKey) === 'true' };
}

/**
 * The auth server's settings, read after the screen has rendered, and again when the network is back; null until then, `failed`
 * when they cannot be read.
 */
function useSettingsRead() {
  const { auth } = useClients();
  const online = useOnline();
  const [attempt, setAttempt] = useState(0);
  const [read, setRead] = useState<SettingsRead>();
  const key = `${online} ${attempt}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    auth.getSettings({ signal }).then(
      (settings) => setRead({ key, settings }),
      () =>
        void (
          signal.aborted || setRead((known) => (hasSettings(known) ? known : { key, settings: 'failed' }))
        ),
    );
    return () => controller.abort();
  }, [auth, key]);
  // The failure of an earlier attempt says nothing about this one.
  const settings = read && (read.key === key || hasSettings(read)) ? read.settings : null;
  return { settings, retry: () => setAttempt((number) => number + 1) };
}

interface SettingsRead {
  readonly key: string;
  readonly settings: AuthServerSettings | 'failed';
}

const hasSettings = (read: SettingsRead | undefined) => read !== undefined && read.settings !== 'failed';

/** The auth server's settings; null while they are read and on failure. */
export function useAuthSettings(): AuthServerSettings | null {
  const { settings } = useSettingsRead();
  return settings === 'failed' ? null : settings;
}
