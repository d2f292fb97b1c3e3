/** Why the server cannot start, in one line for a person. */
export class StartError extends Error {
  override readonly name = 'StartError';
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
