import { randomUUID } from 'node:crypto';
import {
  type AuthClient,
  type AuthClientOptions,
  type AuthEvent,
  type SyncAuthStore,
  createAuthClient,
  createMemoryStore,
} from 'supabase-protocol-clients/auth-client';
import type { Database } from '../schema/schema.ts';
import { createPlatform, type Locks, type Platform } from 'supabase-protocol-clients/platform';
import {
  type RealtimeClient,
  type RealtimeEvent,
  type RealtimeSettings,
  createRealtimeClient,
} from 'supabase-protocol-clients/realtime-client';
import { shareSocket } from 'supabase-protocol-clients/realtime-client/shared-socket';
import { type RestClient, createRestClient } from 'supabase-protocol-clients/rest-client';
import { scaleDeadline } from '../target/deadlines.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { createRecorder, type Recorder } from './recorder.ts';

/** The state that the tabs of one browser share. */
export interface Browser {
  readonly store: SyncAuthStore;
  readonly locks: Locks;
  readonly openTabChannel: Platform['openTabChannel'];
}

export interface TabOptions {
  /** Default: a new browser. */
  readonly browser?: Browser;
  /** The page's address. Default: the target's redirect address. */
  readonly href?: string;
  /** How far the device's clock is ahead, in milliseconds. Default 0. */
  readonly clockAheadMs?: number;
  readonly auth?: Partial<AuthClientOptions>;
  readonly realtime?: Partial<RealtimeSettings>;
  /** Whether the tabs of the browser share one socket. Default false. */
  readonly isShared?: boolean;
  readonly onRealtimeEvent?: (event: RealtimeEvent) => void;
}

/** The options that all clients of a project share. */
export interface ClientConnection {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
}

/** A browser tab with our clients, over a recorded network. */
export interface Tab extends ClientConnection {
  readonly auth: AuthClient;
  readonly rest: RestClient<Database>;
  readonly realtime: RealtimeClient<Database>;
  readonly wire: Recorder;
  readonly events: readonly AuthEvent[];
  /** Reported errors that no call returned. */
  readonly reported: readonly unknown[];
  readonly browser: Browser;
  href(): string;
  /** The session in storage; null without one. */
  stored(): StoredTokens | null;
  /** Advances the clock of this tab's clients. */
  advance(ms: number): void;
  close(): void;
}

interface StoredTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** The deadlines of our clients, which a slow target extends like those of the audits. */
export const authDeadlines = () => ({ timeoutMs: scaleDeadline(15_000) });
export const restDeadlines = () => ({
  timeoutMs: scaleDeadline(30_000),
  attemptTimeoutMs: scaleDeadline(10_000),
});
export const realtimeDeadlines = ({ timeoutMs = 10_000 }: Partial<RealtimeSettings> = {}) => ({
  timeoutMs: scaleDeadline(timeoutMs),
});

/** The session's storage key in every tab. */
export const storageKey = 'audit';

/** A browser with its own locks and channels, separate from other browsers of this process. */
export function createBrowser(store: SyncAuthStore = createMemoryStore()): Browser {
  const id = randomUUID();
  const { locks, openTabChannel } = createPlatform();
  return {
    store,
    locks: { scope: 'origin', hold: (name, task, options) => locks.hold(`${id}:${name}`, task, options) },
    openTabChannel: (name) => openTabChannel(`${id}:${name}`),
  };
}

/** @param aheadMs how far the wall clock alone is ahead. */
function createAheadClock(passedMs: () => number, aheadMs = 0): Platform['clock'] {
  const { clock } = createPlatform();
  return {
    now: () => clock.now() + aheadMs + passedMs(),
    monotonicMs: () => clock.monotonicMs() + passedMs(),
    setTimer: clock.setTimer,
  };
}

/** Opens a page: the auth client restores its session and consumes the callback parameters of the URL. */
export async function openTab(target: ConformanceTarget, options: TabOptions = {}): Promise<Tab> {
  const { browser = createBrowser() } = options;
  const url = target.authUrl.replace(/\/auth\/v1$/, '');
  // A bare auth server needs no key, but the clients require one.
  const apiKey = target.anonKey || 'none';
  const wire = createRecorder(target, url);
  const events: AuthEvent[] = [];
  const reported: unknown[] = [];
  let href = options.href ?? target.redirectTo;
  let passedMs = 0;
  const platform = createPlatform({
    fetch: wire.fetch,
    openSocket: wire.openSocket,
    locks: browser.locks,
    openTabChannel: browser.openTabChannel,
    report: (problem) => reported.push(problem),
    clock: createAheadClock(() => passedMs, options.clockAheadMs),
  });
  const connection = { url, apiKey, platform };
  const auth = createAuthClient({
    ...connection,
    store: browser.store,
    storageKey,
    ...authDeadlines(),
    address: { href: () => href, replace: (next) => void (href = next) },
    ...options.auth,
  });
  const { getAccessToken, onTokenChange } = auth;
  const realtime = createRealtimeClient<Database>({
    ...connection,
    getAccessToken,
    onTokenChange,
    settings: { ...options.realtime, ...realtimeDeadlines(options.realtime) },
    ...(options.isShared && { share: shareSocket }),
    ...(options.onRealtimeEvent && { log: options.onRealtimeEvent }),
  });
  auth.onEvent((event) => events.push(event));
  await auth.start();
  return {
    ...connection,
    auth,
    rest: createRestClient<Database>({ ...connection, ...restDeadlines(), getAccessToken }),
    realtime,
    wire,
    events,
    reported,
    browser,
    href: () => href,
    stored: () => JSON.parse(browser.store.get(storageKey) ?? 'null') as StoredTokens | null,
    advance: (ms) => void (passedMs += ms),
    close() {
      realtime.close();
      auth.close();
      wire.end();
    },
  };
}

/** A negative remaining lifetime: the token expired a second ago. */
export const EXPIRED_MS = -1_000;

/** Advances the clock until the access token has `leftMs` milliseconds left. */
export function ageToken({ auth, platform, advance }: Tab, leftMs: number): void {
  const { session } = auth.getSnapshot();
  if (!session) throw new Error('No user is signed in');
  advance(session.expiresAtMs - platform.clock.now() - leftMs);
}
