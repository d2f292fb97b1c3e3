import { parsePhone } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { deleteFactor, encodeFactor, type Factor, lowerSessionsOfFactor } from '../rows/factor.ts';
import { requireFactor } from '../factors/factor-caller.ts';
import { updateRow } from '../rows/rows.ts';
import { requireUserAsAdmin } from './users.ts';

export async function listFactorsAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireUserAsAdmin(context, call);
  return sendJson(
    call,
    user.factors.map((factor) => encodeFactor(factor)),
  );
}

/** PUT /admin/users/:user_id/factors/:factor_id: `{friendly_name?, phone?}`. */
export async function updateFactorAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const { user, admin } = await requireUserAsAdmin(context, call);
  const factor = await requireFactor(context, call, user.id);
  const body = await call.json();
  const [friendlyName, phone] = [readText(body, 'friendly_name'), readText(body, 'phone')];
  const changes = {
    ...(friendlyName !== '' && { friendly_name: friendlyName }),
    ...(phone !== '' && factor.factor_type === 'phone' && { phone: parsePhone(phone) }),
    updated_at: nowDate(context),
  };
  const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type };
  const updated = await inTransaction(context, async ({ sql }) => {
    await recordAudit(context, sql, admin, 'factor_updated', { traits });
    return updateRow<Factor>(sql, 'auth.mfa_factors', factor.id, changes);
  });
  return sendJson(call, encodeFactor(updated));
}

export async function deleteFactorAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireUserAsAdmin(context, call);
  const factor = await requireFactor(context, call, user.id);
  const traits = { user_id: user.id, factor_id: factor.id };
  await inTransaction(context, async ({ sql }) => {
    await recordAudit(context, sql, user, 'factor_deleted', { traits, ip: call.ip });
    await deleteFactor(sql, factor.id);
    await lowerSessionsOfFactor(sql, factor);
  });
  return sendJson(call, encodeFactor(factor));
}
