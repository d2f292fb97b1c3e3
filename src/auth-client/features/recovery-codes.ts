import type { AuthClient } from '../auth-client.ts';
import { raiseSession } from '../calls/raise-session.ts';
import { callAsUser } from '../calls/user-call.ts';
import { parseConfirmation } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';
import { type Endpoint, get, post } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { listOf, nullish, number, object, string } from '../../platform/schema.ts';

const path = '/factors/recovery-codes';

const parseStatus = object({ id: string, total: number, remaining: number });
const parseCodes = object({
  id: string,
  total: number,
  friendly_name: nullish(string),
  codes: listOf(string),
});

/** The number of recovery codes of a user; never the codes. */
export interface RecoveryCodesStatus {
  /** Id of the factor, as in the user's list of factors. */
  readonly factorId: string;
  /** Codes of the set. */
  readonly total: number;
  /** Codes that were not used yet. */
  readonly remaining: number;
}

/** A new set of recovery codes, which the service returns only once. */
export interface NewRecoveryCodes {
  /** Id of the factor, as in the user's list of factors. */
  readonly factorId: string;
  /** Name of the factor; null if none. */
  readonly friendlyName: string | null;
  /** The codes, in lower case and without separators: each proves the second factor once. */
  readonly codes: readonly string[];
}

/** Codes that replace a lost second factor. Every method throws an `AuthError`. */
export interface RecoveryCodes {
  /** Returns how many codes are left. @throws {AuthError} `mfa_factor_not_found` if the user has none */
  getStatus(options?: CallOptions): Promise<RecoveryCodesStatus>;
  /**
   * Creates the user's codes; show them once.
   *
   * @throws {AuthError} `insufficient_aal` below `aal2`, `mfa_recovery_codes_sole_factor` without another verified factor,
   * `mfa_verified_factor_exists` if there are codes already, `mfa_recovery_codes_enroll_not_enabled`
   */
  generate(
    request?: {
      /** Name of the factor. Default: the service's. */
      readonly friendlyName?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<NewRecoveryCodes>;
  /**
   * Proves the second factor by a code, as the person typed it, and raises the session to `aal2`.
   *
   * @throws {AuthError} `mfa_verification_failed` for a wrong or used code, `mfa_recovery_codes_locked` after too many,
   * `mfa_recovery_codes_verify_not_enabled`
   */
  verify(request: { readonly code: string }, options?: CallOptions): Promise<Session>;
  /** Replaces all codes, used ones too. @throws {AuthError} `insufficient_aal`, `mfa_factor_not_found` */
  regenerate(options?: CallOptions): Promise<NewRecoveryCodes>;
  /** Removes the codes. @throws {AuthError} `insufficient_aal`, `mfa_factor_not_found` */
  unenroll(options?: CallOptions): Promise<void>;
}

/**
 * Adds the auth service's recovery codes to a client. If a service does not support them, `getStatus` throws another
 * error than `mfa_factor_not_found`.
 *
 * @example
 * ```ts
 * import { createRecoveryCodes } from 'supabase-protocol-clients/auth-client/recovery-codes';
 *
 * const recovery = createRecoveryCodes(auth);
 * const { codes } = await recovery.generate({ friendlyName: 'On paper' });
 * console.log(codes.map((code) => code.match(/.{1,4}/g)?.join('-')));
 * ```
 */
export function createRecoveryCodes(auth: AuthClient): RecoveryCodes {
  const { core } = auth;
  return {
    async getStatus(options) {
      const { id, total, remaining } = await callAsUser(core, get(path), parseStatus, options);
      return { factorId: id, total, remaining };
    },
    async generate({ friendlyName } = {}, options) {
      const endpoint = post(path, { friendly_name: friendlyName });
      return toCodes(await callAsUser(core, endpoint, parseCodes, options));
    },
    verify: ({ code }, options) => raiseSession(auth, post(`${path}/verify`, { code }), options),
    async regenerate(options) {
      return toCodes(await callAsUser(core, post(`${path}/regenerate`, {}), parseCodes, options));
    },
    async unenroll(options) {
      const endpoint: Endpoint = { method: 'DELETE', path };
      await callAsUser(core, endpoint, parseConfirmation, options);
    },
  };
}

const toCodes = ({ id, friendly_name, codes }: ReturnType<typeof parseCodes>): NewRecoveryCodes => ({
  factorId: id,
  friendlyName: friendly_name ?? null,
  codes,
});
