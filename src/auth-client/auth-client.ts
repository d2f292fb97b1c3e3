import type { Unsubscribe } from '../platform/platform.ts';
import { type AuthCore, type CoreOptions, createCore } from './core.ts';
import { AuthError, missingSession } from './errors.ts';
import type { LaterCalls } from './calls/later-calls.ts';
import type { CallbackOptions } from './callback/redirects.ts';
import type { CallOptions } from './wire/request.ts';
import type { AuthEvent, AuthSnapshot } from './session/session-keeper.ts';
import type { Session } from './session/session.ts';
import { type SignOutCall, createSignOut } from './calls/sign-out.ts';

export interface AuthClientOptions extends CoreOptions, CallbackOptions {
  /** The project's URL (http or https), without `/auth/v1`. */
  readonly url: string;
  /** The publishable or anonymous key. */
  readonly apiKey: string;
  /** Where the session is kept, such as `createCookieStore(…)`. */
  readonly store: CoreOptions['store'];
  /** Default: `sb-<first label of the host>-auth-token`, as the vendor's clients have it. */
  readonly storageKey?: string | undefined;
}

export interface AuthClient extends Omit<LaterCalls, 'consume'>, SignOutCall {
  /** Loads the code of the calls that a signed-in page does not need, ahead of the first of them. Never rejects. */
  preload(): Promise<void>;
  /** Restores the stored session and consumes a callback in the address. Calling it again does nothing. */
  start(): Promise<AuthSnapshot>;
  /** Ends timers and channels. The session stays stored. */
  close(): void;
  /** The same object until something changes. */
  getSnapshot(): AuthSnapshot;
  subscribe(listener: () => void): Unsubscribe;
  /** Each event once, in order; the listener is never awaited and may call any method. */
  onEvent(listener: (event: AuthEvent) => unknown): Unsubscribe;
  /**
   * A token that is valid now. @throws {AuthError} if there is a session whose token could not be refreshed now;
   * `missing-session` if somebody else is signed in by the time there is one, or is not who the rejected token speaks of.
   */
  getAccessToken(options?: {
    /** A token that a server has just refused as expired: if it is still the current one, it is refreshed first. */
    readonly rejectedToken?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<string | null>;
  onTokenChange(listener: (token: string | null) => unknown): Unsubscribe;
  /** The session, refreshed first if it has expired. */
  getSession(options?: CallOptions): Promise<Session | null>;
  /** Refreshes now, whatever the lifetime. */
  refreshSession(options?: CallOptions): Promise<Session>;
  /** Consumes a callback URL, such as one that an app link brought. The outcome is in the snapshot. */
  handleCallback(href: string): Promise<AuthSnapshot>;
  /** For the entries of this library's features. */
  readonly core: AuthCore;
}

/**
 * Creates a client of the auth service (protocol: PROTOCOL.md beside this file, RFC 6749, RFC 7636). Creating it sends and
 * reads nothing: `start()` does, and so does the first call that needs a session.
 *
 * @throws {AuthError} `configuration-incomplete`
 * @example
 * ```ts
 * import { createAuthClient, createCookieStore } from 'supabase-protocol-clients/auth-client';
 * import { createBrowserPlatform } from 'supabase-protocol-clients/platform';
 *
 * const auth = createAuthClient({
 *   url,
 *   apiKey: anonKey,
 *   platform: createBrowserPlatform(),
 *   store: createCookieStore({ jar: document, secure: location.protocol === 'https:' }),
 * });
 * auth.onEvent(({ name, session }) => console.log(name, session?.user.email));
 * const { status } = await auth.start();
 * if (status === 'signed-out') {
 *   await auth.signInWithPassword({ email: 'ada@example.com', password: 'inbox-development' });
 * }
 * ```
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  let started: Promise<AuthSnapshot> | undefined;
  const start = () => (started ??= begin());
  const core = createCore(options, start);
  const { keeper, refresher, waitFor } = core;
  let isClosed = false;
  const load = async () => {
    try {
      return (await import('./calls/later-calls.ts')).createLaterCalls(core, options);
    } catch (cause) {
      throw new AuthError('network', 'Its code could not be loaded', { cause });
    }
  };
  const consume = async (href = '') => {
    // Most page loads bring no callback.
    if (!/[?#&](code|error|error_code|access_token|message)=/.test(href)) return null;
    try {
      return await (await load()).consume(href);
    } catch (problem) {
      keeper.note({ callbackError: problem as AuthError });
      return null;
    }
  };

  const begin = async () => {
    await keeper.restore(await consume(options.address?.href()));
    if (isClosed) keeper.close();
    else refresher.start();
    return keeper.getSnapshot();
  };
  const accessToken = async (rejectedToken?: string) => {
    await start();
    return refresher.accessToken(rejectedToken);
  };
  const sessionOrThrow = () => {
    const session = keeper.getSnapshot().session;
    if (!session) throw missingSession();
    return session;
  };

  return {
    ...deferCalls(load),
    ...createSignOut(core),
    core,
    start,
    preload: () =>
      load().then(
        () => undefined,
        () => undefined,
      ),
    close() {
      isClosed = true;
      refresher.stop();
      keeper.close();
    },
    getSnapshot: keeper.getSnapshot,
    subscribe: keeper.changes.add,
    onEvent: keeper.events.add,
    onTokenChange: keeper.tokens.add,
    getAccessToken: (call = {}) => waitFor(accessToken(call.rejectedToken), call),
    async getSession(call = {}) {
      await waitFor(accessToken(), call);
      return keeper.getSnapshot().session;
    },
    async refreshSession(call = {}) {
      await start();
      sessionOrThrow();
      await waitFor(refresher.refresh(), call);
      return sessionOrThrow();
    },
    async handleCallback(href) {
      await start();
      const entry = await consume(href);
      if (entry) await keeper.enter(entry);
      return keeper.getSnapshot();
    },
  };
}

/** Calls that load their code first. What a long-lived tab needs to stay signed in is not among them. */
const laterCalls: Readonly<Record<Exclude<keyof LaterCalls, 'consume'>, true>> = {
  signUp: true,
  signInAnonymously: true,
  signInWithPassword: true,
  signInWithOtp: true,
  signInWithOAuth: true,
  verifyOtp: true,
  resend: true,
  resetPasswordForEmail: true,
  setSession: true,
  exchangeCodeForSession: true,
  getUser: true,
  updateUser: true,
  reauthenticate: true,
  getSettings: true,
};

function deferCalls(load: () => Promise<LaterCalls>): Omit<LaterCalls, 'consume'> {
  type Call = (...args: readonly unknown[]) => Promise<unknown>;
  const calls = Object.keys(laterCalls).map((name): [string, Call] => [
    name,
    async (...args) => ((await load())[name as keyof LaterCalls] as Call)(...args),
  ]);
  return Object.fromEntries(calls) as unknown as Omit<LaterCalls, 'consume'>;
}
