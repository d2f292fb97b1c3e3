import type { RecordedResponse } from './recorded-request.ts';

/** An unparsed response. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that are recorded in addition to those of `RecordedResponse`. */
const HEADERS: readonly string[] = [
  'accept-ranges',
  'content-length',
  'etag',
  'expires',
  'last-modified',
  'location',
  'tus-complete',
  'tus-extension',
  'tus-max-size',
  'tus-resumable',
  'tus-version',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  'x-robots-tag',
];

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;
const HTTP_TIME = /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g;
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
/** The URL of a resumable upload ends in an encoded path. */
const LOCATION = /^https?:\/\/[^/]+(?:\/storage\/v1)?(\/upload\/resumable(?:\/sign)?)\/[\w-]+$/;

/** The URL of a resumable upload in the message about an unknown route. */
const UPLOAD_PATH = /(\/upload\/resumable\/)[\w-]{24,}/g;

const mask = (text: string): string =>
  text
    .replaceAll(UUID, '<uuid>')
    .replaceAll(TOKEN, '<jwt>')
    .replaceAll(TIME, '<t>')
    .replaceAll(HTTP_TIME, '<t>')
    .replace(LOCATION, '$1/<id>')
    .replaceAll(UPLOAD_PATH, '$1<id>');

/** Masks the times in a cursor. */
function maskCursor(text: string): string {
  const plain = Buffer.from(text, 'base64').toString('utf8');
  return /^[loca]:/.test(plain) ? mask(plain) : text;
}

/** Recordings of the first day replaced the start of these members and left a stray quote in their values. */
const BROKEN_MEMBER = /"(e[tT]ag)":"…"([\da-f]{32})\\""/g;

/** Normalizes JSON: sorts members, and masks values that differ between runs. */
export function canonicalBody(body: unknown): string {
  if (typeof body !== 'string') return JSON.stringify(body, canonicalMember);
  try {
    return JSON.stringify(
      JSON.parse(body.replaceAll(BROKEN_MEMBER, '"$1":"\\"$2\\""')) as unknown,
      canonicalMember,
    );
  } catch {
    return mask(body);
  }
}

function canonicalMember(name: string, value: unknown): unknown {
  if (name === 'cacheControl' || name === 'lastModified' || name === 'last_modified') return '…';
  if (name === 'nextCursor' && typeof value === 'string') return maskCursor(value);
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The response in the form of the recordings. */
export function describeResponse({ status, headers, body }: WireResponse): RecordedResponse {
  const header = (name: string) => headers[name] ?? null;
  const masked = (name: string) => [name, headers[name] === undefined ? null : mask(headers[name])] as const;
  return {
    status,
    type: (headers['content-type'] ?? '').split(';')[0] ?? '',
    contentDisposition: header('content-disposition'),
    contentRange: header('content-range'),
    cacheControl: header('cache-control'),
    body: parseBody(body),
    headers: Object.fromEntries(HEADERS.map(masked)),
  };
}

function parseBody(body: string): unknown {
  const canonical = canonicalBody(body);
  try {
    return JSON.parse(canonical) as unknown;
  } catch {
    return canonical;
  }
}

/** The differences between a response and the recorded one. */
export function compareResponses(wanted: RecordedResponse, got: RecordedResponse): readonly string[] {
  const differences: string[] = [];
  const compare = (what: string, a: unknown, b: unknown) => {
    const [left, right] = [canonicalBody(a ?? null), canonicalBody(b ?? null)];
    if (left !== right) differences.push(`${what}: wanted ${left}, got ${right}`);
  };
  compare('status', wanted.status, got.status);
  compare('type', wanted.type, got.type);
  compare('content-disposition', wanted.contentDisposition, got.contentDisposition);
  compare('content-range', wanted.contentRange, got.contentRange);
  compare('cache-control', wanted.cacheControl, got.cacheControl);
  compare('body', wanted.body, got.body);
  for (const [name, value] of Object.entries(wanted.headers ?? {}))
    if (HEADERS.includes(name) && !isLengthOfJson(name, wanted))
      compare(name, value, got.headers?.[name] ?? null);
  return differences;
}

/** Ignores the order of members and the length of ids and times. */
const isLengthOfJson = (name: string, { type }: RecordedResponse): boolean =>
  name === 'content-length' && type === 'application/json';
