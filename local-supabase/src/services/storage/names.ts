import { encodeUtf8 } from '../../platform/bytes.ts';
import { invalidBucketName, invalidKey } from './storage-error.ts';

/** The characters that the service accepts in object names; it checks nothing else. */
const KEY = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const BUCKET = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;

/** @throws {StorageError} for an invalid object name. */
export function checkKey(key: string): void {
  if (!KEY.test(key)) throw invalidKey(key);
}

/** @throws {StorageError} for an invalid bucket name. */
export function checkBucketName(name: string): void {
  if (!BUCKET.test(name)) throw invalidBucketName();
}

/** The maximum length of a path segment in bytes: the vendor's local stack stores objects as files. */
const MAX_SEGMENT_BYTES = 255;

/** @throws {StorageError} for a name that the service cannot store. */
export function checkStoredKey(key: string): void {
  checkKey(key);
  const segments = key.split('/');
  const isStored = (segment: string) =>
    segment !== '.' && segment !== '..' && encodeUtf8(segment).length <= MAX_SEGMENT_BYTES;
  if (!segments.every(isStored)) throw invalidKey(key);
}
