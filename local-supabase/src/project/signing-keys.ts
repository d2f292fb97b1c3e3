import { readFileSync } from 'node:fs';
import type { JWK } from 'jose';
import type { ConfigReader } from './config-reader.ts';

/**
 * Reads the keys of `auth.signing_keys_path`, which `supabase gen signing-key` writes; the path is relative to
 * `supabase/`. Undefined without a file, and for an empty list.
 *
 * @throws {Error} naming the setting, if the file is missing or contains other keys than private ones of ES256 and
 * RS256.
 */
export function readSigningKeys(config: ConfigReader, folder: URL): readonly JWK[] | undefined {
  const path = config.text('auth.signing_keys_path');
  if (!path) return undefined;
  const refuse = (reason: string) =>
    new Error(`supabase/config.toml: auth.signing_keys_path: ${path} ${reason}`);
  let keys: unknown;
  try {
    keys = JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
  } catch {
    throw refuse('is not a JSON file');
  }
  if (!Array.isArray(keys) || !keys.every(isSigningKey))
    throw refuse('is not a list of private keys of ES256 or RS256 with their kid');
  return keys.length > 0 ? keys : undefined;
}

function isSigningKey(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, crv, alg, kid, d }: JWK = key;
  const isKnown = alg === 'RS256' ? kty === 'RSA' : alg === 'ES256' && kty === 'EC' && crv === 'P-256';
  return isKnown && typeof kid === 'string' && kid !== '' && typeof d === 'string';
}
