import { requireCaller } from './authentication.ts';
import type { Call } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { type AuthContext, inTransaction } from '../context.ts';
import { invalid } from '../http/errors.ts';
import { deleteSessions } from '../rows/session.ts';

/** POST /logout?scope=global|local|others: 204. */
export async function logout(context: AuthContext, call: Call): Promise<Response> {
  const { user, session } = await requireCaller(context, call);
  const scope = call.url.searchParams.get('scope') || 'global';
  if (!['global', 'local', 'others'].includes(scope))
    throw invalid(`Unsupported logout scope ${JSON.stringify(scope)}`);
  await inTransaction(context, async ({ sql }) => {
    await recordAudit(context, sql, user, 'logout');
    if (session !== null && scope === 'local') return deleteSessions(sql, { id: session.id });
    return deleteSessions(sql, { userId: user.id, exceptId: scope === 'others' ? session?.id : undefined });
  });
  return new Response(null, { status: 204 });
}
