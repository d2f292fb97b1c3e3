import type { Param, Plan } from './plan.ts';
import { encodeName, encodeValue, isReservedName } from './quoting.ts';
import type { Modifier } from './query.ts';

/** What the server, of this version or a later one, could take for a filter rather than an argument. */
const filterLike = /^[a-z]+[.(]/;

/**
 * Calls a function that only reads by GET, so that caches can keep the answer. Arguments that would change their meaning in
 * a URL (null, a list, which an array and a JSON argument write differently, or a text such as `eq.1` that the server could
 * take for a filter) make it stay a POST.
 */
export const viaGet = (): Modifier => (plan) => asRead(plan, 'GET');

export function asRead(plan: Plan, method: 'GET' | 'HEAD'): Plan {
  const params: Param[] = [];
  for (const [name, value] of Object.entries(JSON.parse(plan.body ?? '{}') as object)) {
    const text = value === null ? 'is.null' : encodeValue(value);
    if (Array.isArray(value) || isReservedName(name.replace(/.*\./s, '')) || filterLike.test(text))
      return plan;
    params.push([encodeName(name), text]);
  }
  return plan.method === 'POST'
    ? { ...plan, method, params: [...params, ...plan.params], body: undefined }
    : plan;
}
