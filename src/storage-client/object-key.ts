import { StorageError } from './errors.ts';

/** The characters that the storage service takes in an object's name. */
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

/** The normalized path with each segment percent-encoded, as a URL takes it. */
export function encodeKey(key: string): string {
  return normalizeKey(key).split('/').map(encodeURIComponent).join('/');
}
