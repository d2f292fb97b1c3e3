import { StorageError as NativeStorageError } from '../../storage-client/index.ts';

/** Why a call of the storage service failed. */
export class StorageError extends Error {
  override name = 'StorageError';
  /** HTTP status; undefined without a response. */
  status: number | undefined;
  /** The service's own code, or the status as a text. */
  statusCode: string | undefined;

  /** @param message for developers, in English. */
  constructor(message: string, status?: number, statusCode?: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.statusCode = statusCode;
  }

  /** The fields of the error. `JSON.stringify` omits those of other errors. */
  toJSON(): { name: string; message: string; status: number | undefined; statusCode: string | undefined } {
    const { name, message, status, statusCode } = this;
    return { name, message, status, statusCode };
  }
}

/** The service refused the call. */
export class StorageApiError extends StorageError {
  /** Always `StorageApiError`. */
  override name = 'StorageApiError';
  /** The service's own code, such as `NoSuchKey`; undefined if it sent none. */
  code: string | undefined;

  /** @param code the service's own code. */
  constructor(message: string, status: number, statusCode: string, code?: string, options?: ErrorOptions) {
    super(message, status, statusCode, options);
    this.code = code;
  }

  override toJSON() {
    return { ...super.toJSON(), code: this.code };
  }
}

/** No response arrived. */
export class StorageUnknownError extends StorageError {
  /** Always `StorageUnknownError`. */
  override name = 'StorageUnknownError';
  /** What was thrown. */
  originalError: unknown;

  /** @param originalError what was thrown. */
  constructor(message: string, originalError: unknown) {
    super(message, undefined, undefined, { cause: originalError });
    this.originalError = originalError;
  }
}

/** The vendor's error for an error of a native call, which becomes the `cause`. */
export function toStorageError(problem: unknown): StorageError {
  if (!(problem instanceof NativeStorageError) || problem.status === null) {
    // Without a response the vendor's client uses the message of the underlying failure.
    const { cause } = problem instanceof NativeStorageError ? problem : {};
    const reason = cause instanceof Error ? cause : problem;
    const message = reason instanceof Error ? reason.message : String(reason);
    return new StorageUnknownError(message, problem);
  }
  const { message, status, serverCode } = problem;
  return new StorageApiError(message, status, String(status), serverCode ?? undefined, { cause: problem });
}
