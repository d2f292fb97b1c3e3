import type { Claims } from '../../../keys/keys.ts';
import { RestError } from './errors.ts';

/** A step of a path: a name, an index, or a comparison or search that the texts of a list have to pass. */
const STEP =
  /\.(?<name>[\w$@-]+)|\."(?<quoted>[^"]*)"|\[(?:"(?<key>[^"]*)"|'(?<single>[^']*)')\]|\[(?<index>\d+)\]|\[\?\(?\s*(?:@\s*(?<operator>==\^|\^==|\*==|==|!=)\s*(?:"(?<text>[^"]*)"|'(?<text2>[^']*)')|search\(\s*@\s*,\s*(?:"(?<pattern>[^"]*)"|'(?<pattern2>[^']*)')\s*\))\s*\)?\]/gy;

const comparisons: Readonly<Record<string, (value: string, text: string) => boolean>> = {
  '==': (value, text) => value === text,
  '!=': (value, text) => value !== text,
  '^==': (value, text) => value.startsWith(text),
  '==^': (value, text) => value.endsWith(text),
  '*==': (value, text) => value.includes(text),
};

/**
 * The value at a JSON Path of names, indexes and at most a filter of texts, or at a path of PostgREST before version 16;
 * undefined if it does not exist.
 *
 * @throws {TypeError} for a malformed path, which is an error in the settings.
 */
export function readPath(value: unknown, path: string): unknown {
  const bare = path.replace(/^\$/, '');
  const steps = [...bare.matchAll(STEP)];
  if (bare === '' || steps.reduce((length, [step]) => length + step.length, 0) !== bare.length)
    throw new TypeError(`${path} is not a path to a role, such as .role or .roles[0]`);
  return steps.reduce<unknown>((current, { groups = {} }) => takeStep(current, groups), value);
}

function takeStep(current: unknown, groups: Readonly<Record<string, string | undefined>>): unknown {
  const { operator, text = groups['text2'], pattern = groups['pattern2'] } = groups;
  const name = groups['name'] ?? groups['quoted'] ?? groups['key'] ?? groups['single'] ?? groups['index'];
  if (name !== undefined)
    return typeof current === 'object' && current !== null && Object.hasOwn(current, name)
      ? (current as Readonly<Record<string, unknown>>)[name]
      : undefined;
  // Compiled first, so that a malformed one ends the start.
  const search = pattern === undefined ? null : new RegExp(pattern, 'u');
  if (!Array.isArray(current)) return undefined;
  const passes = (one: string) =>
    search ? search.test(one) : comparisons[operator ?? '']?.(one, text ?? '') === true;
  return current.find((one) => typeof one === 'string' && passes(one));
}

/** The role in a token; another value than a string counts as its JSON. */
export function roleOf(claims: Claims, roleClaimKey: string, anonymousRole: string): string {
  const role = readPath(claims, roleClaimKey);
  if (role === undefined) return anonymousRole;
  return typeof role === 'string' ? role : JSON.stringify(role);
}

/** @throws {RestError} if the token's audience lacks `audience`. Null and an empty list count as no audience. */
export function assertAudience({ aud }: Claims, audience: string | null): void {
  const audiences = [aud ?? []].flat();
  if (audience === null || audiences.length === 0 || audiences.includes(audience)) return;
  const message = 'JWT not in audience';
  throw new RestError(401, { code: 'PGRST303', message }, [
    ['www-authenticate', `Bearer error="invalid_token", error_description="${message}"`],
  ]);
}
