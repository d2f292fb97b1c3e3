import { createTransport } from 'nodemailer';
import { messageOf } from '../runtime/failure-log.ts';
import { requireSetting } from '../runtime/runtime.ts';
import type { Environment } from '../runtime/runtime.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailRefusal, MailTransport } from './mail-transport.ts';
import { judgeSmtpResponse } from './smtp-responses.ts';
import type { SmtpStage } from './smtp-responses.ts';

/** Port of SMTP over TLS from the first byte (RFC 8314). */
const implicitTlsPort = 465;
/** Functions of a hosted project cannot connect to these ports. */
const blockedPorts: ReadonlySet<number> = new Set([25, 587]);
const timeoutMs = 20_000;
/** How long the other mails wait while the server accepts none. */
const unavailableMs = 60_000;

/** The fields of nodemailer's errors. `response` begins with the reply code, and is missing where the server sent none. */
interface SmtpProblem {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/**
 * Sends by SMTP: SMTP_HOST, SMTP_PORT (default 465; 2525 where the server has it), SMTP_USER and SMTP_PASS where the server
 * requires credentials.
 */
export function createSmtpTransport(env: Environment): MailTransport {
  const port = Number(env['SMTP_PORT'] || implicitTlsPort);
  const user = env['SMTP_USER'];
  const smtp = createTransport({
    host: requireSetting(env, 'SMTP_HOST'),
    port,
    secure: port === implicitTlsPort,
    pool: true,
    maxConnections: 5,
    // Only for a connection that the server closed while it was idle.
    maxRequeues: 1,
    // Until the server has greeted.
    connectionTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    ...(user && { auth: { user, pass: requireSetting(env, 'SMTP_PASS') } }),
  });
  return {
    async send({ messageId, from, to, subject, html, text, headers }) {
      try {
        await smtp.sendMail({ messageId, from, to: { ...to }, subject, html, text, headers: { ...headers } });
      } catch (problem) {
        const message = messageOf(problem);
        const refusal = await readRefusal(smtp, problem as SmtpProblem);
        throw new MailTransportError(
          refusal === 'unavailable' ? message + adviceFor(port) : message,
          refusal,
          { cause: problem, ...(refusal === 'unavailable' && { retryAfterMs: unavailableMs }) },
        );
      }
    },
    close: () => smtp.close(),
  };
}

function adviceFor(port: number): string {
  return blockedPorts.has(port)
    ? ` (functions of a hosted project reach neither port 25 nor 587: set SMTP_PORT to 465 or 2525)`
    : '';
}

async function readRefusal(
  smtp: { verify(): Promise<unknown> },
  { code, command = '', response, responseCode }: SmtpProblem,
): Promise<MailRefusal> {
  if (responseCode !== undefined)
    return judgeSmtpResponse(stageOf(command), response ?? String(responseCode));
  // Refused by nodemailer itself: an address that no envelope can have.
  if (code === 'EENVELOPE') return 'refused';
  // A server that closes the connection at this mail, but accepts others, has not refused the mail.
  return smtp.verify().then(
    () => 'held',
    () => 'unavailable',
  );
}

function stageOf(command: string): SmtpStage {
  if (command === 'MAIL FROM') return 'MAIL';
  if (command === 'RCPT TO') return 'RCPT';
  return command === 'DATA' ? 'DATA' : 'session';
}
