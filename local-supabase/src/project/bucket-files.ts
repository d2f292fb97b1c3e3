import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { StartError } from '../platform/start-error.ts';
import type { FetchFunction } from '../http/in-process.ts';

export interface BucketFilesOptions {
  readonly folders: Readonly<Record<string, string>>;
  readonly url: string;
  readonly secretKey: string;
  readonly fetch: FetchFunction;
}

/**
 * Stores the files of folders as objects of buckets, as the vendor's CLI does at the start, and replaces objects of the
 * same name.
 *
 * @throws {StartError} for a missing folder, and a file that the bucket rejects.
 */
export async function uploadBucketFiles({
  folders,
  url,
  secretKey,
  fetch,
}: BucketFilesOptions): Promise<void> {
  for (const [bucket, folder] of Object.entries(folders)) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
      (problem: unknown) => {
        throw new StartError(`storage.buckets.${bucket}.objects_path: there is no folder ${folder}`, problem);
      },
    );
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = join(entry.parentPath, entry.name);
      const path = relative(folder, file).split(/[\\/]/).map(encodeURIComponent).join('/');
      const response = await fetch(`${url}/storage/v1/object/${bucket}/${path}`, {
        method: 'POST',
        headers: {
          apikey: secretKey,
          'x-upsert': 'true',
          'content-type': getMimeType(entry.name) ?? 'application/octet-stream',
        },
        body: await readFile(file),
      });
      if (!response.ok)
        throw new StartError(`${file} is refused by the bucket ${bucket}: ${await response.text()}`);
    }
  }
}
