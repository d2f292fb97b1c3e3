import { createHttp } from '../platform/http.ts';
import type { Platform } from '../platform/platform.ts';
import { peekClaims } from './base64url.ts';
import { type CodeChallenge, type Endpoint, token } from './endpoints.ts';
import { AuthError } from './errors.ts';
import { challengeOf, createVerifier } from './pkce.ts';
import { type SessionWire, parseSession, parseUser } from './responses.ts';
import { type Refresher, createRefresher } from './refresher.ts';
import { type CallOptions, type Parse, type Send, createSend } from './request.ts';
import { type SessionKeeper, createSessionKeeper } from './session-keeper.ts';
import type { Store } from './store.ts';
import { type Slots, addFlow } from './verifier-slots.ts';

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
  /** A call as the user who is signed in. @throws {AuthError} `missing-session` if nobody is. */
  request<T>(endpoint: Endpoint, parse: Parse<T>, options?: CallOptions): Promise<T>;
  /** A session of tokens that came without a user or a lifetime; refreshed if the access token has expired. */
  adopt(accessToken: string, refreshToken: string, options?: CallOptions): Promise<SessionWire>;
  /** Begins a PKCE flow: its verifier is stored before its challenge is given out. */
  beginFlow(isRecovery?: boolean): Promise<CodeChallenge>;
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
  const { storageKey = `sb-${checkUrl(options).hostname.split('.')[0]}-auth-token` } = options;
  const baseUrl = `${options.url.replace(/\/+$/, '')}/auth/v1`;
  const keeper = createSessionKeeper(platform, store, storageKey);
  const send = createSend(createHttp(platform), baseUrl, apiKey);
  const refresher = createRefresher(platform, keeper, send, storageKey);
  const slots = { store: keeper.store, key: storageKey };
  return {
    platform,
    baseUrl,
    keeper,
    refresher,
    slots,
    ready,
    send,
    async request(endpoint, parse, call) {
      await ready();
      const need = async (rejected?: string) => {
        const accessToken = await refresher.accessToken(rejected);
        if (accessToken) return accessToken;
        throw new AuthError('missing-session', 'Nobody is signed in');
      };
      const accessToken = await need();
      try {
        return await send(endpoint, parse, { ...call, accessToken });
      } catch (problem) {
        const refused = problem instanceof AuthError && rejections.has(problem.code);
        if (!refused) throw problem;
        // The server knows better than our clock whether the token or its session lives.
        const next = await refresher.accessToken(accessToken);
        if (!next || next === accessToken) throw problem;
        return await send(endpoint, parse, { ...call, accessToken: next });
      }
    },
    async adopt(accessToken, refreshToken, call) {
      try {
        const user = await send({ method: 'GET', path: '/user' }, parseUser, { ...call, accessToken });
        const expiresAt = Number(peekClaims(accessToken)?.['exp']) || undefined;
        const expires_in = expiresAt && Math.max(0, expiresAt - platform.clock.now() / 1000);
        return {
          access_token: accessToken,
          refresh_token: refreshToken,
          expires_at: expiresAt,
          expires_in,
          user,
        };
      } catch (problem) {
        if (!(problem instanceof AuthError && problem.code === 'bad_jwt')) throw problem;
        return send(token('refresh_token', { refresh_token: refreshToken }), parseSession, call);
      }
    },
    async beginFlow(isRecovery = false) {
      const verifier = createVerifier(platform.random);
      const id = Array.from(platform.random.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
      await addFlow(slots, { verifier, isRecovery }, id);
      return challengeOf(verifier, platform.sha256);
    },
  };
}

/** Refusals of an access token, as opposed to what it may do. */
const rejections: ReadonlySet<string> = new Set(['bad_jwt', 'session_not_found']);

function checkUrl(options: CoreOptions): URL {
  for (const name of ['url', 'apiKey'] as const) {
    if (options[name]) continue;
    throw new AuthError('configuration-incomplete', `Supabase configuration incomplete: ${name} is not set`);
  }
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new AuthError(
    'configuration-incomplete',
    'Supabase configuration incomplete: url must be http or https',
  );
}
