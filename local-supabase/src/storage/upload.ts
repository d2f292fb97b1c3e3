import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../platform/base64.ts';
import { decodeUtf8 } from '../platform/bytes.ts';
import type { Bytes } from '../platform/bytes.ts';
import type { Database, Sql } from '../database/database.ts';
import type { ObjectStore } from './object-store.ts';
import { bucketNotFound, invalidRequest, StorageError } from './storage-error.ts';
import type { Transaction } from './transaction.ts';

/** An uploaded file with its metadata. */
export interface Upload {
  readonly bytes: Bytes;
  readonly contentType: string;
  /** The value of `Cache-Control` in responses. */
  readonly cacheControl: string;
  readonly userMetadata: Record<string, unknown>;
}

/** The object names that the storage service accepts; other characters would not survive a URL. */
const KEY = /^[\w/!.*'() &$=@;:+,?-]+$/;
/** The characters that a header may contain; a form field may contain any. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Reads an upload: the raw body, or a form whose unnamed field is the file. */
export async function readUpload(request: Request): Promise<Upload> {
  const { headers } = request;
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  if (!contentType.startsWith('multipart/form-data')) {
    return {
      bytes: new Uint8Array(await request.arrayBuffer()),
      contentType,
      cacheControl: headers.get('cache-control') ?? 'no-cache',
      userMetadata: parseMetadata(fromBase64(headers.get('x-metadata'))),
    };
  }
  const form = await request.formData().catch(() => {
    throw invalidRequest('The form cannot be read');
  });
  const file = [...form.values()].find((value) => typeof value !== 'string');
  if (!file) throw invalidRequest('The form has no file');
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : null;
  };
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    contentType: text('contentType') ?? (file.type || 'application/octet-stream'),
    cacheControl: `max-age=${text('cacheControl') ?? '3600'}`,
    userMetadata: parseMetadata(text('metadata')),
  };
}

export interface UploadLimits {
  readonly database: Database;
  /** The limit of the whole project. Default: none. */
  readonly fileSizeLimitBytes?: number | undefined;
}

/** Checks an upload against the limits of the project and its bucket, not against policies. */
export async function checkUpload(
  { database, fileSizeLimitBytes = Infinity }: UploadLimits,
  bucket: string,
  path: string,
  upload: Upload,
): Promise<void> {
  if (!KEY.test(path)) throw new StorageError(400, 'InvalidKey', `Invalid key: ${path}`);
  if (![upload.contentType, upload.cacheControl].every((value) => HEADER_VALUE.test(value)))
    throw invalidRequest('The content type or the cache control cannot be a header');
  const [limits] = await database.query<{ size: number | null; types: string[] | null }>(
    'select file_size_limit as size, allowed_mime_types as types from storage.buckets where id = $1',
    [bucket],
  );
  if (!limits) throw bucketNotFound();
  if (upload.bytes.length > Math.min(limits.size ?? Infinity, fileSizeLimitBytes)) {
    throw new StorageError(
      413,
      'EntityTooLarge',
      'The object exceeded the maximum allowed size',
      'Payload too large',
    );
  }
  const type = upload.contentType.split(';')[0] ?? '';
  if (limits.types?.length && !limits.types.some((allowed) => matchesType(type, allowed))) {
    throw new StorageError(415, 'InvalidMimeType', `mime type ${type} is not supported`, 'invalid_mime_type');
  }
}

export interface Destination {
  readonly bucket: string;
  readonly path: string;
  /** Replaces an existing object. */
  readonly upsert: boolean;
}

/** Writes the row with the permissions of `tx`, then stores the bytes. Returns the row's id. */
export async function storeObject(
  tx: Transaction,
  objects: ObjectStore,
  destination: Destination,
  { bytes, contentType, cacheControl, userMetadata }: Upload,
): Promise<string> {
  const { bucket, path } = destination;
  const version = crypto.randomUUID();
  const metadata = {
    eTag: `"${bytesToHex(md5(bytes))}"`,
    size: bytes.length,
    mimetype: contentType,
    cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: bytes.length,
    httpStatusCode: 200,
  };
  const [before] = await tx.query<{ version: string }>(
    'select version from storage.objects where bucket_id = $1 and name = $2',
    [bucket, path],
  );
  const values = [bucket, path, version, metadata, userMetadata];
  const [row] = await tx.query<{ id: string }>(`${writeStatement(destination)} returning id`, values);
  await objects.put(version, bytes);
  if (before) tx.afterCommit(() => objects.remove(before.version));
  return row?.id ?? '';
}

/** Fails as `storeObject` would where the policies refuse the write. The caller removes the row. */
export async function attemptToStore(sql: Sql, destination: Destination): Promise<void> {
  // No `returning`, because a caller that may create objects need not be able to read them.
  await sql.query(writeStatement(destination), [destination.bucket, destination.path, null, null, null]);
}

const writeStatement = ({ upsert }: Destination): string =>
  `insert into storage.objects (bucket_id, name, version, metadata, user_metadata, owner, owner_id)
   values ($1, $2, $3, $4, $5, auth.uid(), auth.uid()::text)
   ${
     upsert
       ? `on conflict (bucket_id, name) do update set version = excluded.version, metadata = excluded.metadata,
            user_metadata = excluded.user_metadata, updated_at = now()`
       : ''
   }`;

function matchesType(type: string, allowed: string): boolean {
  return (
    allowed === '*/*' || allowed === type || (allowed.endsWith('/*') && type.startsWith(allowed.slice(0, -1)))
  );
}

const fromBase64 = (text: string | null) => (text === null ? null : decodeUtf8(decodeBase64(text)));

function parseMetadata(text: string | null): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}
