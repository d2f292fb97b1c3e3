import type { Audit } from '../audit/audit.ts';
import { accountChangeAudits } from './auth/account-changes.audits.ts';
import { adminProviderAudits } from './auth/admin-providers.audits.ts';
import { adminAudits } from './auth/admin.audits.ts';
import { discoveryAudits } from './auth/discovery.audits.ts';
import { counterTokenAudits } from './auth/counter-tokens.audits.ts';
import { passwordRuleAudits } from './auth/password-rules.audits.ts';
import { authEdgeAudits } from './auth/edges.audits.ts';
import { factorAudits } from './auth/factors.audits.ts';
import { flowAudits } from './auth/flows.audits.ts';
import { generatedLinkAudits } from './auth/generated-links.audits.ts';
import { hookMessageAudits } from './auth/hook-messages.audits.ts';
import { hookTokenAudits } from './auth/hook-tokens.audits.ts';
import { hookAudits } from './auth/hooks.audits.ts';
import { identityAudits } from './auth/identities.audits.ts';
import { linkedIdentityAudits } from './auth/linked-identities.audits.ts';
import { oauthApplicationAudits } from './auth/oauth-applications.audits.ts';
import { oauthGrantAudits } from './auth/oauth-grants.audits.ts';
import { oauthServerAudits } from './auth/oauth-server.audits.ts';
import { oneTimeAudits } from './auth/one-time.audits.ts';
import { passkeyAudits } from './auth/passkeys.audits.ts';
import { pendingFlowAudits } from './auth/pending-flows.audits.ts';
import { phoneFactorAudits } from './auth/phone-factors.audits.ts';
import { pkceAudits } from './auth/pkce.audits.ts';
import { providerAssertionAudits } from './auth/provider-assertions.audits.ts';
import { providerSignInAudits } from './auth/provider-sign-ins.audits.ts';
import { oddRequestAudits } from './auth/odd-requests.audits.ts';
import { memberAudits } from './auth/members.audits.ts';
import { sessionlessAudits } from './auth/sessionless.audits.ts';
import { messageLimitAudits } from './auth/message-limits.audits.ts';
import { rateLimitAudits } from './auth/rate-limits.audits.ts';
import { redirectAudits } from './auth/redirects.audits.ts';
import { immediateConfirmationAudits } from './auth/immediate-confirmation.audits.ts';
import { closedFeatureAudits, sessionEndAudits } from './auth/closed-features.audits.ts';
import { refusalAudits } from './auth/refusals.audits.ts';
import { recoveryCodeAudits } from './auth/recovery-codes.audits.ts';
import { serviceAudits } from './auth/service.audits.ts';
import { singleSignOnAudits } from './auth/single-sign-on.audits.ts';
import { signUpAudits } from './auth/sign-up.audits.ts';
import { tokenAudits } from './auth/token.audits.ts';
import { userTimeAudits } from './auth/user-times.audits.ts';
import { userAudits } from './auth/user.audits.ts';
import { walletAudits } from './auth/wallets.audits.ts';
import { realtimeChangeAudits } from './realtime/changes.audits.ts';
import { realtimeChannelAudits } from './realtime/channels.audits.ts';
import { realtimeFrameAudits } from './realtime/frames.audits.ts';
import { realtimeTokenAudits } from './realtime/tokens.audits.ts';
import { realtimeHttpBroadcastAudits } from './realtime/http-broadcasts.audits.ts';
import { realtimeBindingAudits } from './realtime/bindings.audits.ts';
import { realtimeBroadcastAudits } from './realtime/broadcast.audits.ts';
import { realtimeFilterAudits } from './realtime/change-filters.audits.ts';
import { realtimeDatabaseAudits } from './realtime/database-broadcasts.audits.ts';
import { realtimePrivateAudits } from './realtime/private-channels.audits.ts';
import { realtimePresenceAudits } from './realtime/presence.audits.ts';
import { restRefusalAudits } from './rest/refused-queries.audits.ts';
import { realtimeAudits } from './realtime/realtime.audits.ts';
import { realtimeLimitAudits } from './realtime/limits.audits.ts';
import { realtimeRuleAudits } from './realtime/rules.audits.ts';
import { realtimeTermAudits } from './realtime/terms.audits.ts';
import { realtimeRowAudits } from './realtime/row-changes.audits.ts';
import { restOperatorAudits } from './rest/operators.audits.ts';
import { restErrorAudits } from './rest/errors.audits.ts';
import { restTransactionAudits } from './rest/transactions.audits.ts';
import { restRefusedRequestAudits } from './rest/refused-requests.audits.ts';
import { restResponseAudits } from './rest/responses.audits.ts';
import { restNegotiationAudits } from './rest/negotiation.audits.ts';
import { restPagingAudits } from './rest/paging.audits.ts';
import { restDescriptionAudits } from './rest/description.audits.ts';
import { restBodyAudits } from './rest/bodies.audits.ts';
import { restUpsertAudits } from './rest/upserts.audits.ts';
import { restWriteResultAudits } from './rest/write-results.audits.ts';
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
import { restParseErrorAudits } from './rest/parse-errors.audits.ts';
import { restEmbeddingAudits } from './rest/embedding.audits.ts';
import { restSpreadAudits } from './rest/spreads.audits.ts';
import { restLookupErrorAudits } from './rest/lookup-errors.audits.ts';
import { restCallAudits } from './rest/calls.audits.ts';
import { restRaisedErrorAudits } from './rest/raised-errors.audits.ts';
import { restRepresentationAudits } from './rest/representations.audits.ts';
import { restElementAudits } from './rest/elements.audits.ts';
import { restAggregateAudits } from './rest/aggregates.audits.ts';
import { storageAccessAudits } from './storage/access.audits.ts';
import { storageBucketAudits } from './storage/buckets.audits.ts';
import { storageChangeAudits } from './storage/changes.audits.ts';
import { storageLinkAudits } from './storage/links.audits.ts';
import { storageListAudits } from './storage/lists.audits.ts';
import { storageObjectAudits } from './storage/objects.audits.ts';
import { storageReadHeaderAudits } from './storage/read-headers.audits.ts';
import { storageRefusalAudits } from './storage/refusals.audits.ts';
import { storageResumableAudits } from './storage/resumable.audits.ts';
import { storageAudits } from './storage/storage.audits.ts';
import { storageVersionAudits } from './storage/versions.audits.ts';

