import type { Audit } from './audit.ts';
import { adminAudits } from './auth/admin.audits.ts';
import { authEdgeAudits } from './auth/edges.audits.ts';
import { factorAudits } from './auth/factors.audits.ts';
import { flowAudits } from './auth/flows.audits.ts';
import { identityAudits } from './auth/identities.audits.ts';
import { oneTimeAudits } from './auth/one-time.audits.ts';
import { pkceAudits } from './auth/pkce.audits.ts';
import { serviceAudits } from './auth/service.audits.ts';
import { signUpAudits } from './auth/sign-up.audits.ts';
import { tokenAudits } from './auth/token.audits.ts';
import { userAudits } from './auth/user.audits.ts';
import { realtimeChangeAudits } from './realtime/changes.audits.ts';
import { realtimeChannelAudits } from './realtime/channels.audits.ts';
import { realtimeAudits } from './realtime/realtime.audits.ts';
import { restAccessAudits } from './rest/access.audits.ts';
import { restChangingAudits } from './rest/changing.audits.ts';
import { restFilterAudits } from './rest/filters.audits.ts';
import { restFunctionAudits } from './rest/functions.audits.ts';
import { restInsertingAudits } from './rest/inserting.audits.ts';
import { restProductAudits } from './rest/product.audits.ts';
import { restReadingAudits } from './rest/reading.audits.ts';
import { restAudits } from './rest/rest.audits.ts';
import { storageAudits } from './storage/storage.audits.ts';

/** Every audit, in the order in which they are reported. */
export const audits: readonly Audit[] = [
  ...serviceAudits,
  ...signUpAudits,
  ...tokenAudits,
  ...pkceAudits,
  ...oneTimeAudits,
  ...userAudits,
  ...factorAudits,
  ...identityAudits,
  ...adminAudits,
  ...flowAudits,
  ...authEdgeAudits,
  ...restAudits,
  ...restProductAudits,
  ...restAccessAudits,
  ...restFilterAudits,
  ...restReadingAudits,
  ...restInsertingAudits,
  ...restChangingAudits,
  ...restFunctionAudits,
  ...realtimeAudits,
  ...realtimeChangeAudits,
  ...realtimeChannelAudits,
  ...storageAudits,
];
