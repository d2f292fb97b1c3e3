import { encodeSegment } from '../platform/path-segment.ts';
import { StorageError } from './errors.ts';
import { encodeLinkEnds } from './object-url.ts';

/** The characters that the storage service accepts in an object's name. */
const validKey = /^[\w/!.*'() &$=@;:+,?-]+$/;

/**
 * An object's path as the service keeps it, without slashes at its ends.
 *
 * @throws {StorageError} `invalid-key` for what the service refuses, and for segments that a URL would resolve away.
 */
export function normalizeKey(key: string): string {
  const trimmed = key.replace(/^\/+|\/+$/g, '');
  if (!validKey.test(key) || trimmed.split('/').some((segment) => /^\.{0,2}$/.test(segment))) {
    throw new StorageError('invalid-key', `Not a path of an object: ${JSON.stringify(key)}`);
  }
  return trimmed;
}

/** Whether `normalizeKey` accepts a path. */
export function isKey(key: string): boolean {
  try {
    normalizeKey(key);
    return true;
  } catch {
    return false;
  }
}

/**
 * A bucket's id, or a segment of a key, as a segment of a URL's path.
 *
 * @throws {StorageError} `invalid-key`
 */
export function encodeBucket(id: string): string {
  const encoded = encodeSegment(id, (reason) => {
    throw new StorageError('invalid-key', reason);
  });
  return encodeLinkEnds(encoded);
}

/** The normalized path with each segment percent-encoded, as a URL takes it. */
export function encodeKey(key: string): string {
  return normalizeKey(key).split('/').map(encodeBucket).join('/');
}

/**
 * A name as the service signs it: it decodes the path of the request by `decodeURI`, which leaves the escapes of
 * `& $ @ = ; : + ,`, and compares that with the whole name (supabase/storage 4fa61fba, `src/storage/object.ts:758` and `:900`).
 */
export function encodeForSigning(bucket: string, key: string): string {
  // Refuses the bucket's id where a URL parser would resolve it away.
  encodeBucket(bucket);
  // `encodeURI` does not encode these: the name would be in another bucket, or end there.
  if (/[/#]/.test(bucket))
    throw new StorageError('invalid-key', `Not the id of a bucket: ${JSON.stringify(bucket)}`);
  return encodeURI(`${bucket}/${key}`);
}

/** A name with `?` cannot be signed: the rest would be a query. */
export const isSignable = (name: string): boolean => !name.includes('?');
