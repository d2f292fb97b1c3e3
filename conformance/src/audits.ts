import { type Audit, serviceOf, setOf } from './audit.ts';
import { clientLinkAudits } from './auth-client/links.audits.ts';
import { clientRefreshAudits } from './auth-client/refresh.audits.ts';
import { clientSignInAudits } from './auth-client/sign-in.audits.ts';
import { clientSignOutAudits } from './auth-client/sign-out.audits.ts';
import { clientTokenAudits } from './auth-client/tokens.audits.ts';
import { clientWireAudits } from './auth-client/wire.audits.ts';
import { adminAudits } from './auth/admin.audits.ts';
import { authEdgeAudits } from './auth/edges.audits.ts';
import { factorAudits } from './auth/factors.audits.ts';
import { flowAudits } from './auth/flows.audits.ts';
import { identityAudits } from './auth/identities.audits.ts';
import { oneTimeAudits } from './auth/one-time.audits.ts';
import { passkeyAudits } from './auth/passkeys.audits.ts';
import { pkceAudits } from './auth/pkce.audits.ts';
import { serviceAudits } from './auth/service.audits.ts';
import { signUpAudits } from './auth/sign-up.audits.ts';
import { tokenAudits } from './auth/token.audits.ts';
import { userAudits } from './auth/user.audits.ts';
import { clientFilterAudits } from './rest-client/filters.audits.ts';
import { clientReadingAudits } from './rest-client/reading.audits.ts';
import { clientRefusalAudits } from './rest-client/refusals.audits.ts';
import { clientWritingAudits } from './rest-client/writing.audits.ts';
import { clientFunctionAudits } from './functions-client/functions.audits.ts';
import { clientChangeAudits } from './realtime-client/changes.audits.ts';
import { clientChannelAudits } from './realtime-client/channels.audits.ts';
import { clientFeatureAudits } from './realtime-client/features.audits.ts';
import { clientFlowAudits } from './realtime-client/flow.audits.ts';
import { clientReplayAudits } from './realtime-client/replay.audits.ts';
import { clientStorageAudits } from './storage-client/storage.audits.ts';
import { realtimeChangeAudits } from './realtime/changes.audits.ts';
import { realtimeChannelAudits } from './realtime/channels.audits.ts';
import { realtimeBindingAudits } from './realtime/bindings.audits.ts';
import { realtimeBroadcastAudits } from './realtime/broadcast.audits.ts';
import { realtimeFilterAudits } from './realtime/change-filters.audits.ts';
import { realtimeDatabaseAudits } from './realtime/database-broadcasts.audits.ts';
import { realtimePresenceAudits } from './realtime/presence.audits.ts';
import { restRefusalAudits } from './rest/refused-queries.audits.ts';
import { realtimeAudits } from './realtime/realtime.audits.ts';
import { realtimeRuleAudits } from './realtime/rules.audits.ts';
import { restAccessAudits } from './rest/access.audits.ts';
import { restChangingAudits } from './rest/changing.audits.ts';
import { restCombinedFilterAudits } from './rest/combined-filters.audits.ts';
import { restFilterAudits } from './rest/filters.audits.ts';
import { restFunctionAudits } from './rest/functions.audits.ts';
import { restInsertingAudits } from './rest/inserting.audits.ts';
import { restProductAudits } from './rest/product.audits.ts';
import { restReadingAudits } from './rest/reading.audits.ts';
import { restRollbackAudits } from './rest/rollbacks.audits.ts';
import { restValueAudits } from './rest/values.audits.ts';
import { restAudits } from './rest/rest.audits.ts';
import { storageAudits } from './storage/storage.audits.ts';

/** Audits of a server, over plain HTTP and WebSocket. */
const serverAudits: readonly Audit[] = [
  ...serviceAudits,
  ...signUpAudits,
  ...tokenAudits,
  ...pkceAudits,
  ...oneTimeAudits,
  ...userAudits,
  ...factorAudits,
  ...passkeyAudits,
  ...identityAudits,
  ...adminAudits,
  ...flowAudits,
  ...authEdgeAudits,
  ...restAudits,
  ...restProductAudits,
  ...restAccessAudits,
  ...restFilterAudits,
  ...restRefusalAudits,
  ...restReadingAudits,
  ...restInsertingAudits,
  ...restChangingAudits,
  ...restFunctionAudits,
  ...restCombinedFilterAudits,
  ...restValueAudits,
  ...restRollbackAudits,
  ...realtimeAudits,
  ...realtimeChangeAudits,
  ...realtimeFilterAudits,
  ...realtimeBindingAudits,
  ...realtimeChannelAudits,
  ...realtimeBroadcastAudits,
  ...realtimeRuleAudits,
  ...realtimeDatabaseAudits,
  ...realtimePresenceAudits,
  ...storageAudits,
];

/** Audits of our clients, over a recorded network. */
const clientAudits: readonly Audit[] = [
  ...clientSignInAudits,
  ...clientWireAudits,
  ...clientRefreshAudits,
  ...clientSignOutAudits,
  ...clientLinkAudits,
  ...clientTokenAudits,
  ...clientFilterAudits,
  ...clientReadingAudits,
  ...clientWritingAudits,
  ...clientRefusalAudits,
  ...clientChangeAudits,
  ...clientChannelAudits,
  ...clientFeatureAudits,
  ...clientReplayAudits,
  ...clientFlowAudits,
  ...clientStorageAudits,
  ...clientFunctionAudits,
];

/** Every audit, in the order in which they are reported. */
export const audits: readonly Audit[] = [...serverAudits, ...clientAudits];

/**
 * The audits of a set, of a service, or of both, or some by their ids.
 *
 * @param only a service (both of its areas, `auth` and `auth-client`), an area, or ids of audits, separated by commas.
 * @throws {Error} if there are none.
 */
export function chooseAudits({
  only,
  set,
}: {
  readonly only?: string | undefined;
  readonly set?: string | undefined;
}): readonly Audit[] {
  const chosen = audits.filter(
    ({ area, id }) =>
      (only === undefined || area === only || serviceOf(area) === only || only.split(',').includes(id)) &&
      (set === undefined || setOf(area) === set),
  );
  if (chosen.length > 0) return chosen;
  const areas = [...new Set(audits.map(({ area }) => area))];
  throw new Error(`There are no such audits. Areas: ${areas.join(', ')}; sets: server, client`);
}
