import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../../platform/base64.ts';
import { decodeUtf8 } from '../../platform/bytes.ts';
import type { Database, Sql } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/database-error.ts';
import { readParts } from './multipart.ts';
import { readAtMost, TooManyBytes, type ObjectStore } from './object-store.ts';
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
  readonly content: Blob;
  readonly eTag: string;
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

/** The maximum number of bytes that a form has besides its file. */
const FORM_BYTES = 1024 * 1024;

/**
 * Receives an upload, the raw body or the first file of a form, and passes it to `task`.
 *
 * @throws {StorageError} for a body above the project's limit, before the rest is read.
 */
export async function withUpload<T>(
  { objects, fileSizeLimitBytes }: UploadLimits & { readonly objects: ObjectStore },
  request: Request,
  task: (upload: Upload) => Promise<T>,
): Promise<T> {
  const { headers } = request;
  const robotsTag = headers.get('x-robots-tag') || undefined;
  if (robotsTag !== undefined) checkRobotsTag(robotsTag);
  const type = headers.get('content-type');
  const isForm = type?.startsWith('multipart/form-data') === true;
  const boundary = isForm ? boundaryOf(type) : undefined;
  if (!isForm) mediaTypeOf(request);
  const maxBytes = fileSizeLimitBytes + (isForm ? FORM_BYTES : 0);
  const body = await objects.receive(request.body, maxBytes).catch((problem: unknown) => {
    throw problem instanceof TooManyBytes ? objectTooLarge() : problem;
  });
  try {
    const upload =
      boundary === undefined ? readRaw(request, body.content) : await readForm(body.content, boundary);
    const { contentType, cacheControl, contentEncoding = '' } = upload;
    if (![contentType, cacheControl, contentEncoding].every((value) => HEADER_VALUE.test(value)))
      throw invalidRequest('The content type, its encoding or the cache control cannot be a header');
    return await task({ ...upload, eTag: await eTagOf(upload.content), robotsTag });
  } finally {
    await body.end();
  }
}

type ReadBody = Omit<Upload, 'eTag' | 'robotsTag'>;

function readRaw(request: Request, content: Blob): ReadBody {
  const { headers } = request;
  return {
    content,
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    cacheControl: headers.get('cache-control') || 'no-cache',
    contentEncoding: headers.get('content-encoding') ?? undefined,
    userMetadata: parseMetadataHeader(request),
  };
}

function boundaryOf(type: string): string {
  const [, quoted, plain] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw invalidRequest('Multipart: Boundary not found');
  return boundary;
}

async function readForm(body: Blob, boundary: string): Promise<ReadBody> {
  if (body.size === 0) throw invalidRequest('No content provided');
  const parts = await readParts(body, boundary);
  const file = parts.find(({ isFile }) => isFile);
  if (!file) throw invalidRequest('No content provided');
  const text = async (name: string) =>
    (await parts.find((part) => part.name === name && !part.isFile)?.content.text()) ?? null;
  const cacheSeconds = await text('cacheControl');
  return {
    content: file.content,
    contentType: (await text('contentType')) || file.type,
    cacheControl: cacheSeconds ? `max-age=${cacheSeconds}` : 'no-cache',
    contentEncoding: (await text('contentEncoding')) ?? undefined,
    userMetadata: parseMetadata((await text('metadata')) ?? (await text('userMetadata'))),
  };
}

/** The quoted MD5 of the content, read in parts. */
export async function eTagOf(content: Blob): Promise<string> {
  const hash = md5.create();
  for await (const chunk of readAtMost(content.stream(), Infinity)) hash.update(chunk);
  return `"${bytesToHex(hash.digest())}"`;
}

export interface UploadLimits {
  readonly database: Database;
  /** The limit of the whole project. */
  readonly fileSizeLimitBytes: number;
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

export async function versioningOf(database: Sql, bucket: string): Promise<VersioningStatus> {
  return (await findBucket(database, bucket))?.versioning_status ?? 'DISABLED';
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
  { fileSizeLimitBytes }: UploadLimits,
  bucket: BucketRow,
  path: string,
  { contentType, content }: Pick<Upload, 'contentType' | 'content'>,
): void {
  const maxBytes = Math.min(bucket.file_size_limit ?? Infinity, fileSizeLimitBytes);
  if (!isPlaceholder(path)) checkMimeType(contentType, bucket);
  if (content.size > (isPlaceholder(path) ? 0 : maxBytes)) throw objectTooLarge();
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
function describeContent({ content, eTag, contentType, cacheControl, contentEncoding, robotsTag }: Upload) {
  return {
    eTag,
    size: content.size,
    mimetype: contentType,
    cacheControl,
    ...(contentEncoding && { contentEncoding }),
    lastModified: new Date().toISOString(),
    contentLength: content.size,
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
  const { contentType: mimetype, content, userMetadata } = upload;
  await attemptToStore(tx, destination, { mimetype, contentLength: content.size }, userMetadata);
  return asService(tx, () => storeObject(tx, objects, destination, { ...upload, userMetadata: kept }));
}

/** The user metadata that the service stores for an upload: its members, which are the characters of a text. */
export const membersOf = (userMetadata: unknown): object => ({ ...(userMetadata as object) });

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
    describeContent(upload),
    upload.userMetadata ?? null,
    versioning === 'ENABLED',
    owner.uuid,
    owner.id,
    upload.userMetadata !== undefined,
  ]);
  if (!row) throw new Error('The row was not written');
  await objects.put(version, upload.content);
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
  // The service passes lists to PostgreSQL unencoded, which then rejects them as JSON.
  if (Array.isArray(userMetadata)) throw invalidParameter('invalid input syntax for type json');
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
