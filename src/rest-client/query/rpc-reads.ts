import type { Param, Plan } from './plan.ts';
import { encodeName, encodeValue, isReservedName } from './quoting.ts';
import type { Modifier } from './query.ts';

/** A text that this or a later version of the server could read as a filter instead of an argument. */
const filterLike = /^[a-z]+[.(]/;

/**
 * Calls a function that only reads by GET, so that caches can store the response. Some arguments mean something else in a
 * URL: null, a list (an array and a JSON argument write it differently), a text such as `eq.1`. With one of those, the call
 * stays a POST.
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
