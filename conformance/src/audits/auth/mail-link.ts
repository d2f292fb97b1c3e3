import { assert } from '../../target/assertion.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NoMailError } from '../../target/mailbox.ts';
import { assertStatus, type WireResponse } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';

/** Opens the link of the next mail to an address as a browser does, and returns the target of the redirect. */
export async function openMailLink(context: AuditContext, email: string): Promise<string> {
  const mail = await context.mail(email);
  const link = mail.links.find((candidate) => candidate.includes('/verify?'));
  assert.ok(link, 'the mail has a link to /verify');
  const opened = await context.auth.send('GET', link);
  assertStatus(opened, 303);
  return opened.headers.get('location') ?? '';
}

/**
 * Waits for a mail to the former address of a change. It is sent only if the project requires both confirmations, which
 * /settings does not reveal.
 */
export async function toFormerAddress<T>(mail: Promise<T>): Promise<T> {
  try {
    return await mail;
  } catch (problem) {
    if (!(problem instanceof NoMailError)) throw problem;
    throw new NotRunError('the former address gets no mail: the new one alone confirms a change');
  }
}

/** Generates a link as an administrator, instead of a mail. */
export const generateLink = ({ admin }: AuditContext, body: object): Promise<WireResponse> =>
  admin('POST', '/generate_link', body);

/** Verifies the token of a link or a code. */
export const verifyToken = ({ auth }: AuditContext, body: object): Promise<WireResponse> =>
  auth.send('POST', '/verify', { body });
