import type { JsonObject } from '../http/call.ts';
import type { User } from '../rows/user.ts';

const textOf = (metadata: JsonObject, names: readonly string[]): string =>
  (names.map((name) => metadata[name]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined) ?? '';

/** The claims of the scope `profile` (OpenID Connect Core section 5.4), without empty ones. */
export function profileClaims(user: User): JsonObject {
  const metadata = user.raw_user_meta_data ?? {};
  const texts = {
    name: textOf(metadata, ['name']) || (user.email ?? ''),
    picture: textOf(metadata, ['picture', 'avatar_url']),
    preferred_username: textOf(metadata, ['preferred_username', 'username']),
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
    ...(user.updated_at && { updated_at: Math.floor(user.updated_at.getTime() / 1000) }),
  };
}
