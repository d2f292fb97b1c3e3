import { createHttp } from '../platform/http.ts';
import type { Platform } from '../platform/platform.ts';
import { AuthError } from './errors.ts';
import { type Refresher, createRefresher } from './refresh/refresher.ts';
import { type CallOptions, type Send, createSend } from './wire/request.ts';
import { type SessionKeeper, createSessionKeeper } from './session/session-keeper.ts';
import type { Store } from './storage/store.ts';
import type { Slots } from './callback/verifier-slots.ts';
import { waitFor } from './refresh/wait-for.ts';
import { configurationProblem, serviceUrl } from '../platform/service.ts';

/** What the entries of the features build on. For this library's own modules; it may change with any version. */
export interface AuthCore {
  readonly platform: Platform;
  /** The project's URL with `/auth/v1`. */
  readonly baseUrl: string;
  readonly keeper: SessionKeeper;
  readonly refresher: Refresher;
  readonly slots: Slots;
  /** Resolves once storage and the callback URL have been read. */
  ready(): Promise<unknown>;
  /** A call with the API key alone. */
  readonly send: Send;
  /** Stops waiting, not the work. */
  waitFor<T>(work: Promise<T>, options: CallOptions): Promise<T>;
}

export interface CoreOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
  readonly store: Store;
  readonly storageKey?: string | undefined;
}

export function createCore(options: CoreOptions, ready: () => Promise<unknown>): AuthCore {
  const { platform, store, apiKey } = options;
  const problem = configurationProblem(options);
  if (problem) throw new AuthError('configuration-incomplete', problem);
  const { storageKey = `sb-${new URL(options.url).hostname.split('.')[0]}-auth-token` } = options;
  const baseUrl = serviceUrl(options.url, 'auth');
  const keeper = createSessionKeeper(platform, store, storageKey);
  const send = createSend(createHttp(platform), baseUrl, apiKey);
  const refresher = createRefresher(platform, keeper, send, storageKey);
  const slots = { store: keeper.store, locks: platform.locks, key: storageKey };
  return {
    platform,
    baseUrl,
    keeper,
    refresher,
    slots,
    ready,
    send,
    waitFor: (work, call) => waitFor(work, call, platform.clock),
  };
}
