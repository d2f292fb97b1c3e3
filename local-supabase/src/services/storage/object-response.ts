import { describeObject } from './object-row.ts';
import type { ObjectRow } from './object-row.ts';
import type { StorageContext } from './storage-context.ts';
import { objectNotFound, StorageError } from './storage-error.ts';

interface SendOptions {
  /** The file name for the browser's download; empty for the object's own. Default: browsers display the object. */
  readonly download?: string | undefined;
  /** The expiry of the link. Default: the object's own `Cache-Control`. */
  readonly expires?: Date;
}

/** Types that a browser displays without running scripts, with or without parameters. */
const INERT =
  /^(?:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain)\s*(?:;|$)/i;

/** The response with the bytes or a range of them, and caching headers. */
export async function sendObject(
  { objects }: StorageContext,
  row: ObjectRow,
  request: Request,
  { download, expires }: SendOptions = {},
): Promise<Response> {
  const content = await objects.get(row.version);
  if (!content) throw objectNotFound();
  const headers = headersOf(row);
  if (expires) {
    headers.delete('cache-control');
    headers.set('expires', expires.toUTCString());
  } else setCacheControl(headers, request, 'stale-while-revalidate=30');
  if (download !== undefined) headers.set('content-disposition', dispositionOf(download));
  const isHead = request.method === 'HEAD';
  if (isUnchanged(request, headers)) {
    headers.set('content-length', '0');
    return new Response(null, { status: 304, headers });
  }
  const range = request.headers.get('range');
  if (!range) {
    headers.set('content-length', String(content.size));
    return new Response(isHead ? null : content, { headers });
  }
  const { first, last } = readRange(range, content.size);
  const part = content.slice(first, last + 1);
  headers.set('content-range', `bytes ${first}-${last}/${content.size}`);
  headers.set('content-length', String(part.size));
  return new Response(isHead ? null : part, { status: 206, headers });
}

/** The response to a HEAD request, from the row only: conditions and ranges are ignored. */
export function sendHead(row: ObjectRow, request: Request): Response {
  const headers = headersOf(row);
  // As in the service, HEAD does not have the rules for robots of the upload.
  headers.set('x-robots-tag', 'none');
  setCacheControl(headers, request, 'must-revalidate');
  if (row.metadata) headers.set('content-length', String(row.metadata.size));
  return new Response(null, { headers });
}

export function sendInfo(row: ObjectRow): Response {
  const { metadata } = row;
  const headers = new Headers();
  if (metadata) {
    headers.set('etag', metadata.eTag);
    headers.set('last-modified', new Date(metadata.lastModified).toUTCString());
    if (metadata.cacheControl) headers.set('cache-control', metadata.cacheControl);
  }
  return Response.json(describeObject(row), { headers });
}

function headersOf({ metadata }: ObjectRow): Headers {
  const ownType = metadata?.mimetype || 'application/octet-stream';
  // The service never serves HTML.
  const type = ownType.includes('text/html') ? 'text/plain' : ownType;
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'content-type': type,
    'cache-control': metadata?.cacheControl || 'no-cache',
    'x-robots-tag': metadata?.xRobotsTag ?? 'none',
    'x-content-type-options': 'nosniff',
  });
  if (metadata) {
    headers.set('etag', metadata.eTag);
    headers.set('last-modified', new Date(metadata.lastModified).toUTCString());
  }
  if (metadata?.contentEncoding) headers.set('content-encoding', metadata.contentEncoding);
  // Scripts in an uploaded document would run with this host's origin, which may use the service role.
  if (!INERT.test(type)) headers.set('content-security-policy', 'sandbox');
  return headers;
}

function setCacheControl(headers: Headers, request: Request, addition: string): void {
  const expected = request.headers.get('if-none-match');
  if (!expected || expected === headers.get('etag')) return;
  const own = headers.get('cache-control');
  headers.set('cache-control', own ? `${own}, ${addition}` : addition);
}

function dispositionOf(download: string): string {
  if (download === '') return 'attachment;';
  const name = encodeURIComponent(download);
  return `attachment; filename=${name}; filename*=UTF-8''${name}`;
}

/** As in the service, compares one ETag literally, and then the time. */
function isUnchanged({ headers: sent }: Request, headers: Headers): boolean {
  const eTag = headers.get('etag');
  return (
    (eTag !== null && sent.get('if-none-match') === eTag) ||
    timeOf(headers, 'last-modified') <= timeOf(sent, 'if-modified-since')
  );
}

/** Without the header it is not a number, which no comparison satisfies. */
const timeOf = (headers: Headers, name: string): number => Date.parse(String(headers.get(name)));

/** Parses a single range. @throws {StorageError} 416 for several ranges, and for one outside of the object. */
function readRange(header: string, sizeBytes: number): { readonly first: number; readonly last: number } {
  const refused = new StorageError(416, 'InvalidRange', 'invalid range provided', {
    error: 'invalid_range',
    httpStatus: 416,
  });
  const [, start, end] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (start === undefined || end === undefined || (start === '' && end === '') || sizeBytes === 0)
    throw refused;
  if (start === '') {
    if (!(Number(end) > 0)) throw refused;
    return { first: Math.max(sizeBytes - Number(end), 0), last: sizeBytes - 1 };
  }
  const first = Number(start);
  const last = end === '' ? sizeBytes - 1 : Number(end);
  if (first > last || first >= sizeBytes) throw refused;
  return { first, last: Math.min(last, sizeBytes - 1) };
}
