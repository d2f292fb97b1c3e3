/** Specification §8: what is thrown and is no error becomes one with this text. */
export function signupError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error('Unknown error during signup', { cause: problem });
}
