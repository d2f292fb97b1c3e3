import type { Unsubscribe } from '../platform/platform.ts';
import { duration } from '../platform/number-options.ts';
import { configurationProblem } from '../platform/service.ts';
import { hasCallbackParameters } from './callback/callback-parameters.ts';
import type { CallbackOptions } from './callback/callback-methods.ts';
import type { LazyMethods } from './calls/lazy-methods.ts';
import { ofPresentUser } from './calls/present-user.ts';
import { type SignOutMethod, signOut } from './calls/sign-out.ts';
import { type AuthCore, Core, type CoreOptions } from './core.ts';
import { AuthError, missingSession, userChanged } from './errors.ts';
import type { AuthSnapshot } from './session/auth-snapshot.ts';
import type { AuthEvent, NewSession } from './session/session-state.ts';
import type { Session } from './session/session.ts';
import { token } from './wire/endpoints.ts';
import type { CallOptions } from './wire/request.ts';
import { parseTokenResponse } from './wire/responses.ts';

/** The options of `createAuthClient`. */
export interface AuthClientOptions extends CoreOptions, CallbackOptions {}

/** Options of `getAccessToken`. */
export interface AccessTokenOptions extends CallOptions {
  /** A token that a server has just refused: if it is still the current one, it is refreshed first. Default: none. */
  readonly rejectedToken?: string | undefined;
}

/** Options of `refreshSession`. */
export interface RefreshSessionOptions extends CallOptions {
  /** The refresh token of another session, which then replaces this one. Default: the session's own. */
  readonly refreshToken?: string | undefined;
}

/** A client of the auth service (GoTrue). Every method that returns a promise rejects with an `AuthError` only. */
export interface AuthClient extends Omit<LazyMethods, 'consume'>, SignOutMethod {
  /** Loads the module of the methods that are loaded with their first call. Never rejects. */
  preload(): Promise<void>;
  /** Restores the stored session and consumes a callback in the page's address. A second call does nothing more. */
  start(): Promise<AuthSnapshot>;
  /** Ends timers and channels. The session stays in storage. */
  close(): void;
  /** Returns the state now: the same object until something changes. */
  getSnapshot(): AuthSnapshot;
  /** Calls `listener` after each change of the snapshot. */
  subscribe(listener: () => void): Unsubscribe;
  /** Calls `listener` with each event once, in order. The client does not wait for it; it may call any method. */
  onEvent(listener: (event: AuthEvent) => unknown): Unsubscribe;
  /**
   * Returns an access token that is valid now, or null if no user is signed in. With `user`, which the clients of the other
   * services pass, a session that ends during the call is an error instead of null.
   *
   * @throws {AuthError} if the token has expired and could not be refreshed; `user-changed` if another user signed in
   * during the call, or if the rejected token belongs to another user.
   */
  getAccessToken(options?: AccessTokenOptions): Promise<string | null>;
  /** Calls `listener` with each new access token, and with null after a sign-out. */
  onTokenChange(listener: (token: string | null) => unknown): Unsubscribe;
  /** Returns the session, refreshed first if it has expired; null if no user is signed in. @throws {AuthError} */
  getSession(options?: CallOptions): Promise<Session | null>;
  /** Refreshes now, whatever the lifetime. @throws {AuthError} `missing-session`, or as the server refuses. */
  refreshSession(options?: RefreshSessionOptions): Promise<Session>;
  /** Consumes a callback URL, for example one that an app link brought. The snapshot has the outcome. */
  handleCallback(href: string): Promise<AuthSnapshot>;
  /** For the optional features of this library: `createMfa(auth)`, `createSso(auth)`, … */
  readonly core: AuthCore;
}

