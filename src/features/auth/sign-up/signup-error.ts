/** Specification §8: a thrown non-error becomes an error with this text. */
export function signupError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error('Unknown error during signup', { cause: problem });
}
