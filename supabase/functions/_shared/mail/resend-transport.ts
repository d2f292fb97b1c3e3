import { requireSetting } from '../runtime/runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailRefusal, MailTransport } from './mail-transport.ts';

const timeoutMs = 20_000;
/** How long the other mails wait while the provider cannot be reached or does not accept the key. */
const unavailableMs = 60_000;

/** Other statuses are about the key, the account or the provider, and end when an operator or the provider acts. */
const refusals: ReadonlyMap<number, MailRefusal> = new Map([
  [400, 'refused'],
  [401, 'unavailable'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'unavailable'],
]);

/**
 * Sends by the HTTP interface of Resend: RESEND_API_KEY, and RESEND_URL for another server of the same interface.
 *
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export function createResendTransport({ env, fetch, now }: Runtime): MailTransport {
  const key = requireSetting(env, 'RESEND_API_KEY');
  const url = env['RESEND_URL'] ?? 'https://api.resend.com';
  return {
    async send({ id, messageId, from, to, subject, html, text, headers }) {
      const body = {
        from,
        to: [to.address],
        subject,
        html,
        text,
        headers: { ...headers, 'Message-ID': messageId },
      };
      const response = await fetch(`${url}/emails`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': id,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((problem: unknown) => {
        throw new MailTransportError('The provider cannot be reached', 'unavailable', {
          cause: problem,
          retryAfterMs: unavailableMs,
        });
      });
      const answer = await response.text();
      if (response.ok || isEarlierAttempt(response.status, answer)) return;
      throw new MailTransportError(
        `The provider answered ${response.status}: ${answer.slice(0, 300)}`,
        refusals.get(response.status) ?? 'temporary',
        { retryAfterMs: response.status === 401 ? unavailableMs : readRetryAfterMs(response.headers, now()) },
      );
    },
    close() {},
  };
}

/** The provider accepted this key before, with the content of an earlier attempt: the mail was sent. */
function isEarlierAttempt(status: number, answer: string): boolean {
  return status === 409 && answer.includes('invalid_idempotent_request');
}

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3); 0 without it. */
function readRetryAfterMs(headers: Headers, nowMs: number): number {
  const value = headers.get('retry-after') ?? '';
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Math.max(0, waitMs || 0);
}
