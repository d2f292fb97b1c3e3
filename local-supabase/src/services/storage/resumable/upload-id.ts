import { decodeBase64, encodeBase64Url } from '../../../platform/base64.ts';
import { decodeUtf8 } from '../../../platform/bytes.ts';
import { checkBucketName, checkKey } from '../names.ts';
import { StorageError } from '../storage-error.ts';
import { uploadNotFound } from './tus-error.ts';

/** The id of an upload, in base64url in its URL: `bucket/path/version`. */
export interface UploadId {
  readonly text: string;
  readonly bucket: string;
  readonly path: string;
}

const ROUTE = '/upload/resumable';

/** The id of a new upload. @throws {StorageError} for invalid names. */
export const createUploadId = (bucket = '', path = ''): UploadId =>
  checked({ text: `${bucket}/${path}/${crypto.randomUUID()}`, bucket, path });

/** Reads the id in a URL. @throws {TusError} 404 without one, {StorageError} 400 for an invalid one. */
export function readUploadId(request: Request): UploadId {
  const segment = /([^/]+)\/?$/.exec(new URL(request.url).pathname)?.[1];
  // As in the service, any substring of the route counts as a missing id.
  if (segment === undefined || ROUTE.includes(segment)) throw uploadNotFound();
  const text = decodeUtf8(decodeBase64(segment));
  const [, bucket, path = '', version] = /^([^/]*)(?:\/(.*))?\/([^/]*)$/s.exec(text) ?? [];
  if (bucket === undefined) throw new StorageError(400, 'InvalidUploadId', 'Invalid upload id');
  if (!version) throw new StorageError(400, 'InvalidUploadId', 'Version not provided');
  return checked({ text, bucket, path });
}

export const encodeUploadId = ({ text }: UploadId): string => encodeBase64Url(text);

function checked(id: UploadId): UploadId {
  checkBucketName(id.bucket);
  checkKey(id.path);
  return id;
}
