import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { requireSetting } from './runtime.ts';
import type { Environment } from './runtime.ts';

/**
 * Whether the bearer token is the service key: the platform lets every valid token in, that of a user too.
 *
 * @throws {MissingSettingError} without SUPABASE_SERVICE_ROLE_KEY.
 */
export function hasServiceKey(request: Request, env: Environment): boolean {
  const expected = `Bearer ${requireSetting(env, 'SUPABASE_SERVICE_ROLE_KEY')}`;
  return isEqual(request.headers.get('authorization') ?? '', expected);
}

/** Compares in a time that does not depend on the texts. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(Buffer.from(text)).digest();
  return timingSafeEqual(digest(one), digest(other));
}
