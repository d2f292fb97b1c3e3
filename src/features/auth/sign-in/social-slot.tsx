import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import type { AuthServerSettings } from '../../../auth-client/index.ts';
import { isSocialProvider } from '../../../ui/provider-name.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';

const SocialSignIn = lazyPart(async () => (await import('./social-sign-in.tsx')).SocialSignIn);

/** The enabled providers; nothing while the settings load or if they cannot be read. */
export function SocialSlot() {
  const providers = enabledProviders(useAuthSettings());
  return providers.length > 0 ? (
    <Suspense>
      <SocialSignIn providers={providers} />
    </Suspense>
  ) : null;
}

function enabledProviders(settings: AuthServerSettings | null): readonly string[] {
  const entries = Object.entries(settings?.external ?? {});
  return entries.flatMap(([name, enabled]) => (enabled && isSocialProvider(name) ? [name] : []));
}

/** The auth server's settings, read after the screen has rendered; null until then and on failure. */
export function useAuthSettings(): AuthServerSettings | null {
  const { auth } = useClients();
  const [settings, setSettings] = useState<AuthServerSettings | null>(null);
  useEffect(() => {
    const left = new AbortController();
    auth.getSettings({ signal: left.signal }).then(setSettings, () => undefined);
    return () => left.abort();
  }, [auth]);
  return settings;
}
