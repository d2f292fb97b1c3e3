import { findHttpRule, readRetryAfterMs } from '../runtime/response-rules.ts';
import { requireSetting } from '../runtime/runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailTransport } from './mail-transport.ts';
import { resendRules } from './resend-responses.ts';

const timeoutMs = 20_000;
/** How long the other mails wait while the provider cannot be reached or does not accept the key. */
const unavailableMs = 60_000;

/**
 * Sends by the HTTP interface of Resend: RESEND_API_KEY, and RESEND_URL for another server of the same interface.
 *
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export function createResendTransport({ env, fetch, now }: Runtime): MailTransport {
  const key = requireSetting(env, 'RESEND_API_KEY');
  const url = env['RESEND_URL'] || 'https://api.resend.com';
  return {
    async send({ id, messageId, from, to, subject, html, text, headers }) {
      const request = {
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
        body: JSON.stringify(request),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((problem: unknown) => {
        throw new MailTransportError('The provider cannot be reached', 'unavailable', {
          cause: problem,
          retryAfterMs: unavailableMs,
        });
      });
      const body = await response.text();
      const { verdict, waitMs = 0 } = findHttpRule(resendRules, response.status, body);
      if (verdict === 'accepted') return;
      throw new MailTransportError(
        `The provider responded ${response.status}: ${body.slice(0, 300)}`,
        verdict,
        {
          retryAfterMs:
            readRetryAfterMs(response.headers, now()) ||
            waitMs ||
            (verdict === 'unavailable' ? unavailableMs : 0),
        },
      );
    },
    close() {},
  };
}
