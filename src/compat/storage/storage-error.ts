import { StorageError as NativeStorageError } from '../../storage-client/index.ts';

/** Why a call of the storage service failed. */
export class StorageError extends Error {
  /** The class of the error. */
  override name = 'StorageError';
  /** HTTP status; undefined without an answer. */
  status: number | undefined;
  /** The service's own code, or the status as a text. */
  statusCode: string | undefined;

  /** @param message for developers, in English. */
  constructor(message: string, status?: number, statusCode?: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.statusCode = statusCode;
  }

  /** The fields of the error, which `JSON.stringify` leaves out of other errors. */
  toJSON(): { name: string; message: string; status: number | undefined; statusCode: string | undefined } {
    const { name, message, status, statusCode } = this;
    return { name, message, status, statusCode };
  }
}

/** The service refused the call. */
export class StorageApiError extends StorageError {
  /** `StorageApiError`. */
  override name = 'StorageApiError';
}

/** The service gave no answer. */
export class StorageUnknownError extends StorageError {
  /** `StorageUnknownError`. */
  override name = 'StorageUnknownError';
}

/** The vendor's error for what a native call throws, which is its `cause`. */
export function toStorageError(problem: unknown): StorageError {
  const options = { cause: problem };
  if (!(problem instanceof NativeStorageError) || problem.status === null) {
    // Without an answer the vendor's message is that of the failure underneath.
    const { cause } = problem instanceof NativeStorageError ? problem : {};
    const reason = cause instanceof Error ? cause : problem;
    const message = reason instanceof Error ? reason.message : String(reason);
    return new StorageUnknownError(message, undefined, undefined, options);
  }
  return new StorageApiError(problem.message, problem.status, String(problem.status), options);
}
