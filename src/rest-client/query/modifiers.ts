import { readAffected } from './response.ts';
import { RestError } from '../errors.ts';
import type { Filter } from './filter.ts';
import type { Plan, Wire } from './plan.ts';
import type { Modifier } from './query.ts';
import { refuse, requireWhole } from './quoting.ts';

/** Adds preferences (RFC 7240) that the server supports, by name. */
export function prefer(preferences: Plan['prefer']): Modifier {
  return (plan) => ({ ...plan, prefer: { ...plan.prefer, ...preferences } });
}

/**
 * The write changes at most `rows` rows, else it fails with `affected-rows` and changes nothing: the server rolls back an
 * update, a delete or a function that returns a set; an insert of more rows is refused before it is sent, because the server
 * applies no such limit to inserts.
 */
export function maxAffected(rows: number): Modifier {
  requireWhole(rows);
  return (plan) => {
    if (plan.addedRows === undefined) return prefer({ handling: 'strict', 'max-affected': rows })(plan);
    if (plan.addedRows > rows) throw affectedRows(plan.addedRows, rows);
    return plan;
  };
}

function affectedRows(affected: number, expected: number): RestError {
  return new RestError('affected-rows', `${affected} rows changed, not ${expected}`);
}

/**
 * The write changes exactly `rows` rows, else it fails with `affected-rows`. More rows change nothing, as with
 * `maxAffected()`; so does an insert of another number of rows, which is refused before it is sent. Fewer rows of an update
 * or delete (because rows are missing, or hidden by row-level security) are detected in the response; the changed rows stay
 * changed.
 */
export function expectAffected(rows: number): Modifier {
  requireWhole(rows);
  return (plan) => {
    const { addedRows, prefer: preferences } = plan;
    if (addedRows !== undefined && addedRows !== rows) throw affectedRows(addedRows, rows);
    if (preferences['resolution'] === 'ignore-duplicates')
      refuse('expectAffected() of an upsert that ignores duplicates: rows that it adds would stay');
    return {
      // An update always reports the number of its rows, other writes only with a count.
      ...prefer({ count: 'exact' })(maxAffected(rows)(plan)),
      verify(data, wire) {
        plan.verify?.(data, wire);
        const affected = Array.isArray(data)
          ? data.length
          : (readAffected(wire, plan) ?? Number(data !== null));
        if (affected !== rows) throw affectedRows(affected, rows);
      },
    };
  };
}

/** Leaves out the columns of a row that are null. Apply it last. */
export const stripNulls = (): Modifier => (plan) =>
  accept(`${plan.headers['accept'] ?? 'application/vnd.pgrst.array+json'};nulls=stripped`)(plan);

/**
 * Executes the write and rolls it back. The server must allow it (`db-tx-end`), else it commits silently. A read of no rows
 * of the same table therefore checks first that the server applies the preference; for a function call only the response can
 * be checked.
 *
 * @throws {RestError} `not-rolled-back` if the server does not apply it: a write of a table was not sent, a function call has
 *   committed. Also where CORS hides `Preference-Applied`, which PostgREST does not expose to pages of another origin.
 */
export const rollback = (): Modifier => (plan) => ({
  ...prefer({ tx: 'rollback' })(plan),
  async precondition(current, send) {
    await plan.precondition?.(current, send);
    if (current.path.startsWith('rpc/')) return;
    const { path, schema, headers } = current;
    const wire = await send({
      method: 'GET',
      path,
      schema,
      headers: { ...headers, accept: 'application/json' },
      params: [['limit', 0]],
      filters: [],
      order: [],
      prefer: { tx: 'rollback' },
      read: () => undefined,
    });
    requireRollback(wire, 'nothing was sent');
  },
  verify(data, wire) {
    requireRollback(wire, 'the write was committed');
    plan.verify?.(data, wire);
  },
});

function requireRollback({ headers }: Wire, outcome: string): void {
  if (headers.get('preference-applied')?.includes('tx=rollback')) return;
  throw new RestError('not-rolled-back', `The server does not state that it rolls back: ${outcome}`);
}

/** The time zone in which the server writes timestamps, such as `Europe/Berlin`. */
export const timezone = (name: string): Modifier => prefer({ timezone: name });

/** Adds a header, replacing one of the same name, regardless of case; preferences are added to the query's. */
export function header(name: string, value: string): Modifier {
  return (plan) => ({ ...plan, headers: { ...plan.headers, [name.toLowerCase()]: value } });
}

/** The media type of the response. */
export const accept = (type: string): Modifier => header('accept', type);

/** Makes an upsert replace the one row that the filters name by its whole primary key (PUT). */
export function replacing(...key: readonly Filter[]): Modifier {
  return (plan) => ({
    ...prefer({ resolution: undefined })(plan),
    method: 'PUT',
    filters: [...plan.filters, ...key],
  });
}

/** Adds a parameter that is percent-encoded only. Never build it from untrusted text. */
export function rawParam(key: string, value: string): Modifier {
  return (plan) => ({ ...plan, params: [...plan.params, [key, value]] });
}
