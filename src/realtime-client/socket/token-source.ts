import type { Clock } from '../../platform/platform.ts';
import type { GetAccessToken } from '../../platform/call-user.ts';

/** The access tokens of one socket: its channels share requests and the knowledge of refused tokens. */
export interface TokenSource {
  /** Requests a token; concurrent requests share one call of `getAccessToken`. */
  request(): Promise<string | null>;
  /** Whether the server refused a join with this token: sending it again is pointless. */
  isRefused(token: string | null): boolean;
  /** @param isFinal true after a refused join; false after an expiry, which a later token may have overtaken. */
  reject(token: string | null | undefined, isFinal: boolean): void;
  accepted(): void;
  /** The application has another token: pending requests may belong to another user, and so does the refused token. */
  reset(token: string | null): void;
}

/** @param shareMs how long a pending request is shared; afterwards it counts as lost. */
export function createTokenSource(
  getAccessToken: GetAccessToken,
  clock: Clock,
  shareMs: number,
): TokenSource {
  let pending: { readonly token: Promise<string | null>; readonly sinceMs: number } | undefined;
  let rejected: string | null = null;
  let isRejectionFinal = false;
  return {
    request() {
      const nowMs = clock.monotonicMs();
      if (!pending || nowMs - pending.sinceMs >= shareMs) {
        const rejectedToken = rejected;
        const current = {
          sinceMs: nowMs,
          token: (async () => getAccessToken(rejectedToken === null ? {} : { rejectedToken }))().finally(
            () => {
              if (pending === current) pending = undefined;
            },
          ),
        };
        pending = current;
      }
      return pending.token;
    },
    isRefused: (token) => isRejectionFinal && token !== null && token === rejected,
    reject(token, isFinal) {
      if (!token) return;
      isRejectionFinal = isFinal || (isRejectionFinal && token === rejected);
      rejected = token;
    },
    accepted() {
      rejected = null;
      isRejectionFinal = false;
    },
    reset(token) {
      pending = undefined;
      // Forget another user's rejected token: the auth client refuses to renew it, so no channel could join.
      if (token !== rejected) rejected = null;
    },
  };
}
