export { createStorageClient } from './storage-client.ts';
export type { BucketInfo, BucketSettings, StorageClient } from './storage-client.ts';
export { StorageError } from './errors.ts';
export type { StorageErrorKind } from './errors.ts';
export type {
  Bucket,
  DownloadOptions,
  ListedObject,
  ListOptions,
  ObjectInfo,
  RequestOptions,
  SignedUrl,
  UploadBody,
  UploadedObject,
  UploadOptions,
} from './bucket.ts';
export type { ImageOptions, UrlOptions } from './object-url.ts';
export type { ProgressListener } from './progress.ts';
export { uploadResumable } from './resumable.ts';
export type { ResumableUploadOptions } from './resumable.ts';
export type { StorageClientOptions } from './transport.ts';
