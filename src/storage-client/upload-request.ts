import { encodeBase64 } from '../platform/base64.ts';
import { sentLimit } from '../platform/number-options.ts';
import type { OwnHeaders } from '../platform/service-http.ts';
import { requireRanges, StorageError } from './errors.ts';
import type { UploadOptions } from './objects.ts';

/** @throws {StorageError} `invalid-options` for an invalid time to keep the object. */
export function requireUpload({ cacheControlSeconds }: Pick<UploadOptions, 'cacheControlSeconds'>): void {
  if (typeof cacheControlSeconds !== 'string')
    requireRanges({ cacheControlSeconds }, { cacheControlSeconds: sentLimit });
}

/** The types of bodies by their tag, which is the same in every realm. */
const bodyTags = /^\[object (Blob|File|FormData|ArrayBuffer|URLSearchParams|ReadableStream)\]$/;

/**
 * Refuses what fetch would send as a text such as `[object Object]`, or as an empty object. React Native sends an object with a `uri`, Node
 * an iterable.
 *
 * @throws {StorageError} `invalid-request`
 */
export function requireBody(body: unknown): void {
  if (typeof body === 'string' || ArrayBuffer.isView(body)) return;
  if (body instanceof Blob || body instanceof FormData) return;
  const isObject = typeof body === 'object' && body !== null;
  if (isObject && ('uri' in body || Symbol.asyncIterator in body)) return;
  const tag = Object.prototype.toString.call(body);
  if (!bodyTags.test(tag)) throw new StorageError('invalid-request', `Not the content of an object: ${tag}`);
}

/**
 * Rejects with the reason of an upload that failed: browsers report a file that was changed or removed since it was chosen as a failure of
 * the network.
 */
export async function rejectUpload(problem: unknown, body: unknown): Promise<never> {
  if (problem instanceof StorageError && problem.code === 'network') {
    const parts = body instanceof FormData && Symbol.iterator in body ? [...body.values()] : [body];
    const files = parts.filter((part) => part instanceof Blob);
    await Promise.all(files.map((file) => file.slice(0, 1).arrayBuffer())).catch((cause: unknown) => {
      throw new StorageError('invalid-request', 'The file can no longer be read', { cause });
    });
  }
  throw problem;
}

/** The headers of an upload whose body is the object itself. */
export function uploadHeaders(options: UploadOptions): OwnHeaders {
  const { contentType, contentEncoding, cacheControlSeconds = 3600, metadata } = options;
  return {
    'cache-control': `max-age=${cacheControlSeconds}`,
    'content-type': contentType,
    'content-encoding': contentEncoding,
    ...upsertHeader(options),
    'x-metadata': metadata && encodeBase64(JSON.stringify(metadata)),
  };
}

/** The header that lets an upload replace an object. */
export function upsertHeader({ upsert }: { readonly upsert?: boolean | undefined }): OwnHeaders {
  return { 'x-upsert': upsert ? 'true' : undefined };
}

/**
 * The form of an upload: the service reads the options from fields before the file, not from headers. Fields that the
 * caller's form has already win.
 */
export function createUploadForm(body: FormData, options: UploadOptions): FormData {
  const { contentType, contentEncoding, cacheControlSeconds = 3600, metadata } = options;
  const given = entriesOf(body);
  const names = new Set(given.map(([field]) => field));
  const form = new FormData();
  const add = (field: string, value: string | undefined) => {
    if (value !== undefined && !names.has(field)) form.append(field, value);
  };
  add('cacheControl', String(cacheControlSeconds));
  add('contentType', contentType);
  add('contentEncoding', contentEncoding);
  add('metadata', metadata && JSON.stringify(metadata));
  for (const [field, value] of given) form.append(field, value as string);
  return form;
}

/** The form of React Native, which cannot be iterated; a file is a part with its `uri`. */
interface NativeForm {
  getParts(): readonly { readonly fieldName: string; readonly string?: string }[];
}

function entriesOf(form: FormData): readonly (readonly [field: string, value: unknown])[] {
  if (Symbol.iterator in form) return [...form];
  const parts = (form as NativeForm).getParts();
  return parts.map((part) => [part.fieldName, part.string ?? part]);
}