/** Audits of a server, over plain HTTP and WebSocket. */
export const serverAudits: readonly Audit[] = [
  ...serviceAudits,
  ...discoveryAudits,
  ...signUpAudits,
  ...tokenAudits,
  ...pkceAudits,
  ...pendingFlowAudits,
  ...oneTimeAudits,
  ...userAudits,
  ...userTimeAudits,
  ...factorAudits,
  ...phoneFactorAudits,
  ...recoveryCodeAudits,
  ...passkeyAudits,
  ...counterTokenAudits,
  ...refusalAudits,
  ...closedFeatureAudits,
  ...sessionEndAudits,
  ...immediateConfirmationAudits,
  ...redirectAudits,
  ...rateLimitAudits,
  ...messageLimitAudits,
  ...sessionlessAudits,
  ...memberAudits,
  ...oddRequestAudits,
  ...accountChangeAudits,
  ...passwordRuleAudits,
  ...hookAudits,
  ...hookTokenAudits,
  ...hookMessageAudits,
  ...identityAudits,
  ...linkedIdentityAudits,
  ...providerSignInAudits,
  ...providerAssertionAudits,
  ...walletAudits,
  ...singleSignOnAudits,
  ...oauthServerAudits,
  ...oauthApplicationAudits,
  ...oauthGrantAudits,
  ...adminAudits,
  ...generatedLinkAudits,
  ...adminProviderAudits,
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
  ...restOperatorAudits,
  ...restErrorAudits,
  ...restRefusedRequestAudits,
  ...restResponseAudits,
  ...restTransactionAudits,
  ...restNegotiationAudits,
  ...restPagingAudits,
  ...restDescriptionAudits,
  ...restBodyAudits,
  ...restUpsertAudits,
  ...restWriteResultAudits,
  ...restParseErrorAudits,
  ...restEmbeddingAudits,
  ...restSpreadAudits,
  ...restLookupErrorAudits,
  ...restCallAudits,
  ...restRaisedErrorAudits,
  ...restElementAudits,
  ...restRepresentationAudits,
  ...restAggregateAudits,
  ...realtimeAudits,
  ...realtimeChangeAudits,
  ...realtimeFilterAudits,
  ...realtimeBindingAudits,
  ...realtimeTermAudits,
  ...realtimeRowAudits,
  ...realtimeChannelAudits,
  ...realtimeBroadcastAudits,
  ...realtimeRuleAudits,
  ...realtimeDatabaseAudits,
  ...realtimePresenceAudits,
  ...realtimePrivateAudits,
  ...realtimeFrameAudits,
  ...realtimeTokenAudits,
  ...realtimeHttpBroadcastAudits,
  ...realtimeLimitAudits,
  ...storageAudits,
  ...storageBucketAudits,
  ...storageRefusalAudits,
  ...storageObjectAudits,
  ...storageReadHeaderAudits,
  ...storageLinkAudits,
  ...storageListAudits,
  ...storageChangeAudits,
  ...storageResumableAudits,
  ...storageVersionAudits,
  ...storageAccessAudits,
];
