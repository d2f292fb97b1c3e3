import { screen, within } from '@testing-library/react';
import { beforeEach } from 'vitest';
import { createPasskeys, type Passkey } from '../../../src/auth-client/features/passkeys.ts';
import type { LocalSupabase } from 'local-supabase';
import { createUser, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { installPageAuthenticator, type PageAuthenticator } from '../../support/page-authenticator.ts';
import { type RenderAppOptions, type RenderedApp, renderApp } from '../../support/render-app.tsx';

const siteUrl = 'http://localhost:5173';

export interface PasskeyPages {
  readonly supabase: () => LocalSupabase;
  /** The address of the test's user. */
  readonly email: () => string;
  /** Moves the clock of the server. */
  readonly skewClock: (ms: number) => void;
  /** Gives the page an authenticator, until the end of the test. */
  readonly installAuthenticator: () => PageAuthenticator;
  /** Opens a page as the test's user. */
  readonly open: (url: string, platform?: RenderAppOptions['platform']) => Promise<RenderedApp>;
  /** Opens a page without a session. */
  readonly openSignedOut: (url: string, platform?: RenderAppOptions['platform']) => Promise<RenderedApp>;
  /** Registers a passkey of the page's authenticator for the user. */
  readonly addPasskey: () => Promise<Passkey>;
}

/** An embedded Supabase for the tests of a file, and a new user for each of them. */
export function createPasskeyPages(): PasskeyPages {
  let skewMs = 0;
  let email = '';
  const now = () => Date.now() + skewMs;
  const supabase = useLocalSupabase({ siteUrl, now, auth: { externalProviders: [] } });
  beforeEach(async () => {
    skewMs = 0;
    // A browser that has used no passkey yet.
    localStorage.clear();
    email = `passkey-${crypto.randomUUID()}@example.com`;
    await createUser(supabase(), email);
  });
  const open: PasskeyPages['open'] = (url, platform = {}) =>
    renderApp(url, { supabase: supabase(), user: { email, password: seedPassword }, platform });
  return {
    supabase,
    email: () => email,
    skewClock: (ms) => void (skewMs = ms),
    installAuthenticator: () => installPageAuthenticator(siteUrl),
    open,
    openSignedOut: (url, platform = {}) => renderApp(url, { supabase: supabase(), platform }),
    async addPasskey() {
      const before = await open('/_app');
      const passkey = await createPasskeys(before.clients.auth).registerPasskey();
      before.unmount();
      return passkey;
    },
  };
}

/** The section of `/account`, once it is there. */
export async function passkeysSection() {
  await screen.findByRole('heading', { name: 'Account' });
  return within(await screen.findByRole('region', { name: 'Passkeys' }));
}
