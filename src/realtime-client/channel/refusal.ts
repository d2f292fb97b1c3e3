import type { RealtimeErrorCode } from '../errors.ts';

/**
 * What to do about a refusal: get another `token`; `retry` with growing waits; retry `later` because a rate limit
 * was reached; or stop with an error.
 */
export type Refusal = 'token' | 'retry' | 'later' | 'unauthorized' | 'subscription_refused';

/**
 * Classifies the reason of a refused join, or the message of a `system` error. The server gives them as text only.
 *
 * @param ofSubscription whether the reason is about the subscription to changes, which the server does not try again.
 */
export function classifyRefusal(reason: string, ofSubscription: boolean): Refusal {
  // These two quote names, of the binding or the channel, which must not be taken for reasons.
  if (ofSubscription && /^unable to subscribe/i.test(reason)) return 'subscription_refused';
  if (/^(unauthorized|privateonly)/i.test(reason)) return 'unauthorized';
  if (/RateLimit|too many/i.test(reason)) return 'later';
  if (/expired|jwt|signature|fields .*missing|token/i.test(reason)) return 'token';
  if (/permission|not authorized/i.test(reason)) return 'unauthorized';
  if (ofSubscription && !/initializ|restart|connect|timeout|timed out/i.test(reason))
    return 'subscription_refused';
  return 'retry';
}

/** Whether a token, once there is a new one, may lift the error. */
export function isCuredByToken(code: RealtimeErrorCode): boolean {
  return code === 'signed_out' || code === 'token_rejected' || code === 'unauthorized';
}
