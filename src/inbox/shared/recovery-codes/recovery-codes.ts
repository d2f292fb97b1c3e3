import * as z from 'zod/mini';
import { type AuthClient, AuthError, type Factor } from 'supabase-protocol-clients/auth-client';
import { createRecoveryCodes as createServiceCodes } from 'supabase-protocol-clients/auth-client/recovery-codes';
import type { Clients } from '../clients/clients-context.ts';

export interface RecoveryCodeStatus {
  readonly unused: number;
  /** Null for codes of the auth service, which does not report it. */
  readonly createdAtMs: number | null;
}

export type RecoveryOutcome =
  /** `unused`: how many codes are left; null if that is unknown. */
  | { readonly outcome: 'accepted'; readonly unused: number | null }
  /** `limited`: too many wrong codes. */
  | { readonly outcome: 'invalid' | 'limited'; readonly retryAfterSeconds?: number };

/** Codes that each replace the second factor once, without switching it off. */
export interface RecoveryCodes {
  /** How many codes are unused; null if none were created. */
  getStatus(signal: AbortSignal): Promise<RecoveryCodeStatus | null>;
  /**
   * Creates ten codes, which replace the earlier ones.
   *
   * @throws {AuthError | RestError} without `aal2`, or without a recent proof
   */
  create(): Promise<readonly string[]>;
  /** Raises the session to `aal2` by a code. */
  use(code: string): Promise<RecoveryOutcome>;
}

const databaseStatus = z.nullable(z.object({ unused: z.number(), created_at: z.string() }));
const databaseOutcome = z.object({
  outcome: z.enum(['accepted', 'invalid', 'limited', 'no_factor']),
  unused: z.optional(z.number()),
  retry_after_seconds: z.optional(z.number()),
});

/**
 * The recovery codes of an account: the auth service's where it offers them, else the database's. Codes that the service
 * creates invalidate those of the database.
 *
 * @param factors the account's factors, which show whether the service has its codes.
 */
export function createRecoveryCodes(
  clients: Clients,
  factors: readonly Factor[] | null | undefined,
): RecoveryCodes {
  const isOfService = factors?.some(({ factor_type }) => factor_type === 'recovery_code') ?? false;
  return isOfService ? codesOfService(clients) : codesOfDatabase(clients);
}

function codesOfService({ auth, platform }: Clients): RecoveryCodes {
  const codes = createServiceCodes(auth);
  return {
    getStatus: (signal) => statusOfService(auth, signal),
    create: async () => (await codes.regenerate()).codes.map(inGroups),
    async use(code) {
      try {
        await codes.verify({ code });
      } catch (problem) {
        if (!(problem instanceof AuthError)) throw problem;
        const { code: reason, retryAfterSeconds } = problem;
        if (reason === 'mfa_verification_failed') return { outcome: 'invalid' };
        if (reason !== 'mfa_recovery_codes_locked') throw problem;
        return { outcome: 'limited', ...(retryAfterSeconds !== null && { retryAfterSeconds }) };
      }
      const status = await codes.getStatus().catch(platform.report);
      return { outcome: 'accepted', unused: status?.remaining ?? null };
    },
  };
}

async function statusOfService(auth: AuthClient, signal: AbortSignal): Promise<RecoveryCodeStatus> {
  const { remaining } = await createServiceCodes(auth).getStatus({ signal });
  return { unused: remaining, createdAtMs: null };
}

function codesOfDatabase({ auth, loadRest }: Clients): RecoveryCodes {
  return {
    async getStatus(signal) {
      const rest = await loadRest();
      const status = z.parse(databaseStatus, await rest.rpc('recovery_code_status').execute({ signal }));
      if (status) return { unused: status.unused, createdAtMs: Date.parse(status.created_at) };
      // The known factors may be older than the service's codes.
      return statusOfService(auth, signal).catch((problem: unknown) => {
        if (isNotOffered(problem)) return null;
        throw problem;
      });
    },
    async create() {
      try {
        return (await createServiceCodes(auth).generate()).codes.map(inGroups);
      } catch (problem) {
        if (!isNotOffered(problem)) throw problem;
        return (await loadRest()).rpc('create_recovery_codes').execute();
      }
    },
    async use(code) {
      const rest = await loadRest();
      const {
        outcome,
        unused,
        retry_after_seconds: retryAfterSeconds,
      } = z.parse(databaseOutcome, await rest.rpc('use_recovery_code', { code }).execute());
      if (outcome === 'invalid' || outcome === 'limited')
        return { outcome, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
      // The session's next token has `aal2`.
      await auth.refreshSession();
      // Without a factor there is nothing to replace: the account has lost it meanwhile.
      return { outcome: 'accepted', unused: outcome === 'accepted' ? (unused ?? 0) : null };
    },
  };
}

/**
 * An older auth service has no such path (404, 405); a newer one returns 422 if the feature is disabled or the set is full.
 */
function isNotOffered(problem: unknown): boolean {
  return problem instanceof AuthError && [404, 405, 422].includes(problem.status ?? 0);
}

/** In groups of four, as the database's codes are, for typing. */
function inGroups(code: string): string {
  return (code.toUpperCase().match(/.{1,4}/g) ?? []).join('-');
}
