import type { ObjectRow } from './object-row.ts';
import type { StorageContext } from './storage-context.ts';
import { objectNotFound } from './storage-error.ts';

/** The response with the bytes and caching headers. `?download` names the file for saving. */
export async function sendObject(
  { objects }: StorageContext,
  row: ObjectRow,
  request: Request,
): Promise<Response> {
  const { metadata, name } = row;
  const bytes = await objects.get(row.version);
  if (!bytes) throw objectNotFound();
  const headers = new Headers({
    'content-type': metadata.mimetype,
    'cache-control': metadata.cacheControl,
    etag: metadata.eTag,
    'last-modified': new Date(metadata.lastModified).toUTCString(),
    'x-robots-tag': 'none',
    'x-content-type-options': 'nosniff',
  });
  if (metadata.contentEncoding) headers.set('content-encoding', metadata.contentEncoding);
  // A script of an uploaded document would act as a page of this host, which may use the service role.
  if (/html|xml/i.test(metadata.mimetype)) headers.set('content-security-policy', 'sandbox');
  const wanted = new URL(request.url).searchParams.get('download');
  if (wanted !== null) {
    const saveAs = encodeURIComponent(wanted || (name.split('/').at(-1) ?? ''));
    headers.set('content-disposition', `attachment; filename*=UTF-8''${saveAs}`);
  }
  if (request.headers.get('if-none-match') === metadata.eTag)
    return new Response(null, { status: 304, headers });
  headers.set('content-length', String(bytes.length));
  return new Response(request.method === 'HEAD' ? null : bytes, { headers });
}
