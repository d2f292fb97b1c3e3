/** The storage client: buckets and objects. */
export { createStorageClient } from './storage-client.ts';
export type { BucketInfo, BucketSettings, LifecycleRule, StorageClient } from './storage-client.ts';
export type { StorageClientOptions } from './transport.ts';
export { StorageError } from './errors.ts';
export type { StorageErrorCode, StorageErrorFields } from './errors.ts';

// Calls.
export type { CallOptions } from './transport.ts';
export type { Bucket, PurgeOptions } from './bucket.ts';
export type {
  CopyOptions,
  DownloadOptions,
  ListedObject,
  ListOptions,
  ListV2Options,
  ListV2Page,
  ObjectInfo,
  Removal,
  SignedUploadUrl,
  SignedUrl,
  TransferOptions,
  UploadBody,
  UploadedObject,
  UploadOptions,
  VersionListOptions,
  VersionOptions,
} from './objects.ts';
export type { ImageOptions, UrlOptions } from './object-url.ts';

// Uploads that survive a lost connection.
export { uploadResumable } from './resumable.ts';
export type { ResumableUploadOptions } from './tus.ts';
export type { ProgressListener } from './progress.ts';
