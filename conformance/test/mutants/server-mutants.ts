import { authAccountMutants } from './auth-account-mutants.ts';
import { authApplicationMutants } from './auth-application-mutants.ts';
import { authFlowMutants } from './auth-flow-mutants.ts';
import { authMutants } from './auth-mutants.ts';
import { authProviderMutants } from './auth-provider-mutants.ts';
import type { ServerMutant } from './mutant.ts';
import { realtimeDetailMutants } from './realtime-detail-mutants.ts';
import { realtimeMutants } from './realtime-mutants.ts';
import { restLibraryMutants } from './rest-library-mutants.ts';
import { restMutants } from './rest-mutants.ts';
import { storageDetailMutants } from './storage-detail-mutants.ts';
import { storageMutants } from './storage-mutants.ts';

/** Every faulty server, in the order of the table. */
export const serverMutants: readonly ServerMutant[] = [
  ...authMutants,
  ...authFlowMutants,
  ...authAccountMutants,
  ...authProviderMutants,
  ...authApplicationMutants,
  ...restMutants,
  ...restLibraryMutants,
  ...realtimeMutants,
  ...realtimeDetailMutants,
  ...storageMutants,
  ...storageDetailMutants,
];
