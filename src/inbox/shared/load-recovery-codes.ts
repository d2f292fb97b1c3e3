import type { Factor } from 'supabase-protocol-clients/auth-client';
import type { Clients } from './clients/clients-context.ts';
import type { RecoveryCodes } from './recovery-codes/recovery-codes.ts';

/** Loads the code about recovery codes, which few accounts need. See `createRecoveryCodes`. */
export async function loadRecoveryCodes(
  clients: Clients,
  factors: readonly Factor[] | null | undefined,
): Promise<RecoveryCodes> {
  const { createRecoveryCodes } = await import('./recovery-codes/recovery-codes.ts');
  return createRecoveryCodes(clients, factors);
}
