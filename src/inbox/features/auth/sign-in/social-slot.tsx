import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import type { AuthServerSettings } from 'supabase-protocol-clients/auth-client';
import { isSocialProvider } from '../../../ui/provider-name.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import styles from '../auth-page.module.css';

/** The ways that `VITE_SIGN_IN_WAYS` or `supabase/config.toml` names at the build; `define` of vite.config.ts sets it. */
declare const SIGN_IN_WAYS: { readonly providerCount: number; readonly passkeys: boolean };

// Without their code the providers are missing, and the form works without them.
const SocialSignIn = lazyPart(() =>
  import('./social-sign-in.tsx').then(
    ({ SocialSignIn: Loaded }) => Loaded,
    () => () => null,
  ),
);

export interface SocialSlotProps {
  /** Takes the captcha's answer for a sign-in by passkey. Default: the screen offers no passkeys. */
  readonly takeCaptcha?: () => string | undefined;
}

/** Passkeys and the enabled providers; nothing while the settings load or if they cannot be read. */
export function SocialSlot({ takeCaptcha }: SocialSlotProps) {
  const settings = useAuthSettings();
  const providers = enabledProviders(settings);
  const canOfferPasskeys = takeCaptcha !== undefined && 'PublicKeyCredential' in globalThis;
  const offersPasskeys = canOfferPasskeys && settings?.passkeys_enabled === true;
  const count = providers.length + Number(offersPasskeys);
  // How many buttons the screen had at the last visit: the height to reserve while the settings load.
  const countKey = takeCaptcha ? 'sign-in-button-count' : 'provider-count';
  const [knownCount] = useState(() => readCount(countKey) ?? configuredCount(canOfferPasskeys));
  useEffect(() => {
    if (settings) writeCount(countKey, count);
  }, [settings, countKey, count]);
  const reserved = (buttons: number) => (buttons > 0 ? <Placeholder count={buttons} /> : null);
  if (!settings) return reserved(knownCount);
  return count > 0 ? (
    <Suspense fallback={reserved(count)}>
      <SocialSignIn providers={providers} takeCaptcha={offersPasskeys ? takeCaptcha : undefined} />
    </Suspense>
  ) : null;
}

/** Reserves the height of the buttons. */
function Placeholder({ count }: { readonly count: number }) {
  return (
    <div className={styles.aside} aria-hidden="true">
      <p className={styles.or}>&nbsp;</p>
      {Array.from({ length: count }, (_, index) => (
        <span key={index} className={styles.provider} />
      ))}
    </div>
  );
}

function enabledProviders(settings: AuthServerSettings | null): readonly string[] {
  const entries = Object.entries(settings?.external ?? {});
  return entries.flatMap(([name, enabled]) => (enabled && isSocialProvider(name) ? [name] : []));
}

/** How many buttons the build expects: on the first visit nothing else is known. */
function configuredCount(canOfferPasskeys: boolean): number {
  const { providerCount, passkeys } = SIGN_IN_WAYS;
  return providerCount + Number(canOfferPasskeys && passkeys);
}

/** Null before the first visit, or if storage is blocked. */
function readCount(countKey: string): number | null {
  try {
    const stored = localStorage.getItem(countKey);
    return stored === null ? null : Math.min(10, Number(stored) || 0);
  } catch {
    return null;
  }
}

function writeCount(countKey: string, count: number): void {
  try {
    localStorage.setItem(countKey, String(count));
  } catch {
    // Storage is blocked: the next visit is like the first one.
  }
}

/** The auth server's settings, read after the screen has rendered; null until then and on failure. */
export function useAuthSettings(): AuthServerSettings | null {
  const { auth } = useClients();
  const [settings, setSettings] = useState<AuthServerSettings | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    auth.getSettings({ signal: controller.signal }).then(setSettings, () => undefined);
    return () => controller.abort();
  }, [auth]);
  return settings;
}
