import { isDatabaseError, type DatabaseError } from '../../database/database-error.ts';

interface RefusalOptions {
  /** The older name of the reason. Default: the code. */
  readonly error?: string;
  /** The HTTP status. Default 400, regardless of the real status. */
  readonly httpStatus?: number;
}

/** An error of the storage service. The body contains the real status; the HTTP status is usually 400. */
export class StorageError extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly error: string;
  readonly httpStatus: number;
  constructor(statusCode: number, code: string, message: string, options: RefusalOptions = {}) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.error = options.error ?? code;
    this.httpStatus = options.httpStatus ?? 400;
  }
}

export const objectNotFound = () =>
  new StorageError(404, 'NoSuchKey', 'Object not found', { error: 'not_found' });
export const bucketNotFound = () =>
  new StorageError(404, 'NoSuchBucket', 'Bucket not found', { error: 'Bucket not found' });
export const objectTooLarge = (entity = 'object') =>
  new StorageError(413, 'EntityTooLarge', `The ${entity} exceeded the maximum allowed size`, {
    error: 'Payload too large',
  });
export const accessDenied = (message: string, httpStatus = 400) =>
  new StorageError(403, 'AccessDenied', message, { error: 'Unauthorized', httpStatus });
export const invalidRequest = (message: string, error = 'InvalidRequest') =>
  new StorageError(400, 'InvalidRequest', message, { error });
export const invalidKey = (key: string) => new StorageError(400, 'InvalidKey', `Invalid key: ${key}`);
export const invalidBucketName = () =>
  new StorageError(400, 'InvalidBucketName', 'Bucket name invalid', { error: 'Invalid Input' });
export const invalidMimeType = (type: string) =>
  new StorageError(415, 'InvalidMimeType', `mime type ${type} is not supported`, {
    error: 'invalid_mime_type',
  });
export const invalidContentType = () =>
  new StorageError(415, 'InvalidMimeType', 'Invalid Content-Type header', { error: 'invalid_mime_type' });
export const invalidParameter = (message: string) => new StorageError(400, 'InvalidParameter', message);
export const invalidSignature = (message = 'Invalid signature') =>
  new StorageError(400, 'InvalidSignature', message);
export const alreadyExists = (code: 'BucketAlreadyExists' | 'KeyAlreadyExists' | 'ResourceAlreadyExists') =>
  new StorageError(409, code, 'The resource already exists', { error: 'Duplicate' });

const REFERENCED = 'The resource could not be updated or removed due to a foreign key constraint';
const SCHEMA_MISMATCH = 'The database schema is out of sync. Please run migrations or contact support.';

/** SQLSTATE classes of errors that a request causes: invalid values, and names or rows on which the project's policies fail. */
const OF_THE_REQUEST = /^(?:22|23|42|P0)/;

function refusalOf({ code, message, detail }: DatabaseError): StorageError | undefined {
  switch (code) {
    case '42501':
      return accessDenied(
        message.includes('row-level security') ? 'new row violates row-level security policy' : message,
      );
    case '23505':
      return alreadyExists('ResourceAlreadyExists');
    case '23503':
      return detail?.includes('is still referenced from table')
        ? new StorageError(409, 'ResourceReferenced', REFERENCED)
        : new StorageError(404, 'InvalidRequest', 'The related resource does not exist');
    case '55P03':
      return new StorageError(423, 'ResourceLocked', 'The resource is locked');
    case '57014':
      return new StorageError(544, 'DatabaseTimeout', 'The connection to the database timed out', {
        httpStatus: 544,
      });
    case '25006':
      return new StorageError(
        503,
        'DatabaseReadOnly',
        'The database is currently in read-only mode. Please try again later.',
      );
    case '42P17':
      return new StorageError(
        503,
        'DatabaseInvalidObjectDefinition',
        'The database schema is invalid or incompatible.',
      );
    case '22P02':
      return invalidParameter(message);
    case '42703':
    case '42P01':
      return new StorageError(503, 'DatabaseSchemaMismatch', SCHEMA_MISMATCH);
    default:
      // The service responds 500 with the same text; the embedded server must not fail because of a request.
      return OF_THE_REQUEST.test(code)
        ? new StorageError(400, 'DatabaseError', `database error, code: ${code}`)
        : undefined;
  }
}

/** Converts an error of the service or of PostgreSQL. Any other error is rethrown. */
export function storageErrorOf(problem: unknown): StorageError {
  if (problem instanceof StorageError) return problem;
  const refusal = isDatabaseError(problem) && refusalOf(problem);
  if (!refusal) throw problem;
  return refusal;
}

/** The response for a StorageError or an error of PostgreSQL. Any other error is rethrown. */
export function storageErrorResponse(problem: unknown): Response {
  const { statusCode, code, error, message, httpStatus } = storageErrorOf(problem);
  return Response.json({ statusCode: String(statusCode), code, error, message }, { status: httpStatus });
}
