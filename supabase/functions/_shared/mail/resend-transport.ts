import { requireSetting } from '../runtime/runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailTransport } from './mail-transport.ts';

const timeoutMs = 20_000;

/**
 * Sends by the HTTP interface of Resend: RESEND_API_KEY, and RESEND_URL for another server of the same interface.
 *
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export function createResendTransport({ env, fetch }: Pick<Runtime, 'env' | 'fetch'>): MailTransport {
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
        throw new MailTransportError('The provider cannot be reached', false, problem);
      });
      const answer = await response.text();
      if (response.ok || isEarlierAttempt(response.status, answer)) return;
      throw new MailTransportError(
        `The provider answered ${response.status}: ${answer.slice(0, 300)}`,
        false,
      );
    },
    close() {},
  };
}

/** The provider accepted this key before, with the content of an earlier attempt: the mail was sent. */
function isEarlierAttempt(status: number, answer: string): boolean {
  return status === 409 && answer.includes('invalid_idempotent_request');
}
