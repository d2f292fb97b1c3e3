import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../platform/base64.ts';
import { decodeUtf8 } from '../platform/bytes.ts';
import type { Bytes } from '../platform/bytes.ts';
import type { Database, Sql } from '../database/database.ts';
import type { ObjectStore } from './object-store.ts';
import { bucketNotFound, invalidRequest, objectTooLarge, StorageError } from './storage-error.ts';
import type { Transaction } from './transaction.ts';
import type { VersioningStatus } from './versions.ts';
import { archive, findCurrent } from './versions.ts';

/** An uploaded file with its metadata. */
export interface Upload {
  readonly bytes: Bytes;
  readonly contentType: string;
  /** The value of `Cache-Control` in responses. */
  readonly cacheControl: string;
  /** The value of `Content-Encoding` in responses; the bytes are stored as they were sent. */
  readonly contentEncoding?: string | undefined;
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
      contentEncoding: headers.get('content-encoding') ?? undefined,
      userMetadata: parseMetadataHeader(request),
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
    contentEncoding: text('contentEncoding') ?? undefined,
    userMetadata: parseMetadata(text('metadata')),
  };
}

export interface UploadLimits {
  readonly database: Database;
  /** The limit of the whole project. Default: none. */
  readonly fileSizeLimitBytes?: number | undefined;
}

/** What the service reads of a bucket for itself. */
export interface BucketRow {
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
  readonly versioning_status: VersioningStatus;
}

/** The bucket, also where the caller may not see it. */
export async function findBucket(database: Database, bucket: string): Promise<BucketRow | undefined> {
  const [row] = await database.query<BucketRow>(
    'select file_size_limit, allowed_mime_types, versioning_status from storage.buckets where id = $1',
    [bucket],
  );
  return row;
}

/** What is checked of an upload before its bytes are stored. */
export type UploadDescription = Pick<Upload, 'contentType' | 'cacheControl' | 'contentEncoding'> & {
  readonly sizeBytes: number;
};

/** Checks an upload against the limits of the project and its bucket, not against policies. Returns the bucket. */
export async function checkUpload(
  { database, fileSizeLimitBytes = Infinity }: UploadLimits,
  bucket: string,
  path: string,
  { contentType, cacheControl, contentEncoding = '', sizeBytes }: UploadDescription,
): Promise<BucketRow> {
  if (!KEY.test(path)) throw new StorageError(400, 'InvalidKey', `Invalid key: ${path}`);
  if (![contentType, cacheControl, contentEncoding].every((value) => HEADER_VALUE.test(value)))
    throw invalidRequest('The content type, its encoding or the cache control cannot be a header');
  const row = await findBucket(database, bucket);
  if (!row) throw bucketNotFound();
  if (sizeBytes > Math.min(row.file_size_limit ?? Infinity, fileSizeLimitBytes)) throw objectTooLarge();
  const type = contentType.split(';')[0] ?? '';
  if (row.allowed_mime_types?.length && !row.allowed_mime_types.some((allowed) => matchesType(type, allowed)))
    throw new StorageError(415, 'InvalidMimeType', `mime type ${type} is not supported`, 'invalid_mime_type');
  return row;
}

export interface Destination {
  readonly bucket: string;
  readonly path: string;
  /** Replaces an existing object. */
  readonly upsert: boolean;
  /** Whether the bucket keeps what is replaced. */
  readonly versioning: VersioningStatus;
}

/** An object that was stored. */
export interface StoredObject {
  readonly id: string;
  readonly version: string;
}

/** Writes the row with the permissions of `tx`, then stores the bytes. */
export async function storeObject(
  tx: Transaction,
  objects: ObjectStore,
  destination: Destination,
  { bytes, contentType, cacheControl, contentEncoding, userMetadata }: Upload,
): Promise<StoredObject> {
  const version = crypto.randomUUID();
  const metadata = {
    eTag: `"${bytesToHex(md5(bytes))}"`,
    size: bytes.length,
    mimetype: contentType,
    cacheControl,
    ...(contentEncoding && { contentEncoding }),
    lastModified: new Date().toISOString(),
    contentLength: bytes.length,
    httpStatusCode: 200,
  };
  const replaced = await makeRoom(tx, destination);
  const { bucket, path, versioning } = destination;
  const [row] = await tx.query<{ id: string }>(`${writeStatement(destination)} returning id`, [
    bucket,
    path,
    version,
    metadata,
    userMetadata,
    versioning === 'ENABLED',
  ]);
  await objects.put(version, bytes);
  if (replaced !== null) tx.afterCommit(() => objects.remove(replaced));
  return { id: row?.id ?? '', version };
}

/** Fails as `storeObject` would where the policies refuse the write, and changes nothing. */
export async function attemptToStore(sql: Sql, destination: Destination): Promise<void> {
  await sql.query('savepoint attempt');
  await makeRoom(sql, destination);
  // No `returning`, because a caller that may create objects need not be able to read them.
  await sql.query(writeStatement(destination), [
    destination.bucket,
    destination.path,
    null,
    null,
    null,
    false,
  ]);
  await sql.query('rollback to savepoint attempt');
}

/** Archives what the bucket keeps as an earlier version. Returns the version whose bytes the write replaces, or null. */
async function makeRoom(sql: Sql, { bucket, path, upsert, versioning }: Destination): Promise<string | null> {
  const current = await findCurrent(sql, bucket, path);
  if (!current) return null;
  const isKept = versioning === 'ENABLED' || current.is_versioned || current.is_delete_marker;
  if (!isKept) return current.version;
  if (upsert || current.is_delete_marker) await archive(sql, current);
  return null;
}

const writeStatement = ({ upsert }: Destination): string =>
  `insert into storage.objects (bucket_id, name, version, metadata, user_metadata, is_versioned, owner, owner_id)
   values ($1, $2, $3, $4, $5, $6, auth.uid(), auth.uid()::text)
   ${
     upsert
       ? `on conflict (bucket_id, name) where archived_at is null
          do update set version = excluded.version, metadata = excluded.metadata,
            user_metadata = excluded.user_metadata, updated_at = now()`
       : ''
   }`;

/** Whether the request replaces an object that exists. */
export const isUpsert = ({ headers }: Request): boolean => headers.get('x-upsert') === 'true';

function matchesType(type: string, allowed: string): boolean {
  return (
    allowed === '*/*' || allowed === type || (allowed.endsWith('/*') && type.startsWith(allowed.slice(0, -1)))
  );
}

/** The caller's own data about an object, from the header in which it is encoded. */
export function parseMetadataHeader({ headers }: Request): Record<string, unknown> {
  const encoded = headers.get('x-metadata');
  return parseMetadata(encoded === null ? null : decodeUtf8(decodeBase64(encoded)));
}

/** Parses the caller's own data about an object; a text that is no JSON counts as none. */
export function parseMetadata(text: string | null): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}
