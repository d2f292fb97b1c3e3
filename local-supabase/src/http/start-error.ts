/** The reason why the server cannot start, as one readable line. */
export class StartError extends Error {
  override readonly name = 'StartError';
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
