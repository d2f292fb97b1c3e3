import { boolean, listOf, nullish, object, optional, record, string } from '../platform/schema.ts';

// What the service promises in successful responses: `successResponseSchema` of its routes in src/http/routes (4fa61fba).

/** The response of calls that yield nothing. */
export const confirmation = object({ message: string });
export const createdBucket = object({ name: string });
export const bucket = object({ id: string, name: string });
export const buckets = listOf(bucket);
export const rules = object({ rules: listOf(record) });

export const uploaded = object({ Key: string, Id: optional(string) });
/** The response of a copy; older versions lack `Id`. */
export const copied = object({ Key: string });
export const objectInfo = object({ name: string });
export const listed = listOf(object({ name: string }));
export const listedPage = object({ hasNext: boolean, folders: listOf(record), objects: listOf(record) });
export const signedUrl = object({ signedURL: string });
export const signedUrls = listOf(
  object({ path: string, signedURL: nullish(string), error: nullish(string) }),
);
export const signedUploadUrl = object({ url: string });
