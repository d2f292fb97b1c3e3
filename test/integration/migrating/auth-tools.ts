import { createClient, type AuthChangeEvent, type SupabaseClient } from '@supabase/supabase-js';
import { TOTP } from 'otpauth';
import { onTestFinished } from 'vitest';
import {
  AuthError,
  createMemoryStore,
  type AuthClient,
  type AuthEventName,
} from '../../../src/auth-client/index.ts';
import { createPlatform, type PageSignal } from '../../../src/platform/index.ts';
import { createSupabaseClients, type SupabaseClients } from '../../../src/clients/supabase-clients.ts';
import { toVerifyLink } from 'supabase-conformance';
import { createClient as createCompatClient } from '../../../src/compat/index.ts';
import { createUser, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { transport } from './transport.ts';
import { type MigratingRow } from './page.ts';

const settings = {
  auth: {
    anonymousEnabled: true,
    manualLinkingEnabled: true,
    emailMaxFrequencySeconds: 0,
    rateLimits: null,
    externalProviders: ['github'],
  },
};
export const redirectTo = 'http://localhost:5173/home';

/** A person with an account, and a mailbox. */
interface Person {
  readonly email: string;
  readonly password: string;
  /** The code of the newest mail. */
  readonly code: () => Promise<string>;
  /** The link of the newest mail. */
  readonly link: () => Promise<URL>;
}
export interface VendorWorld extends Person {
  readonly auth: SupabaseClient['auth'];
  readonly supabase: SupabaseClient;
  readonly storage: Map<string, string>;
  readonly signIn: () => Promise<{ readonly access_token: string; readonly refresh_token: string }>;
}
export interface HereWorld extends Person {
  readonly auth: AuthClient;
  readonly clients: SupabaseClients;
  readonly options: Parameters<typeof createSupabaseClients>[0];
  readonly signal: (signal: PageSignal) => void;
  readonly signIn: () => ReturnType<AuthClient['signInWithPassword']>;
}
export type AuthRow = MigratingRow<VendorWorld, HereWorld>;

export const codeOf = async (
  call: PromiseLike<{ readonly error: { readonly code?: string | undefined } | null }>,
) => (await call).error?.code;
export const codeHere = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (problem: unknown) => (problem instanceof AuthError ? problem.code : problem),
  );
export const hashOf = (link: URL) =>
  link.searchParams.get('token_hash') ?? link.searchParams.get('token') ?? '';
export const totpOf = (secret: string) => new TOTP({ secret }).generate();
export const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
export const named = (names: readonly string[], object: object) => names.filter((name) => name in object);

/** The events of a vendor's client, from now on. */
export function listenVendor(auth: VendorWorld['auth']) {
  const events: AuthChangeEvent[] = [];
  const { data } = auth.onAuthStateChange((event) => void events.push(event));
  return { events, stop: () => data.subscription.unsubscribe() };
}
export function listen(auth: AuthClient) {
  const events: AuthEventName[] = [];
  return { events, stop: auth.onEvent(({ name }) => void events.push(name)) };
}

export type AuthTools = ReturnType<typeof createAuthTools>;

/** `createClient` of the entry `compat` instead of the vendor's. */
export const compatLibrary = createCompatClient as unknown as typeof createClient;

/** An embedded Supabase for the tests of this file, and clients of it. */
export function createAuthTools() {
  const supabase = useLocalSupabase(settings);
  /** Creates the vendor's clients: the vendor's `createClient`, or that of the entry `compat`. */
  let library = createClient;
  let count = 0;
  async function createPerson(): Promise<Person> {
    count += 1;
    const { mailbox } = supabase();
    const { email } = await createUser(supabase(), `migrating-${count}@example.com`, 'Mig');
    return {
      email,
      password: seedPassword,
      code: async () => (await mailbox.waitFor({ to: email })).code ?? '',
      link: async () => {
        const { links } = await mailbox.waitFor({ to: email });
        return new URL(toVerifyLink(links[0] ?? '', `${supabase().url}/auth/v1`) ?? '');
      },
    };
  }

  async function openVendorWorld(): Promise<VendorWorld> {
    const person = await createPerson();
    const storage = new Map<string, string>();
    const client = connectVendor(storage);
    const { email, password } = person;
    return {
      ...person,
      auth: client.auth,
      supabase: client,
      storage,
      signIn: async () => {
        const { data, error } = await client.auth.signInWithPassword({ email, password });
        if (error) throw error;
        return data.session;
      },
    };
  }

  function connectVendor(storage = new Map<string, string>(), apiKey = supabase().anonKey): SupabaseClient {
    const { url, fetch } = supabase();
    return library(url, apiKey, {
      global: { fetch },
      realtime: { transport },
      auth: {
        flowType: 'pkce',
        autoRefreshToken: false,
        detectSessionInUrl: false,
        experimental: { passkey: true },
        // The vendor warns of several clients with one key.
        storageKey: `sb-migrating-${count}-auth-token`,
        storage: {
          getItem: (key) => storage.get(key) ?? null,
          setItem: (key, value) => void storage.set(key, value),
          removeItem: (key) => void storage.delete(key),
        },
      },
    });
  }

  async function openHere(): Promise<HereWorld> {
    const person = await createPerson();
    const { url, anonKey, fetch } = supabase();
    const listeners = new Set<(signal: PageSignal) => void>();
    const platform = createPlatform({
      fetch,
      page: {
        isVisible: () => true,
        isOnline: () => true,
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    });
    const options = { url, apiKey: anonKey, platform, store: createMemoryStore() };
    const clients = createSupabaseClients(options);
    onTestFinished(() => clients.close());
    const { email, password } = person;
    return {
      ...person,
      auth: clients.auth,
      clients,
      options,
      signal: (signal) => listeners.forEach((listener) => listener(signal)),
      signIn: () => clients.auth.signInWithPassword({ email, password }),
    };
  }

  /** Follows a link without a browser, and returns the URL that it leads to. */
  const follow = async (link: URL) => {
    const response = await supabase().fetch(link, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '');
  };

  return {
    supabase,
    connectVendor,
    openHere,
    follow,
    openVendor() {
      library = createClient;
      return openVendorWorld();
    },
    openCompat() {
      library = compatLibrary;
      return openVendorWorld();
    },
  };
}
