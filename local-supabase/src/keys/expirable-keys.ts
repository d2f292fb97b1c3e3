import type { TokenKeys } from './keys.ts';

/** Keys that can expire all issued tokens early. */
export interface ExpirableKeys extends TokenKeys {
  /** Expires every token that was signed before this call. API keys stay valid. */
  expireTokens(): void;
}

export function createExpirableKeys(keys: TokenKeys, now: () => number): ExpirableKeys {
  let cutoffSeconds = -Infinity;
  /** Tokens that were signed after the cutoff but in the same second, which `iat` cannot distinguish. */
  const younger = new Set<string>();
  return {
    ...keys,
    expireTokens() {
      cutoffSeconds = Math.floor(now() / 1000);
      younger.clear();
    },
    async sign(claims, options) {
      const token = await keys.sign(claims, options);
      // Compare `iat` instead of the current time: a second may have passed since the token got it.
      if (claims.iat !== undefined && claims.iat <= cutoffSeconds) younger.add(token);
      return token;
    },
    async verify(token, options) {
      const check = await keys.verify(token, options);
      const isOld = check.ok && check.claims.iat !== undefined && check.claims.iat <= cutoffSeconds;
      if (!isOld || younger.has(token)) return check;
      return { ok: false, reason: 'expired', message: 'JWT expired' };
    },
  };
}
