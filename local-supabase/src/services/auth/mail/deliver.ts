import type { AuthContext } from '../context.ts';
import { internal, tooManyRequests } from '../http/errors.ts';
import { type MailFields, type MailKind, type RenderedMail, renderMail } from './mail-template.ts';

async function render(context: AuthContext, kind: MailKind, fields: MailFields): Promise<RenderedMail> {
  try {
    return renderMail(kind, await context.readTemplate(kind), fields, context.report);
  } catch (cause) {
    throw new Error(`The mail template ${kind} failed`, { cause });
  }
}

/** The local part that mail programs accept (RFC 5322 section 3.2.3); sign-ups allow dots anywhere. */
const hasDotAtom = (address: string): boolean => /^[^.@]+(?:\.[^.@]+)*@/.test(address);

/** Counts a mail. Throws 429 over_email_send_rate_limit. */
export function countMail({ settings, limiter }: AuthContext): void {
  if (!settings.mailerAutoconfirm && !limiter.allowMessage('email'))
    throw tooManyRequests('over_email_send_rate_limit', 'email rate limit exceeded');
}

/**
 * Renders and sends a mail before its transaction commits: as in GoTrue, a mail that cannot be sent rolls back the
 * request. Throws 429 over_email_send_rate_limit, and 500 when the template or the mail server fails.
 */
export async function deliver(
  context: AuthContext,
  kind: MailKind,
  to: string,
  fields: MailFields,
): Promise<void> {
  countMail(context);
  try {
    if (!hasDotAtom(to)) throw new Error('No mail can be sent to this address: a dot is where none may be');
    await context.mailer.send({ to, ...(await render(context, kind, fields)) });
  } catch (error) {
    context.report(error);
    throw internal(`Error sending ${kind.replaceAll('_', ' ')} email`, error);
  }
}
