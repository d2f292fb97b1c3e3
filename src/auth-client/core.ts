import { withinDeadline } from '../platform/http.ts';
import type { Log } from '../platform/log.ts';
import type { Clock, Platform } from '../platform/platform.ts';
import { configurationProblem, serviceUrl } from '../platform/service.ts';
import type { PendingFlowStore } from './callback/pending-flows.ts';
import { AuthError } from './errors.ts';
import { type Refresher, type ShareRefresh, createRefresher } from './refresh/refresher.ts';
import { type SessionManager, createSessionManager } from './session/session-manager.ts';
import type { Store } from './storage/store.ts';
import { type CallOptions, type Send, createSend, toAuthError } from './wire/request.ts';

/** What the optional features build on. For this library's own modules: it may change with any version. */
export interface AuthCore {
  /** The platform of the client. */
  readonly platform: Platform;
  /** The project's URL with `/auth/v1`. */
  readonly baseUrl: string;
  /** The session in memory and in storage. */
  readonly session: SessionManager;
  /** Refreshes the session. */
  readonly refresher: Refresher;
  /** The PKCE flows that wait for their callback. */
  readonly pendingFlows: PendingFlowStore;
  /** Sends a request with the API key, and with a user's token where one is given. */
  readonly send: Send;
  /** Resolves once storage and the callback URL have been read. */
  ready(): Promise<unknown>;
  /** Ends the waiting of one caller; the work itself continues. */
  waitFor<T>(work: Promise<T>, options: CallOptions): Promise<T>;
}

/** The options of every client of the auth service. */
export interface CoreOptions {
  /** The project's URL (http or https), without `/auth/v1`. */
  readonly url: string;
  /** The project's publishable key, or its older anonymous key. */
  readonly apiKey: string;
  /** The runtime's fetch, clock, locks, …: `createBrowserPlatform()`. */
  readonly platform: Platform;
  /** Where the session is stored, for example `createCookieStore(…)`. */
  readonly store: Store;
  /** The key of the session in the store. Default: `sb-<first label of the host>-auth-token`, as the vendor's clients have it. */
  readonly storageKey?: string | undefined;
  /**
   * Whether the session is refreshed in the background before it expires. False for servers, which have no background: the call
   * that needs the token then refreshes it when fewer than 90 s are left. Default true.
   */
  readonly autoRefresh?: boolean | undefined;
  /** Headers of every request to the auth service. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Deadline of a call in milliseconds. Default 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Receives an event per request, without tokens, bodies or queries. Default: none. */
  readonly log?: Log | undefined;
  /** Returns the `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: (() => string | null) | undefined;
}

/** What `createServerClients` changes in a client: not for applications. */
export interface CoreInternals {
  /** Shares the request of a refresh with other clients of this process. Default: each client sends its own. */
  readonly shareRefresh?: ShareRefresh | undefined;
}

/** The storage key that the vendor's clients use for a project. */
export function defaultStorageKey(url: string): string {
  return `sb-${new URL(url).hostname.split('.')[0]}-auth-token`;
}

export function createCore(
  options: CoreOptions,
  ready: () => Promise<unknown>,
  { shareRefresh }: CoreInternals,
): AuthCore {
  const problem = configurationProblem(options);
  if (problem) throw new AuthError('invalid-options', problem);
  const { platform, store, apiKey, headers, timeoutMs, log, traceparent } = options;
  const { storageKey = defaultStorageKey(options.url) } = options;
  const baseUrl = serviceUrl(options.url, 'auth');
  const { autoRefresh = true } = options;
  const session = createSessionManager(platform, store, storageKey, { checksStorage: autoRefresh });
  const send = createSend({ platform, baseUrl, apiKey, headers, timeoutMs, log, traceparent });
  return {
    platform,
    baseUrl,
    session,
    refresher: createRefresher(platform, session, send, {
      storageKey,
      autoRefresh,
      shareRefresh: shareRefresh ?? ((_refreshToken, request) => request()),
    }),
    pendingFlows: { store: session.store, platform, key: storageKey },
    ready,
    send,
    waitFor: (work, call) => waitFor(work, call, platform.clock),
  };
}

/** The longest delay that `setTimeout` takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends the waiting at the deadline or the signal, not the work: its response may be needed for the session. */
function waitFor<T>(work: Promise<T>, { signal, timeoutMs }: CallOptions, clock: Clock): Promise<T> {
  // Nearly every request waits for a token, and few can be ended: the others take no timer and no listener.
  if (!signal && timeoutMs === undefined) return work;
  return withinDeadline(clock, timeoutMs ?? LONGEST_TIMER_MS, signal, () => work).catch(
    (problem: unknown) => {
      throw toAuthError(problem);
    },
  );
}
