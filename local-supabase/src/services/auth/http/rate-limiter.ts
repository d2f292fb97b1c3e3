import { tooManyRequests } from './errors.ts';
import { type RateLimits, defaultRateLimits } from '../settings.ts';

const fiveMinutesMs = 300_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
const usualBurst = 30;

/** The names of the limits; each counts by address. */
export type RateLimitName =
  | 'token'
  | 'verify'
  | 'otp'
  | 'recover'
  | 'resend'
  | 'magiclink'
  | 'signup'
  | 'user'
  | 'sso'
  | 'web3'
  | 'anonymous'
  | 'factor_challenge'
  | 'factor_verify'
  | 'passkeys'
  | 'oauth_client_register';

interface Rule {
  readonly events: number;
  readonly windowMs: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export interface RateLimiter {
  /** Counts one request from `address`. Throws 429 over_request_rate_limit above the limit. */
  count(name: RateLimitName, address: string): void;
  /** Counts one message of the whole project. Returns false above the hourly limit. */
  allowMessage(kind: 'email' | 'sms'): boolean;
  /** Evicts addresses without a request for an hour. */
  sweep(): void;
}

function ruleOf(name: RateLimitName, limits: RateLimits): Rule {
  const perFiveMinutes = (events: number): Rule => ({ events, windowMs: fiveMinutesMs, burst: usualBurst });
  switch (name) {
    case 'token':
      return perFiveMinutes(limits.tokenRefresh);
    case 'verify':
      return perFiveMinutes(limits.verify);
    case 'sso':
      return perFiveMinutes(limits.sso);
    case 'web3':
      return perFiveMinutes(limits.web3);
    case 'passkeys':
      return perFiveMinutes(limits.passkeys);
    case 'oauth_client_register':
      return perFiveMinutes(limits.oauthClientRegister);
    case 'anonymous':
      return { events: limits.anonymousUsers, windowMs: hourMs, burst: limits.anonymousUsers };
    case 'factor_challenge':
    case 'factor_verify':
      return { events: limits.factors, windowMs: minuteMs, burst: usualBurst };
    case 'otp':
    case 'recover':
    case 'resend':
    case 'magiclink':
    case 'signup':
    case 'user':
      return perFiveMinutes(limits.otp);
  }
}

function createHourlyCounter(now: () => number): (events: number) => boolean {
  let startedAtMs = now();
  let count = 0;
  return (events) => {
    const hours = Math.floor((now() - startedAtMs) / hourMs);
    if (hours > 0) {
      startedAtMs += hours * hourMs;
      count = 0;
    }
    if (count >= events) return false;
    count += 1;
    return true;
  };
}

/** Limits requests by token buckets and messages by the hour; null for `chosen` disables every limit. */
export function createRateLimiter(chosen: Partial<RateLimits> | null, now: () => number): RateLimiter {
  const limits = { ...defaultRateLimits, ...chosen };
  const buckets = new Map<string, Bucket>();
  const counters = { email: createHourlyCounter(now), sms: createHourlyCounter(now) };
  return {
    count(name, address) {
      if (chosen === null) return;
      const { events, windowMs, burst } = ruleOf(name, limits);
      const key = `${name} ${address}`;
      const bucket = buckets.get(key) ?? { tokens: burst, atMs: now() };
      const refilled = bucket.tokens + ((now() - bucket.atMs) * events) / windowMs;
      bucket.tokens = Math.min(burst, refilled);
      bucket.atMs = now();
      buckets.set(key, bucket);
      if (bucket.tokens < 1) throw tooManyRequests('over_request_rate_limit', 'Request rate limit reached');
      bucket.tokens -= 1;
    },
    allowMessage: (kind) =>
      chosen === null || counters[kind](kind === 'email' ? limits.emailSent : limits.smsSent),
    sweep() {
      for (const [key, bucket] of buckets) if (now() - bucket.atMs > hourMs) buckets.delete(key);
    },
  };
}
