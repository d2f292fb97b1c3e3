/** Method, path below `/storage/v1` and operation of each route, the first match counts. */
const OPERATIONS: readonly (readonly [methods: RegExp, path: RegExp, operation: string])[] = [
  [/^(?:GET|HEAD)$/, /^\/bucket\/?$/, 'storage.bucket.list'],
  [/^POST$/, /^\/bucket\/?$/, 'storage.bucket.create'],
  [/^(?:GET|HEAD)$/, /^\/bucket\/[^/]+$/, 'storage.bucket.get'],
  [/^PUT$/, /^\/bucket\/[^/]+$/, 'storage.bucket.update'],
  [/^DELETE$/, /^\/bucket\/[^/]+$/, 'storage.bucket.delete'],
  [/^POST$/, /^\/bucket\/[^/]+\/empty$/, 'storage.bucket.empty'],
  [/^POST$/, /^\/upload\/resumable\/sign\b/, 'storage.tus.upload.create_signed'],
  [/^(?:PATCH|PUT)$/, /^\/upload\/resumable\/sign\b/, 'storage.tus.upload.part_signed'],
  [/^HEAD$/, /^\/upload\/resumable\/sign\b/, 'storage.tus.upload.get_signed'],
  [/^DELETE$/, /^\/upload\/resumable\/sign\b/, 'storage.tus.upload.delete_signed'],
  [/^POST$/, /^\/upload\/resumable\b/, 'storage.tus.upload.create'],
  [/^(?:PATCH|PUT)$/, /^\/upload\/resumable\b/, 'storage.tus.upload.part'],
  [/^HEAD$/, /^\/upload\/resumable\b/, 'storage.tus.upload.get'],
  [/^DELETE$/, /^\/upload\/resumable\b/, 'storage.tus.upload.delete'],
  [/^POST$/, /^\/object\/list\/[^/]*$/, 'storage.object.list'],
  [/^POST$/, /^\/object\/list-v2\/[^/]*$/, 'storage.object.list_v2'],
  [/^POST$/, /^\/object\/sign\/[^/]*$/, 'storage.object.sign_many'],
  [/^POST$/, /^\/object\/sign\//, 'storage.object.sign'],
  [/^(?:GET|HEAD)$/, /^\/object\/sign\//, 'storage.object.get_signed'],
  [/^POST$/, /^\/object\/upload\/sign\//, 'storage.object.sign_upload_url'],
  [/^PUT$/, /^\/object\/upload\/sign\//, 'storage.object.upload_signed'],
  [/^POST$/, /^\/object\/move$/, 'storage.object.move'],
  [/^POST$/, /^\/object\/copy$/, 'storage.object.copy'],
  [/^GET$/, /^\/object\/public\//, 'storage.object.get_public'],
  [/^HEAD$/, /^\/object\/public\//, 'storage.object.info_public'],
  [/^GET$/, /^\/object\/info\/public\//, 'storage.object.info_public'],
  [/^GET$/, /^\/object\/info\//, 'object.get_authenticated_info'],
  [/^HEAD$/, /^\/object\//, 'object.head_authenticated_info'],
  [/^GET$/, /^\/object\//, 'storage.object.get_authenticated'],
  [/^POST$/, /^\/object\//, 'storage.object.upload'],
  [/^PUT$/, /^\/object\//, 'storage.object.upload_update'],
  [/^DELETE$/, /^\/object\/[^/]*$/, 'storage.object.delete_many'],
  [/^DELETE$/, /^\/object\//, 'storage.object.delete'],
];

/**
 * The name of a request's operation, which policies and triggers read as `storage.operation()`; empty for a route
 * without a name.
 *
 * @param path without the query, below `/storage/v1`.
 */
export function operationOf(method: string, path: string): string {
  const found = OPERATIONS.find(([methods, pattern]) => methods.test(method) && pattern.test(path));
  return found?.[2] ?? '';
}
