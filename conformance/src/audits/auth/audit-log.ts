import { assert } from '../../target/assertion.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at } from '../../target/wire.ts';

/** The entries that a search of the audit log finds, newest first. @throws NotRunError if the project has no log. */
export async function searchAuditLog({ admin }: AuditContext, query: string): Promise<readonly unknown[]> {
  const found = await admin('GET', `/audit?query=${encodeURIComponent(query)}`);
  assertStatus(found, 200);
  const entries = found.json as readonly unknown[];
  if (entries.length > 0) return entries;
  const all = await admin('GET', '/audit?per_page=1');
  if (at(all.json, 'length') === 0) throw new NotRunError('the audit log is disabled');
  return assert.fail(`the audit log has an entry for ${query}`, 'none');
}
