import 'fake-indexeddb/auto';
import { cleanup, render, type RenderResult } from '@testing-library/react';
import userEvent, { PointerEventsCheckLevel, type UserEvent } from '@testing-library/user-event';
import { Fragment, StrictMode } from 'react';
import { onTestFinished } from 'vitest';
import type { LocalSupabase } from 'local-supabase';
import { App } from '../../src/inbox/app/app.tsx';
import { createClients } from '../../src/inbox/app/data/clients.ts';
import { closeUserData } from '../../src/inbox/app/data/get-user-data.ts';
import type { Clients } from '../../src/inbox/shared/clients/clients-context.ts';
import type { Configuration } from '../../src/inbox/shared/clients/env.ts';
import { createMemoryStore, type AuthStore } from '../../src/auth-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { polyfillTopLayer } from './top-layer.ts';
import { createIdleSocket } from './wire/frames.ts';

export interface RenderAppOptions {
  readonly supabase: LocalSupabase;
  /** The user who is signed in before the page opens. Default: none. */
  readonly user?: { readonly email: string; readonly password: string };
  /** Replaces parts of the platform, such as `fetch` or `openSocket` (default: a socket that never opens). */
  readonly platform?: Partial<Platform>;
  readonly configuration?: Partial<Configuration>;
  /** The browser's storage for the session: pass one to open a second tab on it. Default: a new one. */
  readonly store?: AuthStore;
  /** The state of the history entry, as a reload finds it. Default: none. */
  readonly historyState?: unknown;
}

export interface RenderedApp extends RenderResult {
  readonly actor: UserEvent;
  readonly clients: Clients;
  readonly store: AuthStore;
  /** Path, query and fragment of the page now. */
  readonly url: () => string;
}

/** React renders twice in StrictMode, a fifth of these tests' processor time: the nightly run does. */
const Mode = process.env['STRICT_MODE'] === '1' ? StrictMode : Fragment;

/** Opens the whole application at a URL of this origin, on real clients and the embedded Supabase. */
export async function renderApp(url: string, options: RenderAppOptions): Promise<RenderedApp> {
  polyfillTopLayer();
  const { supabase, store = createMemoryStore() } = options;
  const platform = createPlatform({
    fetch: supabase.fetch,
    openSocket: createIdleSocket,
    report: () => undefined,
    ...options.platform,
  });
  const configuration: Configuration = {
    supabaseUrl: supabase.url,
    supabaseAnonKey: supabase.anonKey,
    siteUrl: null,
    entityUrl: null,
    captcha: null,
    pushPublicKey: null,
    usesBroadcasts: false,
    errorReportsUrl: null,
    ...options.configuration,
  };
  const open = () =>
    createClients({
      configuration,
      platform,
      store,
      address: {
        href: () => location.href,
        replace: (next) => history.replaceState(history.state, '', next),
      },
    });
  if (options.user) {
    const before = open();
    await before.auth.signInWithPassword(options.user);
    before.auth.close();
  }
  history.replaceState(options.historyState ?? null, '', url);
  const clients = open();
  void clients.auth.start();
  const result = render(
    <Mode>
      <App clients={clients} configuration={configuration} />
    </Mode>,
  );
  onTestFinished(async () => {
    cleanup();
    await closeUserData(clients);
    clients.close();
  });
  return {
    ...result,
    // The check walks up to the root at each step of the pointer; no style sheet is loaded that it could find.
    actor: userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never }),
    clients,
    store,
    url: () => location.pathname + location.search + location.hash,
  };
}
