import { strict as assert } from 'node:assert';
import type { AuditContext } from '../audit-context.ts';
import { assertStatus } from '../wire.ts';

/** Opens the link of the next mail to an address as a browser does, and returns the target of the redirect. */
export async function openMailLink(context: AuditContext, email: string): Promise<string> {
  const mail = await context.mail(email);
  const link = mail.links.find((candidate) => candidate.includes('/verify?'));
  assert.ok(link, 'the mail has a link to /verify');
  const opened = await context.auth.send('GET', link);
  assertStatus(opened, 303);
  return opened.headers.get('location') ?? '';
}
