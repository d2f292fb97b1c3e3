import type { Claims, TokenKeys } from '../keys/keys.ts';
import { invalidSignature } from './storage-error.ts';

/** The purpose of a link. Without it, a link to read `upload/a/b` would permit a write of `a/b`. */
type Purpose = 'download' | 'upload';

/** The tokens of signed links. */
export interface LinkTokens {
  sign(purpose: Purpose, url: string, expiresInSeconds: number, claims?: object): Promise<string>;
  /** @throws {StorageError} for a token of another link, or an expired one. */
  verify(purpose: Purpose, token: string | null | undefined, url: string): Promise<Claims>;
}

export function createLinkTokens(keys: TokenKeys, now: () => number): LinkTokens {
  return {
    sign(purpose, url, expiresInSeconds, claims = {}) {
      const iat = Math.floor(now() / 1000);
      return keys.sign({ url, purpose, ...claims, iat, exp: iat + expiresInSeconds });
    },
    async verify(purpose, token, url) {
      const check = await keys.verify(token ?? '', { refusesLegacy: true });
      if (!check.ok || check.claims['url'] !== url || check.claims['purpose'] !== purpose)
        throw invalidSignature();
      return check.claims;
    },
  };
}
