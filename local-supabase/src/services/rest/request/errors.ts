import type { SyntaxProblem } from '../grammar/run-parser.ts';
import { mimeOf } from './media-type.ts';
import type { MediaType } from './media-type.ts';

export interface RestErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
  readonly hint?: string | null;
}

/** An error of PostgREST, with the whole response. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly status: number;
  readonly body: RestErrorBody;
  readonly headers: readonly (readonly [string, string])[];

  constructor(status: number, body: RestErrorBody, headers: readonly (readonly [string, string])[] = []) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A request that makes PostgREST itself fail; its web server responds 500 in plain text. */
export class RequestCrash extends Error {
  override readonly name = 'RequestCrash';
}

export function errorText({ code, message, details = null, hint = null }: RestErrorBody): string {
  return JSON.stringify({ code, details, hint, message });
}

export const queryParamError = ({ message, details }: SyntaxProblem): RestError =>
  new RestError(400, { code: 'PGRST100', message, details });

export const invalidRpcMethod = (method: string): RestError =>
  new RestError(405, { code: 'PGRST101', message: `Cannot use the ${method} method on RPC` });

export const invalidBody = (message: string): RestError => new RestError(400, { code: 'PGRST102', message });

export const invalidRange = (details: string): RestError =>
  new RestError(416, { code: 'PGRST103', message: 'Requested range not satisfiable', details });

export const offsetOutOfBounds = (offset: bigint, total: bigint): RestError =>
  invalidRange(`An offset of ${offset} was requested, but there are only ${total} rows.`);

export const negativeLimit = (): RestError => invalidRange('Limit should be greater than or equal to zero.');

export const lowerAboveUpper = (): RestError =>
  invalidRange('The lower boundary must be lower than or equal to the upper boundary in the Range header.');

export const openApiDisabled = (): RestError =>
  new RestError(404, { code: 'PGRST126', message: 'Root endpoint metadata is disabled' });

export const invalidPutFilters = (): RestError =>
  new RestError(405, {
    code: 'PGRST105',
    message: "Filters must include all and only primary key columns with 'eq' operators",
  });

export const unacceptableSchema = (schema: string, exposed: readonly string[]): RestError =>
  new RestError(406, {
    code: 'PGRST106',
    message: `Invalid schema: ${schema}`,
    hint: `Only the following schemas are exposed: ${exposed.join(', ')}`,
  });

export const noMediaType = (accepted: readonly MediaType[]): RestError =>
  new RestError(406, {
    code: 'PGRST107',
    message: `None of these media types are available: ${accepted.map(mimeOf).join(', ')}`,
  });

/** @param alias the alias of the relation, if its name must not be used. */
export const notEmbedded = (relation: string, alias?: string): RestError =>
  new RestError(400, {
    code: 'PGRST108',
    message: `'${relation}' is not an embedded resource in this request`,
    ...(alias === undefined
      ? { hint: `Verify that '${relation}' is included in the 'select' query parameter.` }
      : {
          details: 'Target names are not allowed in filters if they have an alias',
          hint: `Change '${relation}' to '${alias}' in filters, orders or limits.`,
        }),
  });

export const invalidResponseHeaders = (): RestError =>
  new RestError(500, {
    code: 'PGRST111',
    message:
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  });

export const invalidResponseStatus = (): RestError =>
  new RestError(500, { code: 'PGRST112', message: 'response.status guc must be a valid status code' });

export const limitOnPut = (): RestError =>
  new RestError(400, {
    code: 'PGRST114',
    message: 'limit/offset querystring parameters are not allowed for PUT',
  });

export const putKeyMismatch = (): RestError =>
  new RestError(400, {
    code: 'PGRST115',
    message: 'Payload values do not match URL in primary key column(s)',
  });

export const notSingular = (rows: bigint): RestError =>
  new RestError(406, {
    code: 'PGRST116',
    message: 'Cannot coerce the result to a single JSON object',
    details: `The result contains ${rows} rows`,
  });

export const unsupportedMethod = (method: string): RestError =>
  new RestError(405, { code: 'PGRST117', message: `Unsupported HTTP method: ${method}` });

export const relatedOrderNotToOne = (origin: string, target: string): RestError =>
  new RestError(400, {
    code: 'PGRST118',
    message: `A related order on '${target}' is not possible`,
    details: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
  });

export const invalidRaise = (details: string, hint: string): RestError =>
  new RestError(500, {
    code: 'PGRST121',
    message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
    details,
    hint,
  });

export const invalidPreferences = (preferences: readonly string[]): RestError =>
  new RestError(400, {
    code: 'PGRST122',
    message: 'Invalid preferences given with handling=strict',
    details: `Invalid preferences: ${preferences.join(', ')}`,
  });

export const aggregatesNotAllowed = (): RestError =>
  new RestError(400, { code: 'PGRST123', message: 'Use of aggregate functions is not allowed' });

export const maxAffectedExceeded = (rows: bigint): RestError =>
  new RestError(400, {
    code: 'PGRST124',
    message: 'Query result exceeds max-affected preference constraint',
    details: `The query affects ${rows} rows`,
  });

/** The error of pg_safeupdate, as PostgREST sends it. */
export const unfilteredWrite = (command: 'UPDATE' | 'DELETE'): RestError =>
  new RestError(400, { code: '21000', message: `${command} requires a WHERE clause` });

export const invalidPath = (): RestError =>
  new RestError(404, { code: 'PGRST125', message: 'Invalid path specified in request URL' });

export const notImplemented = (details: string): RestError =>
  new RestError(400, { code: 'PGRST127', message: 'Feature not implemented', details });

export const maxAffectedOnSingle = (): RestError =>
  new RestError(400, {
    code: 'PGRST128',
    message: 'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  });

export const columnNotFound = (table: string, column: string): RestError =>
  new RestError(400, {
    code: 'PGRST204',
    message: `Could not find the '${column}' column of '${table}' in the schema cache`,
  });
