import { createTransport } from 'nodemailer';
import { requireSetting } from '../runtime/runtime.ts';
import type { Environment } from '../runtime/runtime.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailRefusal, MailTransport } from './mail-transport.ts';

/** Port of SMTP over TLS from the first byte (RFC 8314). */
const implicitTlsPort = 465;
/** Functions of a hosted project cannot connect to these ports. */
const blockedPorts: ReadonlySet<number> = new Set([25, 587]);
const timeoutMs = 20_000;
/** Answers to RCPT TO that say that the mailbox does not exist (RFC 5321, section 4.2.3). */
const unknownMailboxCodes = new Set([550, 551, 553]);

/** How long the other mails wait while the server takes none. */
const unavailableMs = 60_000;

interface SmtpProblem {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** Sends by SMTP: SMTP_HOST, SMTP_PORT (default 465; 2525 where the server has it), SMTP_USER and SMTP_PASS where the server wants credentials. */
export function createSmtpTransport(env: Environment): MailTransport {
  const port = Number(env['SMTP_PORT'] ?? implicitTlsPort);
  const user = env['SMTP_USER'];
  const smtp = createTransport({
    host: requireSetting(env, 'SMTP_HOST'),
    port,
    secure: port === implicitTlsPort,
    pool: true,
    maxConnections: 5,
    // Only for a connection that the server closed while it was idle.
    maxRequeues: 1,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    ...(user && { auth: { user, pass: requireSetting(env, 'SMTP_PASS') } }),
  });
  return {
    async send({ messageId, from, to, subject, html, text, headers }) {
      try {
        await smtp.sendMail({ messageId, from, to: { ...to }, subject, html, text, headers: { ...headers } });
      } catch (problem) {
        const message = problem instanceof Error ? problem.message : String(problem);
        if (await isServerGone(smtp, problem as SmtpProblem))
          throw new MailTransportError(message + adviceFor(port), 'unavailable', {
            cause: problem,
            retryAfterMs: unavailableMs,
          });
        throw new MailTransportError(message, readRefusal(problem as SmtpProblem), { cause: problem });
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

/** Whether the server takes no mail at all. A mail at which it closes the connection fails by itself. */
async function isServerGone(
  smtp: { verify(): Promise<unknown> },
  { code, responseCode }: SmtpProblem,
): Promise<boolean> {
  if (responseCode !== undefined && code !== 'EAUTH') return false;
  return smtp.verify().then(
    () => false,
    () => true,
  );
}

/** Other permanent answers are about the account or the connection, and end when an operator acts. */
function readRefusal({ command, responseCode = 0 }: SmtpProblem): MailRefusal {
  if (command === 'RCPT TO' && unknownMailboxCodes.has(responseCode)) return 'unknown-address';
  return command === 'DATA' && responseCode >= 500 ? 'refused' : 'temporary';
}
