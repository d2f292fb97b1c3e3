import type { FetchFunction } from '../../../src/platform/platform.ts';
import { page, refusal, tokenOf, userOf } from './replies.ts';

/** What happens to the next request that refreshes. */
export type Fate =
  | 'delivered'
  /** The server renews, and its reply never arrives. */
  | 'reply lost'
  | 'not sent'
  | 'busy'
  | 'limited'
  | 'conflict'
  | 'page'
  | 'slow';

interface Family {
  readonly user: string;
  /** Serials of the refresh tokens: the active one, its parent, and those replaced within the reuse interval are accepted. */
  active: number;
  readonly replacedAtMs: Map<number, number>;
  ended: boolean;
}

export interface RefreshAttempt {
  readonly tab: number;
  readonly refreshToken: string;
  /** Whether a renewal reached the client. */
  delivered: boolean;
  inFlight: boolean;
  /** The tab crashed before the reply: the next tab may send the token again. */
  abandoned: boolean;
  /** The tab lost its lock before the reply: the next holder may send the token again. */
  hasLostLock: boolean;
}

/** The server's rules for refresh tokens (conformance/protocol/auth.md#refresh-rules), and a network that a schedule commands. */
export interface TokenServer {
  fetchFor(tab: number): FetchFunction;
  /** Fates of the next refreshes; afterwards all get a response. */
  readonly fates: Fate[];
  /** Ends the session of the user who signed in last, as an administrator does. */
  revoke(): void;
  /** The family of tokens that the server still accepts; null: none. */
  readonly current: Family | null;
  readonly attempts: readonly RefreshAttempt[];
  readonly definitiveRefusals: number;
}

export const LIFETIME_SECONDS = 300;
const REUSE_INTERVAL_MS = 10_000;

export function createTokenServer(delay: (ms: number) => Promise<void>, nowMs: () => number): TokenServer {
  const families = new Map<number, Family>();
  const attempts: RefreshAttempt[] = [];
  const fates: Fate[] = [];
  let last = 0;
  let definitiveRefusals = 0;

  const reply = (id: number, { user, active }: Family) =>
    Response.json({
      access_token: tokenOf(user, `${id}.${active}`),
      refresh_token: `${id}.${active}`,
      expires_in: LIFETIME_SECONDS,
      expires_at: Math.floor(nowMs() / 1000) + LIFETIME_SECONDS,
      user: userOf(user),
    });
  const refuse = (code: string) => {
    definitiveRefusals += 1;
    return refusal(400, code);
  };
  const renew = (refreshToken: string) => {
    const [id = 0, serial = 0] = refreshToken.split('.').map(Number);
    const family = families.get(id);
    if (!family || family.ended) return refuse('session_not_found');
    const reusableUntilMs = (family.replacedAtMs.get(serial) ?? 0) + REUSE_INTERVAL_MS;
    if (serial === family.active) {
      family.replacedAtMs.set(serial, nowMs());
      family.active += 1;
    } else if (serial !== family.active - 1 && nowMs() > reusableUntilMs) {
      family.ended = true;
      return refuse('refresh_token_already_used');
    }
    return reply(id, family);
  };
  const refresh = async (attempt: RefreshAttempt): Promise<Response> => {
    switch (fates.shift() ?? 'delivered') {
      case 'not sent':
        throw new TypeError('Failed to fetch');
      case 'busy':
        return refusal(503, 'unexpected_failure');
      case 'limited':
        return refusal(429, 'over_request_rate_limit');
      case 'conflict':
        return refusal(409, 'conflict');
      case 'page':
        return page(502);
      case 'reply lost':
        renew(attempt.refreshToken);
        throw new TypeError('Failed to fetch');
      case 'slow':
        await delay(4_000);
        break;
      case 'delivered':
        await delay(50);
    }
    const response = renew(attempt.refreshToken);
    attempt.delivered = response.ok;
    return response;
  };

  return {
    fates,
    attempts,
    get definitiveRefusals() {
      return definitiveRefusals;
    },
    get current() {
      const family = families.get(last);
      return family && !family.ended ? family : null;
    },
    revoke() {
      const family = families.get(last);
      if (family) family.ended = true;
    },
    fetchFor: (tab) => async (input, init) => {
      const request = new Request(input, init);
      const { pathname, searchParams } = new URL(request.url);
      const body = JSON.parse((await request.text()) || '{}') as { email?: string; refresh_token?: string };
      if (pathname.endsWith('/logout')) return new Response(null, { status: 204 });
      if (searchParams.get('grant_type') === 'password') {
        last += 1;
        const user = String(body.email).split('@')[0] ?? '';
        const family = { user, active: 1, replacedAtMs: new Map(), ended: false };
        families.set(last, family);
        return reply(last, family);
      }
      const attempt = {
        tab,
        refreshToken: String(body.refresh_token),
        delivered: false,
        inFlight: true,
        abandoned: false,
        hasLostLock: false,
      };
      attempts.push(attempt);
      return refresh(attempt).finally(() => (attempt.inFlight = false));
    },
  };
}
