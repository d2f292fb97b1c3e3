import type { Call } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { notFound } from '../http/errors.ts';
import { isUuid } from '../rows/rows.ts';
import { type Factor, findFactor } from '../rows/factor.ts';

/** Returns the factor of the path, which must belong to `userId`. Throws 404 mfa_factor_not_found, validation_failed. */
export async function requireFactor(context: AuthContext, call: Call, userId: string): Promise<Factor> {
  const id = call.param('factor_id');
  if (!isUuid(id)) throw notFound('validation_failed', 'factor_id must be an UUID');
  const factor = await findFactor(context.database, userId, id);
  if (factor === undefined) throw notFound('mfa_factor_not_found', 'Factor not found');
  return factor;
}
