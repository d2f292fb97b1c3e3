import type { RealtimeErrorCode } from '../errors.ts';

/**
 * The reaction to a refusal: request another `token`; `retry` with backoff; retry `later` because a rate limit was
 * reached; or stop with an error.
 */
export type Refusal = 'token' | 'retry' | 'later' | 'unauthorized' | 'channel-limit' | 'subscription-refused';

/**
 * Classifies the reason of a refused join, or the message of a `system` error. The server sends both as text only.
 *
 * @param ofSubscription whether the reason concerns the subscription to changes, which the server does not retry.
 */
export function classifyRefusal(reason: string, ofSubscription: boolean): Refusal {
  // These two messages quote names of bindings or channels, which must not be matched as reasons.
  if (ofSubscription && /^unable to subscribe/i.test(reason)) return 'subscription-refused';
  if (reason.startsWith('RealtimeDisabledForConfiguration')) return 'subscription-refused';
  if (/^(unauthorized|privateonly)/i.test(reason)) return 'unauthorized';
  if (/^ChannelRateLimitReached/i.test(reason)) return 'channel-limit';
  if (/RateLimit|too many/i.test(reason)) return 'later';
  if (/expired|jwt|signature|fields .*missing|token/i.test(reason)) return 'token';
  if (/permission|not authorized/i.test(reason)) return 'unauthorized';
  if (ofSubscription && !/initializ|restart|connect|timeout|timed out/i.test(reason))
    return 'subscription-refused';
  return 'retry';
}

/** Whether a new token may resolve the error. */
export function isEndedByToken(code: RealtimeErrorCode): boolean {
  return code === 'signed-out' || code === 'token-rejected' || code === 'unauthorized';
}
