import { type Caller, requireCaller } from '../http/authentication.ts';
import type { Call } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { isUuid } from '../rows.ts';
import { type Factor, findFactor } from './factor.ts';

/** Returns the caller's user, which must not be anonymous. Throws 403 no_authorization. */
export async function requireFactorCaller(context: AuthContext, call: Call): Promise<Caller> {
  const caller = await requireCaller(context, call);
  if (caller.claims['is_anonymous'] === true)
    throw forbidden('no_authorization', 'Anonymous user not allowed to perform these actions');
  return caller;
}

/** Returns the factor that the path names; it must belong to `userId`. Throws 404 mfa_factor_not_found, validation_failed. */
export async function requireFactor(context: AuthContext, call: Call, userId: string): Promise<Factor> {
  const id = call.params['factor_id'] ?? '';
  if (!isUuid(id)) throw notFound('validation_failed', 'factor_id must be an UUID');
  const factor = await findFactor(context.database, userId, id);
  if (factor === undefined) throw notFound('mfa_factor_not_found', 'Factor not found');
  return factor;
}
