import { type Call, sendJson } from '../http/call.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { internal, unprocessable } from '../http/errors.ts';
import { deleteFactor, lowerSessionsOfFactor } from './factor.ts';
import { requireFactor, requireFactorCaller } from './factor-caller.ts';

/** DELETE /factors/:factor_id: sessions that it had raised fall back to aal1. */
export async function unenrolFactor(context: AuthContext, call: Call): Promise<Response> {
  const { user, session } = await requireFactorCaller(context, call);
  const factor = await requireFactor(context, call, user.id);
  if (session === null) throw internal('A valid session and factor are required to unenroll a factor');
  if (factor.status === 'verified' && session.aal !== 'aal2')
    throw unprocessable('insufficient_aal', 'AAL2 required to unenroll verified factor');
  await inTransaction(context, async ({ sql }) => {
    await deleteFactor(sql, factor.id);
    await lowerSessionsOfFactor(sql, factor);
  });
  return sendJson(call, { id: factor.id });
}
