import type { HttpRule } from '../runtime/response-rules.ts';
import type { MailRefusal } from './mail-transport.ts';

const minuteMs = 60_000;

/**
 * Classifies the responses of Resend to a mail. Only a response about this mail or its address counts as an attempt or makes the mail a dead letter.
 *
 * @see https://resend.com/docs/api-reference/errors
 */
export const resendRules: readonly HttpRule<MailRefusal | 'accepted'>[] = [
  { status: '2xx', body: null, verdict: 'accepted', meaning: 'accepted' },
  {
    status: '409',
    body: /invalid_idempotent_request/,
    verdict: 'accepted',
    meaning: 'an earlier attempt with this key was accepted, with other content',
  },
  {
    status: '409',
    body: null,
    verdict: 'held',
    meaning: 'an attempt with this key is in progress',
  },
  {
    status: '400 422',
    body: /api.?key|[`'"]from[`'"]|invalid_from_address|not verified/i,
    verdict: 'unavailable',
    meaning: 'the key, the sender or its domain is not accepted',
  },
  {
    status: '400 413 422',
    body: null,
    verdict: 'refused',
    meaning: 'a field of this mail is not accepted, or it is too large',
  },
  {
    status: '401 403',
    body: null,
    verdict: 'unavailable',
    meaning: 'the key is not valid, the domain is not verified, or the account is restricted',
  },
  {
    status: '404 405',
    body: null,
    verdict: 'unavailable',
    meaning: 'RESEND_URL is not an address of this interface',
  },
  {
    status: '429',
    body: /quota/i,
    verdict: 'unavailable',
    waitMs: 15 * minuteMs,
    meaning: 'the quota of the day or the month is used up',
  },
  {
    status: '429',
    body: null,
    verdict: 'unavailable',
    waitMs: 1000,
    meaning: 'too many requests a second',
  },
  {
    status: '451 500',
    body: null,
    verdict: 'held',
    meaning: 'a fault of the provider at this request, which may be an outage',
  },
  { status: '408 5xx', body: null, verdict: 'unavailable', meaning: 'an outage' },
  { status: 'xxx', body: null, verdict: 'held', meaning: 'not in the reference' },
];
