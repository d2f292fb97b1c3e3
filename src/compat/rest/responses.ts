import type { PostgrestError } from './postgrest-error.ts';

interface ResponseBase {
  /** HTTP status; 0 without a response. */
  status: number;
  /** The reason phrase of the status; empty without a response. */
  statusText: string;
}

/** The result of a successful query. */
export interface PostgrestResponseSuccess<T> extends ResponseBase {
  /** Null after a success. */
  error: null;
  /** The rows or the value. */
  data: T;
  /** How many rows match in all, if the query counts; else null. */
  count: number | null;
  /** Discriminates the result. */
  success: true;
}

/** The result of a failed query. */
export interface PostgrestResponseFailure extends ResponseBase {
  /** Why the query failed. */
  error: PostgrestError;
  /** Null after a failure. */
  data: null;
  /** Null after a failure. */
  count: null;
  /** Discriminates the result. */
  success: false;
}

/** The result of a query that yields `T`. */
export type PostgrestSingleResponse<T> = PostgrestResponseSuccess<T> | PostgrestResponseFailure;
/** The result of a query that yields one row or null. */
export type PostgrestMaybeSingleResponse<T> = PostgrestSingleResponse<T | null>;
/** The result of a query that yields rows. */
export type PostgrestResponse<T> = PostgrestSingleResponse<T[]>;

/** What a query returns when it is awaited. */
export type QueryResult<Query> = Query extends PromiseLike<infer Result> ? Result : never;
/** What a query yields when it succeeds. */
export type QueryData<Query> = Query extends PromiseLike<{ data: infer Data }> ? Exclude<Data, null> : never;
/** Why a query failed. */
export type QueryError = PostgrestError;

/** Reason phrases (RFC 9110 §15) of the statuses that PostgREST sends: HTTP/2 carries none. */
const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  206: 'Partial Content',
  300: 'Multiple Choices',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The reason phrase of a status; empty for any other status. */
export const statusTextOf = (status: number): string => statusTexts[status] ?? '';
