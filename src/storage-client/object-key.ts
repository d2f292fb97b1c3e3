import { StorageError } from './errors.ts';

/** What the storage service takes as the name of an object. */
const validKey = /^[\w/!.*'() &$=@;:+,?-]+$/;

/**
 * An object's path as the service keeps it, without slashes at its ends.
 *
 * @throws {StorageError} `invalid-key` for what the service refuses, and for segments that a URL would resolve away.
 */
export function normalizeKey(key: string): string {
  const trimmed = key.replace(/^\/+|\/+$/g, '');
  if (!validKey.test(key) || trimmed.split('/').some((segment) => /^\.{0,2}$/.test(segment))) {
    throw new StorageError('invalid-key', `Not the path of an object: ${JSON.stringify(key)}`);
  }
  return trimmed;
}

/** The same for a URL, each segment percent-encoded on its own. */
export const encodeKey = (key: string): string =>
  normalizeKey(key).split('/').map(encodeURIComponent).join('/');
