import { authClientMutants } from './auth-client-mutants.ts';
import type { ClientMutant } from './client-mutant.ts';
import { serviceClientMutants } from './service-client-mutants.ts';

/** Every faulty client, in the order of the table. */
export const clientMutants: readonly ClientMutant[] = [...authClientMutants, ...serviceClientMutants];
