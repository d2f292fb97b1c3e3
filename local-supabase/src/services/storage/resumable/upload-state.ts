import type { Sql } from '../../../database/database.ts';
import type { ObjectStore } from '../object-store.ts';
import type { StorageContext } from '../storage-context.ts';
import { uploadExpired, uploadNotFound } from './tus-error.ts';

/** As in hosted projects, an upload expires an hour after its creation. */
export const UPLOAD_LIFETIME_MS = 3_600_000;

/** The pairs of `Upload-Metadata`; the cache control is a value of its header. */
export interface UploadMetadata {
  readonly cacheControl: string;
  readonly [name: string]: string;
}

export interface UploadState {
  /** `bucket/path/version`, the id in the upload's URL. */
  readonly id: string;
  /** Null until a part declares it. */
  readonly sizeBytes: number | null;
  readonly offsetBytes: number;
  /** The offsets of the parts in the object store, in order. */
  readonly partOffsets: readonly number[];
  readonly metadata: UploadMetadata;
  readonly createdAtMs: number;
}

interface UploadRow {
  readonly id: string;
  readonly size_bytes: number | null;
  readonly offset_bytes: number;
  readonly part_offsets: readonly number[];
  readonly metadata: UploadMetadata;
  readonly created_at: Date;
}

export const expiryOf = ({ createdAtMs }: UploadState): string =>
  new Date(createdAtMs + UPLOAD_LIFETIME_MS).toUTCString();

const partKey = (id: string, offset: number): string => `${id}@${offset}`;

export async function createUpload(
  sql: Sql,
  { id, sizeBytes, metadata, createdAtMs }: Omit<UploadState, 'offsetBytes' | 'partOffsets'>,
): Promise<UploadState> {
  await sql.query(
    'insert into storage.resumable_uploads (id, size_bytes, metadata, created_at) values ($1, $2, $3, $4)',
    [id, sizeBytes, metadata, new Date(createdAtMs).toISOString()],
  );
  return { id, sizeBytes, metadata, createdAtMs, offsetBytes: 0, partOffsets: [] };
}

/** @throws {TusError} 404 for an unknown upload, 410 for one that has expired. */
export async function findUpload(sql: Sql, id: string, nowMs: number): Promise<UploadState> {
  const [row] = await sql.query<UploadRow>('select * from storage.resumable_uploads where id = $1', [id]);
  if (!row) throw uploadNotFound();
  const createdAtMs = row.created_at.getTime();
  if (nowMs > createdAtMs + UPLOAD_LIFETIME_MS) throw uploadExpired();
  return {
    id,
    sizeBytes: row.size_bytes,
    offsetBytes: row.offset_bytes,
    partOffsets: row.part_offsets,
    metadata: row.metadata,
    createdAtMs,
  };
}

/**
 * Stores a part at the upload's offset. Of two parts with the same offset only one counts, because the row is updated
 * under its old offset.
 */
export async function appendPart(
  sql: Sql,
  objects: ObjectStore,
  state: UploadState,
  part: Blob,
): Promise<UploadState | undefined> {
  if (part.size === 0) return state;
  const { id, offsetBytes, partOffsets } = state;
  const [changed] = await sql.query(
    `update storage.resumable_uploads
     set offset_bytes = offset_bytes + $3::bigint, part_offsets = array_append(part_offsets, offset_bytes)
     where id = $1 and offset_bytes = $2 returning id`,
    [id, offsetBytes, part.size],
  );
  if (!changed) return undefined;
  await objects.put(partKey(id, offsetBytes), part);
  return { ...state, offsetBytes: offsetBytes + part.size, partOffsets: [...partOffsets, offsetBytes] };
}

/** Stores the size of an upload that was created without one. */
export async function declareSize(sql: Sql, state: UploadState, sizeBytes: number): Promise<UploadState> {
  await sql.query('update storage.resumable_uploads set size_bytes = $2 where id = $1', [
    state.id,
    sizeBytes,
  ]);
  return { ...state, sizeBytes };
}

export async function joinParts(objects: ObjectStore, { id, partOffsets }: UploadState): Promise<Blob> {
  const parts = await Promise.all(partOffsets.map((offset) => objects.get(partKey(id, offset))));
  return new Blob(parts.filter((part) => part !== undefined));
}

export async function removeParts(
  sql: Sql,
  objects: ObjectStore,
  { id, partOffsets }: UploadState,
): Promise<void> {
  await sql.query(`update storage.resumable_uploads set part_offsets = '{}' where id = $1`, [id]);
  for (const offset of partOffsets) await objects.remove(partKey(id, offset));
}

/** Ends an upload as if its hour were over. */
export async function expireUpload(sql: Sql, { id }: UploadState): Promise<void> {
  await sql.query(`update storage.resumable_uploads set created_at = 'epoch' where id = $1`, [id]);
}

export async function removeUpload(sql: Sql, objects: ObjectStore, state: UploadState): Promise<void> {
  await sql.query('delete from storage.resumable_uploads where id = $1', [state.id]);
  await removeParts(sql, objects, state);
}

/** Removes expired uploads with their parts. */
export async function sweepUploads({ database, objects, now }: StorageContext): Promise<void> {
  const gone = await database.query<UploadRow>(
    'delete from storage.resumable_uploads where created_at < $1 returning *',
    [new Date(now() - UPLOAD_LIFETIME_MS).toISOString()],
  );
  for (const { id, part_offsets } of gone)
    for (const offset of part_offsets) await objects.remove(partKey(id, offset));
}
