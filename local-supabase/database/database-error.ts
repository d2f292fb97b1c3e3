/** An error of PostgreSQL, as its driver gives it. */
export interface DatabaseError {
  /** SQLSTATE. */
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
}

export function isDatabaseError(problem: unknown): problem is DatabaseError {
  const { code } = (problem ?? {}) as { code?: unknown };
  return problem instanceof Error && typeof code === 'string' && /^[\dA-Z]{5}$/.test(code);
}

/** By whole code or by class; what is not here is 400. */
const STATUS: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '22023': 401,
  '23503': 409,
  '23505': 409,
  '25': 500,
  '25006': 405,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53': 503,
  '53400': 500,
  '54': 500,
  '55': 500,
  '57': 500,
  '57P01': 503,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};

/**
 * The status by which PostgREST answers an error of PostgreSQL.
 *
 * @see https://docs.postgrest.org/en/stable/references/errors.html#http-status-codes
 */
export function statusOfDatabaseError({ code, message }: DatabaseError, role: string): number {
  const [, own] = /^PT([2-5]\d\d)$/.exec(code) ?? [];
  if (own) return Number(own);
  if (code === '42501') return role === 'anon' ? 401 : 403;
  if (code === '22023' && !/^role .* does not exist$/.test(message)) return 400;
  return STATUS[code] ?? STATUS[code.slice(0, 2)] ?? 400;
}
