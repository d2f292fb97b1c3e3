import { createAuditContext } from '../audit/audit-context.ts';
import { isOfAudits } from '../target/run.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { assertStatus, at } from '../target/wire.ts';

const usersAtOnce = 200;
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|host\.docker\.internal)$/;

/**
 * Why a project may have real users, or null. The audits create users, rows and mails, and some change
 * existing data.
 */
export async function findForeignUsers(target: ConformanceTarget): Promise<string | null> {
  if (target.serviceKey === null) {
    if (loopback.test(new URL(target.authUrl).hostname)) return null;
    return 'without --service-key nobody can tell whether the project has users that no audit created';
  }
  const { admin } = createAuditContext(target);
  const response = await admin('GET', `/users?page=1&per_page=${usersAtOnce}`);
  assertStatus(response, 200);
  const users = at(response.json, 'users');
  const foreign = (Array.isArray(users) ? (users as readonly unknown[]) : []).filter(
    (user) => !isOfAudits(user),
  );
  if (foreign.length === 0) return null;
  return `the project has users that no audit created, among them ${String(at(foreign[0], 'id'))}`;
}
