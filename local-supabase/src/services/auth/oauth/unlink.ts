import { audienceOf, audiencesOf, requireCaller } from '../sessions/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { forbidden, notFound, unprocessable } from '../http/errors.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { deleteIdentity } from '../rows/identity.ts';
import { loadUser, refreshProviders, updateUser } from '../rows/users.ts';
import { isUuid } from '../rows/rows.ts';
import { adoptEmailOfIdentities } from './primary-email.ts';

const emailConflict = (): Error =>
  unprocessable('email_conflict_identity_not_deletable', 'Unable to unlink identity due to email conflict');

export async function unlinkIdentity(context: AuthContext, call: Call): Promise<Response> {
  const { user, claims } = await requireCaller(context, call);
  if (!context.settings.manualLinkingEnabled)
    throw notFound('manual_linking_disabled', 'Manual linking is disabled');
  const id = call.param('identity_id');
  if (!isUuid(id)) throw notFound('validation_failed', 'identity_id must be an UUID');
  if (audiencesOf(claims)[0] !== audienceOf(context, call, claims))
    throw forbidden('unexpected_audience', "Token audience doesn't match request audience");
  if (user.identities.length <= 1)
    throw unprocessable(
      'single_identity_not_deletable',
      'User must have at least 1 identity after unlinking',
    );
  const identity = user.identities.find((candidate) => candidate.id === id);
  if (identity === undefined) throw unprocessable('identity_not_found', "Identity doesn't exist");
  await inTransaction(context, async (tx) => {
    const now = nowDate(context);
    const { provider, provider_id } = identity;
    const traits = { identity_id: id, provider, provider_id };
    await recordAudit(context, tx.sql, user, 'identity_unlinked', { traits, ip: call.ip });
    await deleteIdentity(tx.sql, id);
    const rest = await loadUser(tx.sql, user.id);
    const changed =
      identity.provider === 'phone'
        ? await updateUser(tx.sql, now, rest, { phone: null, phone_confirmed_at: null })
        : await adoptEmailOfIdentities(context, tx, rest, emailConflict);
    await refreshProviders(tx.sql, now, changed);
  });
  // The change of identities may have changed the account's address; notify the former one.
  await notifyOfChange(context, call, { change: 'identity_unlinked', user, provider: identity.provider });
  return sendJson(call, {});
}
