import { decodeBase64, encodeBase64 } from '../../../platform/base64.ts';
import { decodeUtf8 } from '../../../platform/bytes.ts';
import { TusError } from './tus-error.ts';

/** The version of the protocol (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0';

export const PART_TYPE = 'application/offset+octet-stream';

const NAMES =
  'Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override, X-Requested-With, X-Forwarded-Host, X-Forwarded-Proto, Forwarded';

/** Of the storage service, only this protocol's server sends CORS headers (@tus/server, `server.ts`; storage, `src/app.ts:24`). */
export const TUS_EXPOSED_HEADERS = `${NAMES},`;

/** The headers of a response to OPTIONS. The gateway responds to preflights itself and forwards other requests. */
export const TUS_ALLOWED = {
  'access-control-allow-methods': 'POST, HEAD, PATCH, OPTIONS, DELETE',
  'access-control-allow-headers': `${NAMES}, Authorization, X-Upsert, Upload-Expires, ApiKey, x-signature`,
  'access-control-max-age': '86400',
} as const;

const isSize = (value: string): boolean =>
  /^(0|[1-9]\d*)$/.test(value) && Number.isSafeInteger(Number(value));

const VALIDATORS: Readonly<Record<string, (value: string) => boolean>> = {
  'upload-offset': isSize,
  'upload-length': isSize,
  'upload-defer-length': (value) => value === '1',
  'upload-metadata': (value) => parseUploadMetadata(value) !== undefined,
  'upload-concat': (value) => value === 'partial' || value.startsWith('final;'),
  'tus-resumable': (value) => value === TUS_VERSION,
};

/** Checks the headers of a request: 412 without a version, 400 for a malformed header, null for sound ones. */
export function headerProblem({ headers, method }: Request): TusError | null {
  if (!headers.get('tus-resumable')) return new TusError(412, 'Tus-Resumable Required\n');
  const type = headers.get('content-type');
  const invalid = Object.entries(VALIDATORS)
    .filter(([name, isValid]) => {
      const value = headers.get(name);
      return value !== null && !isValid(value);
    })
    .map(([name]) => name);
  if (method === 'PATCH' && type !== null && type !== PART_TYPE) invalid.push('content-type');
  return invalid.length > 0 ? new TusError(400, `Invalid ${invalid.toSorted().join(' ')}\n`) : null;
}

/** The pairs of `Upload-Metadata`: names, each with an optional base64 value; undefined for a malformed header. */
export function parseUploadMetadata(header: string | null): Readonly<Record<string, string>> | undefined {
  if (header === null) return undefined;
  const metadata = new Map<string, string>();
  for (const pair of header.split(',')) {
    const [name, value = '', ...rest] = pair.split(' ');
    if (!name || rest.length > 0 || metadata.has(name) || !/^[a-z\d+/]*={0,2}$/i.test(value))
      return undefined;
    metadata.set(name, decodeUtf8(decodeBase64(value)));
  }
  return Object.fromEntries(metadata);
}

export function encodeUploadMetadata(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([name, value]) => (value ? `${name} ${encodeBase64(value)}` : name))
    .join(',');
}
