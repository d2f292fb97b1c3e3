import * as fc from 'fast-check';
import {
  bodyOf,
  contentTypes,
  type FuzzedRequest,
  methods,
  printable,
  segmentOf,
  valueOf,
} from './fuzzed-requests.ts';

export const bucket = 'fz';
const segment = segmentOf(bucket);
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
const value = valueOf(
  bucket,
  'a.txt',
  { column: 'name', order: 'desc' },
  { column: 'created_at' },
  { column: 1 },
);
const headers = fc.record(
  {
    'content-type': contentTypes,
    'x-upsert': fc.constantFrom('true', 'false'),
    'x-metadata': fc.constantFrom('e30=', 'WzFd', 'eyJhIjoiXHUwMDAwIn0=', '{{'),
    'x-robots-tag': printable,
    'cache-control': printable,
    range: fc.constantFrom('bytes=0-1', 'bytes=9-', 'bytes=-0', 'x'),
    'if-none-match': printable,
    'if-modified-since': printable,
    'tus-resumable': fc.constantFrom('1.0.0', '0'),
    'upload-length': fc.constantFrom('3', '0', '-1', 'x'),
    'upload-offset': fc.constantFrom('0', 'x'),
    'upload-metadata': fc.constantFrom(
      'bucketName Zno=,objectName YQ==',
      'bucketName',
      '',
      'objectName AA==',
    ),
    'x-signature': printable,
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

export const storageRequests: fc.Arbitrary<FuzzedRequest> = fc.record({
  method: methods,
  path: fc
    .tuple(fc.constantFrom(...ROUTES), fc.array(segment, { maxLength: 3 }), query)
    .map(([route, segments, query]) => `/${[route, ...segments].join('/')}${query}`),
  headers,
  body: bodyOf(MEMBERS, value),
  isService: fc.boolean(),
});
