import { encodeBase64 } from '../platform/base64.ts';
import { sentLimit } from '../platform/number-options.ts';
import type { OwnHeaders } from '../platform/service-http.ts';
import { requireRanges } from './errors.ts';
import type { UploadOptions } from './objects.ts';

/** @throws {StorageError} `invalid-options` for an invalid time to keep the object. */
export function requireUpload({ cacheControlSeconds }: Pick<UploadOptions, 'cacheControlSeconds'>): void {
  if (typeof cacheControlSeconds !== 'string')
    requireRanges({ cacheControlSeconds }, { cacheControlSeconds: sentLimit });
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
