import type { TokenKeys } from './keys.ts';

/** Keys whose tokens can be made to expire before their time. */
export interface ExpirableKeys extends TokenKeys {
  /** From now on, every token that was signed before counts as expired. API keys stay valid. */
  expireTokens(): void;
}

export function createExpirableKeys(keys: TokenKeys, now: () => number): ExpirableKeys {
  let cutoffSeconds = -Infinity;
  /** Tokens of the cutoff's own second that were signed after it: `iat` cannot tell them apart. */
  const younger = new Set<string>();
  return {
    ...keys,
    expireTokens() {
      cutoffSeconds = Math.floor(now() / 1000);
      younger.clear();
    },
    async sign(claims, options) {
      const token = await keys.sign(claims, options);
      if (Math.floor(now() / 1000) <= cutoffSeconds) younger.add(token);
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
