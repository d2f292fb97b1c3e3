import { request } from 'node:http';
import * as fc from 'fast-check';
import type { StorageWorld } from './storage-world.ts';

interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly isService: boolean;
}

function encodeSafely(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, ''));
}

/** With the characters that a client may leave, and broken escapes. */
const encodeLightly = (text: string): string =>
  encodeSafely(text).replaceAll(/%(?:2F|40|3A|3F|25)/g, decodeURIComponent);

const ODD_NAMES = [
  '',
  'a.txt',
  'a b',
  'a@b?c',
  '..',
  '.',
  '/',
  '//',
  'ü',
  '😀',
  '%',
  '\u0000',
  'x'.repeat(300),
  "'--",
];
const name = fc.oneof(
  fc.constantFrom('fz', 'none', ...ODD_NAMES),
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const segment = fc.oneof(name.map(encodeSafely), name.map(encodeLightly));
const ROUTES = [
  'bucket',
  'object',
  'object/list',
  'object/list-v2',
  'object/sign',
  'object/upload/sign',
  'object/info',
  'object/public',
  'object/authenticated',
  'object/move',
  'object/copy',
  'upload/resumable',
  'upload/resumable/sign',
  'render/image/public',
  'cdn',
  'health',
];

const MEMBERS = [
  'name',
  'id',
  'public',
  'file_size_limit',
  'allowed_mime_types',
  'versioning_status',
  'prefix',
  'prefixes',
  'limit',
  'offset',
  'cursor',
  'search',
  'sortBy',
  'with_delimiter',
  'expiresIn',
  'paths',
  'transform',
  'bucketId',
  'sourceKey',
  'destinationKey',
  'destinationBucket',
  'copyMetadata',
  'metadata',
  'noncurrentVersions',
  'exactMatch',
  'rules',
];
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    1e20,
    '',
    'a',
    'fz',
    'a.txt',
    [],
    {},
    ['a'],
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    { column: 'name', order: 'desc' },
    { column: 'created_at' },
    { column: 1 },
    '\u0000',
    '10mb',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.constantFrom(...MEMBERS), value, { maxKeys: 6 })
      .map((json) => JSON.stringify(json)),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '{', 'null', '[]', '"x"', '5', '{"__proto__":1}') },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const PRINTABLE = fc.string({ maxLength: 12, unit: fc.constantFrom(...Array.from('abc019:;,=/*-"\\ %+')) });
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'x',
      '',
    ),
    'x-upsert': fc.constantFrom('true', 'false'),
    'x-metadata': fc.constantFrom('e30=', 'WzFd', 'eyJhIjoiXHUwMDAwIn0=', '{{'),
    'x-robots-tag': PRINTABLE,
    'cache-control': PRINTABLE,
    range: fc.constantFrom('bytes=0-1', 'bytes=9-', 'bytes=-0', 'x'),
    'if-none-match': PRINTABLE,
    'if-modified-since': PRINTABLE,
    'tus-resumable': fc.constantFrom('1.0.0', '0'),
    'upload-length': fc.constantFrom('3', '0', '-1', 'x'),
    'upload-offset': fc.constantFrom('0', 'x'),
    'upload-metadata': fc.constantFrom(
      'bucketName Zno=,objectName YQ==',
      'bucketName',
      '',
      'objectName AA==',
    ),
    'x-signature': PRINTABLE,
  },
  { requiredKeys: [] },
);
const query = fc.constantFrom(
  '',
  '?limit=1',
  '?limit=x&offset=-1',
  '?download=%00',
  '?token=a.b.c',
  '?sortColumn=name',
  '?width=1&a=%',
);

const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  path: fc
    .tuple(fc.constantFrom(...ROUTES), fc.array(segment, { maxLength: 3 }), query)
    .map(([route, segments, asked]) => `/${[route, ...segments].join('/')}${asked}`),
  headers,
  body,
  isService: fc.boolean(),
});

function send(world: StorageWorld, { method, path, headers: own, body: sent, isService }: FuzzedRequest) {
  const { hostname, port } = new URL(world.url);
  const token = isService ? world.serviceKey : world.anonKey;
  const options = { hostname, port, method, path: `/storage/v1${path}` };
  return new Promise<number>((resolve, reject) => {
    const outgoing = request({ ...options, headers: { apikey: token, ...own } }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(method === 'GET' || method === 'HEAD' ? undefined : sent);
  });
}

/** Sends generated requests. Fails where one is answered with 500, or keeps the next statement from being run. */
export async function fuzzStorage(
  world: StorageWorld,
  { numRuns, seed }: { readonly numRuns: number; readonly seed?: number },
): Promise<void> {
  const headersOfJson = { 'content-type': 'application/json' };
  const bucket = { method: 'POST', path: '/bucket', headers: headersOfJson, body: '{"name":"fz"}' };
  await send(world, { ...bucket, isService: true });
  await fc.assert(
    fc.asyncProperty(fuzzedRequest, async (fuzzed) => {
      const status = await send(world, fuzzed);
      if (status >= 500) throw new Error(`${status} for ${JSON.stringify(fuzzed)}`);
      await world.runSql('select 1');
    }),
    { numRuns, ...(seed !== undefined && { seed }) },
  );
}
