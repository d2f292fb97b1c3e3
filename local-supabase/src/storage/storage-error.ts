/** A refusal of the storage service. The body contains the real status; the HTTP status is 400. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly statusCode: number;
  readonly code: string;
  /** The name that older versions sent instead of a code; the code of an error without such a name. */
  readonly error: string;
  constructor(statusCode: number, code: string, message: string, error = code) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.error = error;
  }
}

export const objectNotFound = () => new StorageError(404, 'NoSuchKey', 'Object not found', 'not_found');
export const bucketNotFound = () =>
  new StorageError(404, 'NoSuchBucket', 'Bucket not found', 'Bucket not found');
export const objectTooLarge = () =>
  new StorageError(
    413,
    'EntityTooLarge',
    'The object exceeded the maximum allowed size',
    'Payload too large',
  );
export const invalidRequest = (message: string) => new StorageError(400, 'InvalidRequest', message);
export const invalidSignature = () => new StorageError(400, 'InvalidJWT', 'invalid signature');

const BY_SQLSTATE: Readonly<Record<string, () => StorageError>> = {
  '42501': () =>
    new StorageError(403, 'AccessDenied', 'new row violates row-level security policy', 'Unauthorized'),
  '23505': () => new StorageError(409, 'ResourceAlreadyExists', 'The resource already exists', 'Duplicate'),
  '23503': bucketNotFound,
};

/** The SQLSTATE class of invalid values, such as a negative limit. */
const isDataException = (code: string): boolean => /^22\w{3}$/.test(code);

/** The response for a StorageError or an error of PostgreSQL. Any other error is rethrown. */
export function answerStorageError(problem: unknown): Response {
  const { statusCode, code, error, message } = storageErrorOf(problem);
  return Response.json({ statusCode: String(statusCode), code, error, message }, { status: 400 });
}

/** The refusal in an error of the service or of PostgreSQL. Any other error is rethrown. */
export function storageErrorOf(problem: unknown): StorageError {
  const refusal = problem instanceof StorageError ? problem : refusalOf(problem as Partial<DatabaseRefusal>);
  if (!refusal) throw problem;
  return refusal;
}

interface DatabaseRefusal {
  readonly code: string;
  readonly message: string;
}

function refusalOf({ code = '', message = '' }: Partial<DatabaseRefusal>): StorageError | undefined {
  return isDataException(code) ? invalidRequest(message) : BY_SQLSTATE[code]?.();
}

/** Parses the body as a JSON object. Its members are not checked against `Body`. */
export async function readJsonBody<Body extends object>(request: Request): Promise<Body> {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null) throw invalidRequest('The body is no JSON object');
  return body as Body;
}