/**
 * Creates a client of the auth service. Creating it sends and reads nothing: `start()` does, and so does the first call that
 * needs a session.
 *
 * @throws {AuthError} `invalid-options`
 * @example
 * ```ts
 * import { createAuthClient, createCookieStore } from 'supabase-protocol-clients/auth-client';
 * import { createPlatform } from 'supabase-protocol-clients/platform';
 *
 * const auth = createAuthClient({
 *   url,
 *   apiKey,
 *   platform: createPlatform(),
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
  const problem = configurationProblem(options, { timeoutMs: duration });
  if (problem) throw new AuthError('invalid-options', problem);
  const client = new SessionClient(options);
  const { core } = client;
  /** Loads the module of the lazy methods, then calls the method of this name. */
  const lazy = <Name extends keyof LazyMethods>(name: Name): LazyMethods[Name] => {
    type Method = (...args: readonly unknown[]) => Promise<unknown>;
    const call: Method = async (...args) => ((await client.loadLazyMethods())[name] as Method)(...args);
    return call as LazyMethods[Name];
  };
  return {
    signUp: lazy('signUp'),
    signInAnonymously: lazy('signInAnonymously'),
    signInWithPassword: lazy('signInWithPassword'),
    signInWithOtp: lazy('signInWithOtp'),
    signInWithOAuth: lazy('signInWithOAuth'),
    verifyOtp: lazy('verifyOtp'),
    resend: lazy('resend'),
    resetPasswordForEmail: lazy('resetPasswordForEmail'),
    setSession: lazy('setSession'),
    exchangeCodeForSession: lazy('exchangeCodeForSession'),
    getUser: ({ accessToken: given, ...options } = {}) =>
      lazy('getUser')(
        given === undefined ? ofPresentUser(core, options) : { ...options, accessToken: given },
      ),
    updateUser: (changes, options) => lazy('updateUser')(changes, ofPresentUser(core, options)),
    reauthenticate: (options) => lazy('reauthenticate')(ofPresentUser(core, options)),
    getSettings: lazy('getSettings'),
    signOut: (request, call) => signOut(core, request, call),
    core,
    start: client.start,
    preload: () => client.loadLazyMethods().then(ignore, ignore),
    close: client.close,
    getSnapshot: () => core.session.getSnapshot(),
    subscribe: (listener) => core.session.changes.add(listener),
    onEvent: (listener) => core.session.events.add(listener),
    onTokenChange: (listener) => core.session.tokens.add(listener),
    getAccessToken: (request = {}) => core.waitFor(client.accessToken(request), request),
    getSession: client.getSession,
    refreshSession: client.refreshSession,
    handleCallback: client.handleCallback,
  };
}

const ignore = () => {};

/** The part of a client that restores, reads and renews the session. */
class SessionClient {
  readonly core: Core;
  readonly #options: AuthClientOptions;
  #started: Promise<AuthSnapshot> | undefined;
  #isClosed = false;

  constructor(options: AuthClientOptions) {
    this.#options = options;
    this.core = new Core(options, this.start);
  }

  readonly start = (): Promise<AuthSnapshot> => (this.#started ??= this.#restore());

  readonly close = (): void => {
    this.#isClosed = true;
    const { refresher, session } = this.core;
    refresher.stop();
    session.close();
  };

  async loadLazyMethods(): Promise<LazyMethods> {
    try {
      return (await import('./calls/lazy-methods.ts')).createLazyMethods(this.core, this.#options);
    } catch (cause) {
      throw new AuthError('network', 'A module failed to load', { cause });
    }
  }

  accessToken(request: AccessTokenOptions = {}): Promise<string | null> {
    const { refresher } = this.core;
    // Nearly every request reads the token: a valid one in memory does not wait for `start()`.
    const valid = request.rejectedToken === undefined ? refresher.validToken() : null;
    if (valid !== null) return Promise.resolve(valid);
    return this.start().then(() => refresher.accessToken(request));
  }

  readonly getSession: AuthClient['getSession'] = async (call = {}) => {
    const { session, waitFor } = this.core;
    await waitFor(this.accessToken(), call);
    return session.getSnapshot().session;
  };

  readonly refreshSession: AuthClient['refreshSession'] = async ({ refreshToken, ...call } = {}) => {
    await this.start();
    const { session, refresher, send, waitFor } = this.core;
    if (refreshToken) {
      const endpoint = token('refresh_token', { refresh_token: refreshToken });
      const response = await refresher.exclusively(() => send(endpoint, parseTokenResponse, call));
      return session.signIn({ response, name: 'SIGNED_IN', reason: 'call' });
    }
    const { user } = this.#currentSession();
    await waitFor(refresher.refresh(), call);
    const renewed = this.#currentSession();
    if (renewed.user.id !== user.id) throw userChanged();
    return renewed;
  };

  readonly handleCallback: AuthClient['handleCallback'] = async (href) => {
    await this.start();
    const newSession = await this.#consumeCallback(href);
    const { session } = this.core;
    if (newSession) await session.signIn(newSession);
    return session.getSnapshot();
  };

  async #restore(): Promise<AuthSnapshot> {
    const { session, refresher } = this.core;
    await session.restore(await this.#consumeCallback(this.#options.address?.href()));
    if (this.#isClosed) session.close();
    else refresher.start();
    return session.getSnapshot();
  }

  async #consumeCallback(href = ''): Promise<NewSession | null> {
    try {
      // Most page loads have no callback and do not need the module.
      if (!hasCallbackParameters(href)) return null;
      return await (await this.loadLazyMethods()).consume(href);
    } catch (problem) {
      this.core.session.setNotes({ callbackError: problem as AuthError });
      return null;
    }
  }

  #currentSession(): Session {
    const active = this.core.session.current();
    if (!active) throw missingSession();
    return active.session;
  }
}
