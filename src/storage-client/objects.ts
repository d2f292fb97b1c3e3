import type { ImageOptions } from './object-url.ts';
import type { ProgressListener } from './progress.ts';
import type { CallOptions } from './transport.ts';

/** Options of `upload`, `replace` and `uploadToSignedUrl`. */
export interface UploadOptions extends CallOptions {
  /** Media type. Default: the type of a Blob, else `application/octet-stream` as the server has it; of a form, its file's type. */
  readonly contentType?: string;
  /** The encoding that the body has already, such as `gzip`; downloads declare it, and browsers decode it. Default: none. */
  readonly contentEncoding?: string;
  /** How long caches may keep the object, in seconds, and further directives: `31536000, immutable`. Default 3600. */
  readonly cacheControlSeconds?: number | `${number}, ${string}`;
  /** Replaces an object of that path. Default false: `duplicate`. */
  readonly upsert?: boolean;
  /** The caller's own data about the object, any JSON. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Selects a version of an object. */
export interface VersionOptions {
  /** A `version` of `info` or of a listing. Default: the current version. */
  readonly versionId?: string;
}

/** Options of `download`. */
export interface DownloadOptions extends CallOptions, VersionOptions {
  /** The image as the service renders it. Default: the object unchanged. */
  readonly image?: ImageOptions;
  /** A text that makes caches fetch the object again. Default: none. */
  readonly cacheNonce?: string;
  /** Called as bytes arrive. */
  readonly onProgress?: ProgressListener;
}

/** Which versions of objects are listed, in buckets with versions. */
export interface VersionListOptions {
  /** Earlier versions. Default `exclude`. */
  readonly noncurrentVersions?: 'exclude' | 'include' | 'only';
  /** The delete markers of removed objects. Default `exclude`. */
  readonly deleteMarkers?: 'exclude' | 'include' | 'only';
  /** Only the object whose key equals the folder or prefix. Default false. */
  readonly exactMatch?: boolean;
}

/** Options of `list` and `pages`. */
export interface ListOptions extends CallOptions, VersionListOptions {
  /** Objects per page, of which the service sends 1,500 at most. Default 100. */
  readonly limit?: number;
  /** Objects to skip. Default 0. */
  readonly offset?: number;
  /** Default: by `name`, ascending. */
  readonly sortBy?: { readonly column: string; readonly order?: 'asc' | 'desc' };
  /** Only names that begin with this text, in any case. */
  readonly search?: string;
}

/** Options of `listV2`. */
export interface ListV2Options extends CallOptions, VersionListOptions {
  /** Objects per page, of which the service sends 1,000 at most. Default 100. */
  readonly limit?: number;
  /** Only keys that begin with this text. */
  readonly prefix?: string;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string;
  /** Groups keys by `/` into folders. Default false: every object below the prefix. */
  readonly withDelimiter?: boolean;
  /** Default: by `name`, ascending. */
  readonly sortBy?: {
    readonly column: 'name' | 'created_at' | 'updated_at';
    readonly order?: 'asc' | 'desc';
  };
}

/** An entry of a folder, as the service lists it; a folder has only a name. */
export interface ListedObject {
  /** The last segment of the path. */
  readonly name: string;
  /** UUID; null for a folder. */
  readonly id: string | null;
  /** ISO 8601; null for a folder. */
  readonly created_at: string | null;
  /** ISO 8601; null for a folder. */
  readonly updated_at: string | null;
  /** ISO 8601; null for a folder. */
  readonly last_accessed_at: string | null;
  /** Size, media type and the like; null for a folder. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The version's id; absent where the service has no versions. */
  readonly version?: string | null;
  /** When a later version replaced it, ISO 8601; null for the current version. */
  readonly archived_at?: string | null;
  /** Whether it is the delete marker of a removed object. */
  readonly is_delete_marker?: boolean | null;
  /** Whether it was written while the bucket kept versions. */
  readonly is_versioned?: boolean | null;
}

/** Options of `move` and `copy`. */
export interface TransferOptions extends CallOptions {
  /** Default: the same bucket. */
  readonly destinationBucket?: string;
  /** Moves or copies this version of the source; moved to its own path, it is restored. Default: the current version. */
  readonly sourceVersionId?: string;
}

/** Options of `copy`. */
export interface CopyOptions extends TransferOptions {
  /**
   * Metadata of the copy, replacing the source's; omitted members stay. The caller's own `metadata` is then not copied.
   * Default: all metadata is copied.
   */
  readonly replaceMetadata?: {
    /** The whole `Cache-Control` header, such as `max-age=3600`. */
    readonly cacheControl?: string;
    /** The encoding that the bytes have; empty for none. Needs a storage service from version 1.80 on. */
    readonly contentEncoding?: string;
    readonly contentType?: string;
  };
}

/** What `remove` removes: the object of a path, or one version of it, permanently. */
export type Removal =
  | string
  | {
      /** The path of the object. */
      readonly path: string;
      /** A `version` of `info` or of a listing. */
      readonly versionId: string;
    };

/** A page of `listV2`. */
export interface ListV2Page {
  /** Folders below the prefix; empty without `withDelimiter`. */
  readonly folders: readonly { readonly name: string; readonly key?: string }[];
  /** Objects of the page. */
  readonly objects: readonly (ListedObject & { readonly key?: string })[];
  /** Whether a further page exists. */
  readonly hasNext: boolean;
  /** The cursor of the next page; absent on the last. */
  readonly nextCursor?: string;
}

/** What the service stores about an object. */
export interface ObjectInfo {
  readonly id: string;
  /** The path within the bucket. */
  readonly name: string;
  /** Changes with each upload of the path. */
  readonly version: string;
  /** Bytes. */
  readonly size?: number;
  /** Media type. */
  readonly content_type?: string;
  /** The Cache-Control header of the object. */
  readonly cache_control?: string;
  /** Entity tag (RFC 9110 §8.8.3). */
  readonly etag?: string;
  /** The caller's own data about the object. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly created_at?: string;
  /** ISO 8601. */
  readonly last_modified?: string;
}

/** An object that was uploaded. */
export interface UploadedObject {
  readonly id: string;
  /** Within the bucket. */
  readonly path: string;
  /** The path, including the bucket. */
  readonly fullPath: string;
}

/** One result of `createSignedUrls`. */
export interface SignedUrl {
  /** The requested path. */
  readonly path: string;
  /** Null where the object does not exist or may not be read. */
  readonly url: string | null;
  /** The service's reason where there is no URL. */
  readonly error: string | null;
}

/** A URL and token with which a client without an account can upload one object. */
export interface SignedUploadUrl {
  /** The path of the object. */
  readonly path: string;
  /** The URL, token included. */
  readonly url: string;
  /** The token alone, as `uploadToSignedUrl` takes it. */
  readonly token: string;
}

/** What can be uploaded. */
export type UploadBody = Blob | BufferSource | string | FormData | URLSearchParams;
