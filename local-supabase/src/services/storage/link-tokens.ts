import type { Claims, TokenKeys } from '../../keys/keys.ts';
import { verifyToken } from './caller.ts';
import { invalidSignature, StorageError } from './storage-error.ts';

/** The purpose of a link. Without it, a link that reads `upload/a/b` would permit writing `a/b`. */
type Scope = 'download' | 'upload';

export interface LinkTokens {
  /** @param url bucket and path, as parsed from the request for the link. */
  sign(scope: Scope, url: string, expiresInSeconds: number, claims?: object): Promise<string>;
  /** @throws {StorageError} for a token of another link, or an expired one. */
  verify(scope: Scope, token: string, url: string): Promise<Claims>;
}

export function createLinkTokens(keys: TokenKeys, now: () => number): LinkTokens {
  return {
    sign(scope, url, expiresInSeconds, claims = {}) {
      const iat = Math.floor(now() / 1000);
      return keys.sign({ ...claims, url, scope, iat, exp: iat + expiresInSeconds });
    },
    async verify(scope, token, url) {
      const caller = await verifyToken(token, keys, { refusesLegacy: true });
      if ('problem' in caller) throw new StorageError(400, 'InvalidJWT', caller.problem);
      const { claims } = caller;
      if ((claims['scope'] ?? 'download') !== scope)
        throw invalidSignature(`Token is not scoped for ${scope}`);
      if (claims['url'] !== url) throw invalidSignature();
      return claims;
    },
  };
}
