/** What went wrong, closed. */
export type StorageErrorKind =
  | 'not-found'
  | 'denied'
  | 'duplicate'
  | 'configuration-incomplete'
  | 'invalid-key'
  | 'invalid-type'
  | 'too-large'
  | 'invalid-request'
  | 'rate-limited'
  | 'server'
  | 'gateway'
  | 'token-unavailable'
  | 'timeout'
  | 'aborted'
  | 'network';

export interface StorageErrorFields {
  readonly status?: number;
  readonly code?: string;
  readonly cause?: unknown;
}

/** The one error of this client. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;
  /** The status that the server means: its body's where it names one, for HTTP often says 400 for 404; 0 without an answer. */
  readonly status: number;
  /** The server's code, such as `NoSuchKey`; empty on older servers. */
  readonly code: string;
  constructor(
    kind: StorageErrorKind,
    message: string,
    { status = 0, code = '', cause }: StorageErrorFields = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.code = code;
  }
}

/** A map, for a code may be any text, and every object has a `constructor`. */
const kinds = new Map<string, StorageErrorKind>(
  Object.entries({
    InvalidKey: 'invalid-key',
    InvalidMimeType: 'invalid-type',
    401: 'denied',
    403: 'denied',
    404: 'not-found',
    409: 'duplicate',
    413: 'too-large',
    415: 'invalid-type',
    429: 'rate-limited',
  } satisfies Record<string, StorageErrorKind>),
);

export function kindOfStorageError(code: string, status: number): StorageErrorKind {
  return kinds.get(code) ?? kinds.get(`${status}`) ?? (status < 500 ? 'invalid-request' : 'server');
}
