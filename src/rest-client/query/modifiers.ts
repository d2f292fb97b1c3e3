import { readAffected } from '../wire/answer.ts';
import { RestError } from '../errors.ts';
import type { Filter } from './filter.ts';
import type { Plan } from './plan.ts';
import type { Modifier } from './query.ts';

/** Any preference of RFC 7240 that the server knows. */
export function prefer(preferences: Plan['prefer']): Modifier {
  return (plan) => ({ ...plan, prefer: { ...plan.prefer, ...preferences } });
}

/** The write is rolled back if it changes more rows: `affected-rows`. */
export function maxAffected(rows: number): Modifier {
  return prefer({ handling: 'strict', 'max-affected': rows });
}

/**
 * The write changes exactly so many rows, else `affected-rows`: more are rolled back by the server; fewer (those that
 * are gone, or that row-level security hides) are found in the answer.
 */
export function expectAffected(rows: number): Modifier {
  return (plan) => ({
    // Only an update says so unasked.
    ...prefer({ count: 'exact' })(maxAffected(rows)(plan)),
    verify(data, wire) {
      const affected = Array.isArray(data)
        ? data.length
        : (readAffected(wire, plan) ?? Number(data !== null));
      if (affected !== rows) {
        throw new RestError('affected-rows', `${affected} rows changed, not ${rows}`);
      }
    },
  });
}

/** Leaves out what is null in the rows. To be applied last. */
export const stripNulls = (): Modifier => (plan) =>
  accept(`${plan.headers['accept'] ?? 'application/vnd.pgrst.array+json'};nulls=stripped`)(plan);

/** The write is carried out and undone; the server must allow it (`db-tx-end`). */
export const rollback = (): Modifier => prefer({ tx: 'rollback' });

/** The time zone in which the server writes timestamps, such as `Europe/Berlin`. */
export const timezone = (name: string): Modifier => prefer({ timezone: name });

/** A header of the caller's own, in place of another of that name in any case; preferences are added to the query's. */
export function header(name: string, value: string): Modifier {
  return (plan) => ({ ...plan, headers: { ...plan.headers, [name.toLowerCase()]: value } });
}

/** The media type of the answer. */
export const accept = (type: string): Modifier => header('accept', type);

/** The media type of exactly one row. */
export const oneRow = 'application/vnd.pgrst.object+json';

/** Makes an upsert replace the one row that the filters name by its whole primary key (PUT). */
export function replacing(...key: readonly Filter[]): Modifier {
  return (plan) => ({
    ...prefer({ resolution: undefined })(plan),
    method: 'PUT',
    filters: [...plan.filters, ...key],
  });
}

/** A parameter exactly as given, only percent-encoded. Never build it from foreign text. */
export function rawParam(key: string, value: string): Modifier {
  return (plan) => ({ ...plan, params: [...plan.params, [key, value]] });
}
