import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../platform/base64.ts';
import { decodeUtf8 } from '../platform/bytes.ts';
import type { Bytes } from '../platform/bytes.ts';
import type { Database, Sql } from '../database/database.ts';
import { isUniqueViolation } from '../database/database-error.ts';
import type { ObjectStore } from './object-store.ts';
import { mediaTypeOf } from './request-body.ts';
import { checkRobotsTag } from './robots-tag.ts';
import {
  alreadyExists,
  bucketNotFound,
  invalidMimeType,
  invalidParameter,
  invalidRequest,
  objectTooLarge,
} from './storage-error.ts';
import type { Owner, Transaction } from './transaction.ts';
import type { VersioningStatus } from './versions.ts';
import { archive, asService, findCurrent } from './versions.ts';

export interface Upload {
  readonly bytes: Bytes;
  readonly contentType: string;
  /** The value of `Cache-Control` in responses. */
  readonly cacheControl: string;
  /** The value of `Content-Encoding` in responses; the bytes are stored unchanged. */
  readonly contentEncoding?: string | undefined;
  /** The value of `X-Robots-Tag` in responses. Default: `none`. */
  readonly robotsTag?: string | undefined;
  /** The user metadata: any JSON, or undefined to keep the object's. */
  readonly userMetadata: unknown;
}

/** The characters that a header may contain; a form field may contain any. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Reads an upload: the raw body, or the first file of a form. */
export async function readUpload(request: Request): Promise<Upload> {
  const { headers } = request;
  const robotsTag = headers.get('x-robots-tag') || undefined;
  if (robotsTag !== undefined) checkRobotsTag(robotsTag);
  const upload = headers.get('content-type')?.startsWith('multipart/form-data')
    ? await readForm(request)
    : await readRaw(request);
  const { contentType, cacheControl, contentEncoding = '' } = upload;
  if (![contentType, cacheControl, contentEncoding].every((value) => HEADER_VALUE.test(value)))
    throw invalidRequest('The content type, its encoding or the cache control cannot be a header');
  return { ...upload, robotsTag };
}

async function readRaw(request: Request): Promise<Upload> {
  const { headers } = request;
  mediaTypeOf(request);
  return {
    bytes: new Uint8Array(await request.arrayBuffer()),
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    cacheControl: headers.get('cache-control') || 'no-cache',
    contentEncoding: headers.get('content-encoding') ?? undefined,
    userMetadata: parseMetadataHeader(request),
  };
}

async function readForm(request: Request): Promise<Upload> {
  if (!/boundary=/i.test(request.headers.get('content-type') ?? ''))
    throw invalidRequest('Multipart: Boundary not found');
  const bytes = await request.clone().arrayBuffer();
  if (bytes.byteLength === 0) throw invalidRequest('No content provided');
  const form = await request.formData().catch(() => {
    throw invalidRequest('Unexpected end of multipart data');
  });
  const file = [...form.values()].find((value) => typeof value !== 'string');
  if (!file) throw invalidRequest('No content provided');
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : null;
  };
  const cacheSeconds = text('cacheControl');
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    contentType: text('contentType') || file.type || 'application/octet-stream',
    cacheControl: cacheSeconds ? `max-age=${cacheSeconds}` : 'no-cache',
    contentEncoding: text('contentEncoding') ?? undefined,
    userMetadata: parseMetadata(text('metadata') ?? text('userMetadata')),
  };
}

export interface UploadLimits {
  readonly database: Database;
  /** The limit of the whole project. Default none. */
  readonly fileSizeLimitBytes?: number | undefined;
}

/** The part of a bucket's row that the service itself uses. */
export interface BucketRow {
  readonly public: boolean;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
  readonly versioning_status: VersioningStatus;
}

/** The bucket, even if the caller may not see it. */
export async function findBucket(database: Sql, bucket: string): Promise<BucketRow | undefined> {
  const [row] = await database.query<BucketRow>(
    'select public, file_size_limit, allowed_mime_types, versioning_status from storage.buckets where id = $1',
    [bucket],
  );
  return row;
}

/** The bucket of an upload. @throws {StorageError} 404 if it does not exist. */
export async function findUploadBucket({ database }: UploadLimits, bucket: string): Promise<BucketRow> {
  const row = await findBucket(database, bucket);
  if (!row) throw bucketNotFound();
  return row;
}

/** Clients create empty folders with an object of this name, which has no bytes and no type. */
const isPlaceholder = (path: string): boolean => path.endsWith('.emptyFolderPlaceholder');

/** Checks an upload against the limits of the project and its bucket; policies are checked elsewhere. */
export function checkUpload(
  { fileSizeLimitBytes = Infinity }: UploadLimits,
  bucket: BucketRow,
  path: string,
  { contentType, sizeBytes }: { readonly contentType: string; readonly sizeBytes: number },
): void {
  const mostBytes = Math.min(bucket.file_size_limit ?? Infinity, fileSizeLimitBytes);
  if (!isPlaceholder(path)) checkMimeType(contentType, bucket);
  if (sizeBytes > (isPlaceholder(path) ? 0 : mostBytes)) throw objectTooLarge();
}

/** @throws {StorageError} for a type that the bucket does not allow. */
export function checkMimeType(contentType: string, { allowed_mime_types: allowed }: BucketRow): void {
  if (!allowed?.length) return;
  const [type, subtype, ...rest] = contentType.split('/');
  const isAllowed = allowed.some((one) => {
    const [allowedType, allowedSubtype] = one.split('/');
    return allowedType === type && (allowedSubtype === '*' || allowedSubtype === subtype);
  });
  if (subtype === undefined || rest.length > 1 || !isAllowed) throw invalidMimeType(contentType);
}

