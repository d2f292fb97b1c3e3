import type { Log } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';
import { ServiceCall } from '../platform/service-http.ts';
import { serviceUrl } from '../platform/service.ts';
import type { PendingFlowStore } from './callback/pending-flows.ts';
import { Refresher, type ShareRefresh } from './refresh/refresher.ts';
import { SessionManager } from './session/session-manager.ts';
import type { AuthStore } from './storage/store.ts';
import { type CallOptions, type Send, authService, createSend } from './wire/request.ts';

/** What the optional features build on. For this library's own modules: it may change with any version. */
export interface AuthCore {
  /** The platform of the client. */
  readonly platform: Platform;
  /** The project's URL with `/auth/v1`. */
  readonly baseUrl: string;
  /** `baseUrl` as browsers reach it. */
  readonly publicBaseUrl: string;
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
  /** Ends one caller's wait; the work itself continues. */
  waitFor<T>(work: Promise<T>, options: CallOptions): Promise<T>;
}

export interface CoreOptions {
  /** The project's URL (http or https), without `/auth/v1`. */
  readonly url: string;
  /**
   * The project's URL as browsers reach it, where a server has another one, as in a container network: it names the session in the
   * store, and sign-ins with a provider lead there. Default: `url`.
   */
  readonly publicUrl?: string | undefined;
  /** The project's publishable key, or its older anonymous key. */
  readonly apiKey: string;
  /** The runtime's fetch, clock, locks, …: `createPlatform()`. */
  readonly platform: Platform;
  /** Where the session is stored, for example `createCookieStore(…)`. */
  readonly store: AuthStore;
  /** The key of the session in the session storage. Default: `sb-<first label of the public URL's host>-auth-token`, as the vendor's clients have it. */
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
  /**
   * Shares the request of a refresh with other clients of this process, such as those of concurrent requests to a server. Default:
   * each client sends its own.
   */
  readonly shareRefresh?: ShareRefresh | undefined;
}

export function defaultStorageKey(url: string): string {
  return `sb-${new URL(url).hostname.split('.')[0]}-auth-token`;
}

/** What the methods of a client share. */
export class Core implements AuthCore {
  readonly platform: Platform;
  readonly baseUrl: string;
  readonly publicBaseUrl: string;
  readonly ready: () => Promise<unknown>;
  readonly session: SessionManager;
  readonly refresher: Refresher;
  readonly send: Send;
  readonly #options: CoreOptions;
  readonly #storageKey: string;

  constructor(options: CoreOptions, ready: () => Promise<unknown>) {
    const { url, publicUrl = url, platform, store, autoRefresh = true } = options;
    const { storageKey: key = defaultStorageKey(publicUrl), shareRefresh = sendOwnRefresh } = options;
    this.platform = platform;
    this.baseUrl = serviceUrl(url, 'auth');
    this.publicBaseUrl = serviceUrl(publicUrl, 'auth');
    this.ready = ready;
    this.session = new SessionManager(platform, { store, key, autoRefresh });
    this.send = createSend({ baseUrl: this.baseUrl, ...options });
    this.refresher = new Refresher(this, { storageKey: key, autoRefresh, shareRefresh });
    this.#options = options;
    this.#storageKey = key;
  }

  get pendingFlows(): PendingFlowStore {
    return { store: this.session.store, platform: this.platform, key: this.#storageKey };
  }

  /** Ends the waiting at the deadline or the signal, not the work: its response may be needed for the session. */
  readonly waitFor = <T>(work: Promise<T>, { signal, timeoutMs }: CallOptions): Promise<T> => {
    // Most calls have no signal or deadline, and need no timer or listener.
    if (!signal && timeoutMs === undefined) return work;
    const call = { signal, timeoutMs: timeoutMs ?? Infinity };
    return new ServiceCall(this.#options, authService, call).wait(() => work);
  };
}

const sendOwnRefresh: ShareRefresh = (_refreshToken, request) => request();
