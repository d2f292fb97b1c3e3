/** An error of PostgreSQL, as reported by its driver. */
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
