import { StorageError } from './errors.ts';

/** What the storage service takes as the name of an object. */
const validKey = /^[\w/!.*'() &$=@;:+,?-]+$/;

/**
 * An object's path for a URL, each segment percent-encoded on its own.
 *
 * @throws {StorageError} `invalid-key` for what the service refuses, and for segments that a URL would resolve away.
 */
export function encodeKey(key: string): string {
  const segments = key.replace(/^\/+|\/+$/g, '').split('/');
  if (!validKey.test(key) || segments.some((segment) => /^\.{0,2}$/.test(segment))) {
    throw new StorageError('invalid-key', `Not the path of an object: ${JSON.stringify(key)}`);
  }
  return segments.map(encodeURIComponent).join('/');
}
