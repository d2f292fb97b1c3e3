import type { Claims } from '../../keys/keys.ts';
import { RestError } from './errors.ts';

/**
 * The value at a path of names, quoted names and indexes, with or without a leading `$`; undefined if it does not
 * exist.
 *
 * @throws {TypeError} for a malformed path, which is an error in the settings.
 */
export function readPath(value: unknown, path: string): unknown {
  const bare = path.replace(/^\$/, '');
  const steps = [...bare.matchAll(/\.([\w$@-]+)|\."([^"]*)"|\["([^"]*)"\]|\[(\d+)\]/gy)];
  if (bare === '' || steps.reduce((length, [step]) => length + step.length, 0) !== bare.length)
    throw new TypeError(`${path} is no path to a role, such as .role or .roles[0]`);
  return steps.reduce<unknown>((current, [, ...names]) => {
    const name = names.find((part) => part !== undefined) ?? '';
    return typeof current === 'object' && current !== null && Object.hasOwn(current, name)
      ? (current as Record<string, unknown>)[name]
      : undefined;
  }, value);
}

/** The role in a token; another value than a string counts as its JSON. */
export function roleOf(claims: Claims, roleClaimKey: string, anonymousRole: string): string {
  const role = readPath(claims, roleClaimKey);
  if (role === undefined) return anonymousRole;
  return typeof role === 'string' ? role : JSON.stringify(role);
}

/** @throws {RestError} if the token's audience lacks `audience`. An empty list counts as no audience. */
export function demandAudience({ aud }: Claims, audience: string | null): void {
  if (audience === null || aud === undefined) return;
  const isMeant = Array.isArray(aud) ? aud.length === 0 || aud.includes(audience) : aud === audience;
  if (isMeant) return;
  const message = 'JWT not in audience';
  throw new RestError(401, { code: 'PGRST303', message }, [
    ['www-authenticate', `Bearer error="invalid_token", error_description="${message}"`],
  ]);
}