export interface Destination {
  readonly bucket: string;
  readonly path: string;
  readonly owner: Owner;
  readonly upsert: boolean;
  readonly versioning: VersioningStatus;
}

export interface StoredRow {
  readonly id: string;
  readonly version: string;
  readonly [column: string]: unknown;
}

/** The `metadata` of a row in `storage.objects`. */
export function describeBytes({ bytes, contentType, cacheControl, contentEncoding, robotsTag }: Upload) {
  return {
    eTag: `"${bytesToHex(md5(bytes))}"`,
    size: bytes.length,
    mimetype: contentType,
    cacheControl,
    ...(contentEncoding && { contentEncoding }),
    lastModified: new Date().toISOString(),
    contentLength: bytes.length,
    httpStatusCode: 200,
    ...(robotsTag !== undefined && { xRobotsTag: robotsTag }),
  };
}

/**
 * Checks that the caller of `tx` may store an upload, and stores it as the service itself.
 *
 * @param kept the user metadata to store. Default: that which the policies see.
 */
export async function storeAsCaller(
  tx: Transaction,
  objects: ObjectStore,
  destination: Destination,
  upload: Upload,
  kept: unknown = upload.userMetadata,
): Promise<StoredRow> {
  const { contentType: mimetype, bytes, userMetadata } = upload;
  await attemptToStore(tx, destination, { mimetype, contentLength: bytes.length }, userMetadata);
  return asService(tx, () => storeObject(tx, objects, destination, { ...upload, userMetadata: kept }));
}

/** The user metadata that the service stores for an upload: an empty object unless it is an object. */
export const membersOf = (userMetadata: unknown): object =>
  typeof userMetadata === 'object' && userMetadata !== null ? userMetadata : {};

/** Writes the row, then stores the bytes; access was already checked. */
export async function storeObject(
  tx: Transaction,
  objects: ObjectStore,
  destination: Destination,
  upload: Upload,
): Promise<StoredRow> {
  const version = crypto.randomUUID();
  const replaced = await makeRoom(tx, { ...destination, upsert: true });
  const { bucket, path, owner, versioning } = destination;
  const [row] = await tx.query<StoredRow>(`${writeStatement(true)} returning *`, [
    bucket,
    path,
    version,
    describeBytes(upload),
    upload.userMetadata ?? null,
    versioning === 'ENABLED',
    owner.uuid,
    owner.id,
    upload.userMetadata !== undefined,
  ]);
  if (!row) throw new Error('The row was not written');
  await objects.put(version, upload.bytes);
  if (replaced !== null) tx.afterCommit(() => objects.remove(replaced));
  return row;
}

/** Throws the service's error if policies reject the write. Rolls the write back in any case. */
export async function attemptToStore(
  sql: Sql,
  destination: Destination,
  metadata: object = {},
  userMetadata?: unknown,
): Promise<void> {
  const { bucket, path, owner, upsert } = destination;
  checkJson(userMetadata);
  await sql.query('savepoint attempt');
  await makeRoom(sql, destination);
  try {
    // As in the service, replacing requires a policy for reading, creating does not.
    await sql.query(`${writeStatement(upsert)} ${upsert ? 'returning *' : ''}`, [
      bucket,
      path,
      '1',
      metadata,
      userMetadata ?? null,
      false,
      owner.uuid,
      owner.id,
      ...(upsert ? [true] : []),
    ]);
  } catch (problem) {
    if (!upsert && isUniqueViolation(problem)) throw alreadyExists('KeyAlreadyExists');
    throw problem;
  }
  await sql.query('rollback to savepoint attempt');
}

/** The service passes lists and strings to PostgreSQL unencoded, which then rejects them as JSON. */
function checkJson(userMetadata: unknown): void {
  if (Array.isArray(userMetadata) || typeof userMetadata === 'string')
    throw invalidParameter('invalid input syntax for type json');
}

/** Archives the current version if the bucket keeps it. Returns the version whose bytes the write replaces, or null. */
async function makeRoom(sql: Sql, { bucket, path, upsert, versioning }: Destination): Promise<string | null> {
  const current = await findCurrent(sql, bucket, path);
  if (!current) return null;
  const isKept = versioning === 'ENABLED' || current.is_versioned || current.is_delete_marker;
  if (!isKept) return current.version;
  if (upsert || current.is_delete_marker) await archive(sql, current);
  return null;
}

const writeStatement = (upsert: boolean): string =>
  `insert into storage.objects (bucket_id, name, version, metadata, user_metadata, is_versioned, owner, owner_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   ${
     upsert
       ? `on conflict (bucket_id, name) where archived_at is null
          do update set version = excluded.version, metadata = excluded.metadata,
            user_metadata = case when $9 then excluded.user_metadata else objects.user_metadata end, updated_at = now(),
            owner = coalesce(excluded.owner, objects.owner), owner_id = coalesce(excluded.owner_id, objects.owner_id)`
       : ''
   }`;

export const isUpsert = ({ headers }: Request): boolean => headers.get('x-upsert') === 'true';

/** The user metadata, decoded from its header. */
export function parseMetadataHeader({ headers }: Request): unknown {
  const encoded = headers.get('x-metadata');
  return parseMetadata(encoded === null ? null : decodeUtf8(decodeBase64(encoded)));
}

/** Parses user metadata; invalid JSON counts as absent. */
export function parseMetadata(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
