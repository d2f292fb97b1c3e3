import type { Audit } from '../audit/audit.ts';
import { clientLinkAudits } from './auth/client-links.audits.ts';
import { clientRefreshAudits } from './auth/client-refresh.audits.ts';
import { clientSignInAudits } from './auth/client-sign-in.audits.ts';
import { clientSignOutAudits } from './auth/client-sign-out.audits.ts';
import { clientTokenAudits } from './auth/client-tokens.audits.ts';
import { clientWireAudits } from './auth/client-wire.audits.ts';
import { clientFilterAudits } from './rest/client-filters.audits.ts';
import { clientReadingAudits } from './rest/client-reading.audits.ts';
import { clientRefusalAudits } from './rest/client-refusals.audits.ts';
import { clientWritingAudits } from './rest/client-writing.audits.ts';
import { clientFunctionAudits } from './functions/client-functions.audits.ts';
import { clientChangeAudits } from './realtime/client-changes.audits.ts';
import { clientChannelAudits } from './realtime/client-channels.audits.ts';
import { clientFeatureAudits } from './realtime/client-features.audits.ts';
import { clientFlowAudits } from './realtime/client-flow.audits.ts';
import { clientReplayAudits } from './realtime/client-replay.audits.ts';
import { clientFaultAudits } from './storage/client-faults.audits.ts';
import { clientStorageLinkAudits } from './storage/client-links.audits.ts';
import { clientObjectAudits } from './storage/client-objects.audits.ts';
import { clientResumableAudits } from './storage/client-resumable.audits.ts';
import { clientStorageAudits } from './storage/client-storage.audits.ts';

/** Audits of our clients, over a recorded network. */
export const clientAudits: readonly Audit[] = [
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
  ...clientStorageLinkAudits,
  ...clientObjectAudits,
  ...clientFaultAudits,
  ...clientResumableAudits,
  ...clientFunctionAudits,
];
