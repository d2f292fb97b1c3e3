import type { HttpRule } from '../runtime/response-rules.ts';

/** `gone`: the subscription has ended. `held`: the message waits, and no attempt counts. `refused`: no attempt can succeed. */
export type PushVerdict = 'sent' | 'gone' | 'held' | 'refused';

/**
 * Classifies the responses of push services. A refused key is not the device's fault: it may be the operator's mistake, and
 * the device subscribes again with the key of its page.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8030#section-5 and #section-7.3
 * @see https://www.rfc-editor.org/rfc/rfc8292#section-4.2
 */
export const pushRules: readonly HttpRule<PushVerdict>[] = [
  { status: '2xx', body: null, verdict: 'sent', meaning: 'accepted (RFC 8030, 5)' },
  { status: '404 410', body: null, verdict: 'gone', meaning: 'the subscription has ended (RFC 8030, 7.3)' },
  {
    status: '401 403',
    body: null,
    verdict: 'held',
    meaning:
      'the key or its signature is not that of the subscription (RFC 8292, 4.2; `VapidPkHashMismatch`, `BadJwtToken` of Apple)',
  },
  {
    status: '400',
    body: /vapid|jwt|UnauthorizedRegistration|credential/i,
    verdict: 'held',
    meaning: 'the same, as Apple and Google say it',
  },
  {
    status: '408 429 5xx',
    body: null,
    verdict: 'held',
    meaning: 'too many requests, or an outage (RFC 8030, 8.4)',
  },
  {
    status: 'xxx',
    body: null,
    verdict: 'refused',
    meaning: 'the message is not accepted: too large (413), malformed (400)',
  },
];
