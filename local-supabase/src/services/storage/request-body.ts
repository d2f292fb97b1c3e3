import { receiveInMemory, TooManyBytes } from './object-store.ts';
import { invalidContentType, invalidRequest, StorageError } from './storage-error.ts';

const MAX_JSON_BYTES = 1024 * 1024;

const EMPTY = "Body cannot be empty when content-type is set to 'application/json'";
const BROKEN = "Body is not valid JSON but content-type is set to 'application/json'";
const bodyTooLarge = () =>
  new StorageError(413, 'EntityTooLarge', 'Request body is too large', {
    error: 'FastifyError',
    httpStatus: 413,
  });
const refused = (message: string) => invalidRequest(message, 'FastifyError');

/** A media type with parameters (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;.*)?$/;

/** The media type of a request, in lower case; null without the header. @throws {StorageError} for an invalid one. */
export function mediaTypeOf({ headers }: Request): string | null {
  const header = headers.get('content-type');
  if (header === null) return null;
  const [, type] = MEDIA_TYPE.exec(header) ?? [];
  if (type === undefined) throw invalidContentType();
  return type.toLowerCase();
}

/**
 * Reads a JSON body as the service does: bodies of other types are ignored.
 *
 * @throws {StorageError} for a body that is too large, empty or malformed.
 */
export async function readJson(request: Request, { mayBeEmpty = false } = {}): Promise<unknown> {
  const type = mediaTypeOf(request);
  if (type === 'text/plain') return request.text();
  if (type !== 'application/json') return undefined;
  const { content } = await receiveInMemory(request.body, MAX_JSON_BYTES).catch((problem: unknown) => {
    throw problem instanceof TooManyBytes ? bodyTooLarge() : problem;
  });
  if (content.size === 0) {
    if (mayBeEmpty) return null;
    throw refused(EMPTY);
  }
  return parse(await content.text());
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (name: string, value: unknown) => {
      if (name === '__proto__' || (name === 'constructor' && hasPrototype(value))) throw new Error(name);
      return value;
    }) as unknown;
  } catch {
    throw refused(BROKEN);
  }
}

const hasPrototype = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
