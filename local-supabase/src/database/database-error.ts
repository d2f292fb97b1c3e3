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

export const hasSqlState = (problem: unknown, ...codes: readonly string[]): boolean =>
  isDatabaseError(problem) && codes.includes(problem.code);

export const isUniqueViolation = (problem: unknown): boolean => hasSqlState(problem, '23505');

/** PostgreSQL's error for a statement that recurses too deeply. */
export const STACK_DEPTH_EXCEEDED = {
  code: '54001',
  message: 'stack depth limit exceeded',
  hint: 'Increase the configuration parameter "max_stack_depth" (currently 2048kB), after ensuring the platform\'s stack depth limit is adequate.',
} as const satisfies DatabaseError;
