/** The reason why the server cannot start, in one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
