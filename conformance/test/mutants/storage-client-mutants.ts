import { mutantsOf, type ClientMutant } from './client-mutant.ts';

const bucket = 'storage-client/bucket.ts';
const bucketRequests = 'storage-client/bucket-requests.ts';
const key = 'storage-client/object-key.ts';
const transport = 'storage-client/transport.ts';
const uploadRequest = 'storage-client/upload-request.ts';
const resumable = 'storage-client/resumable.ts';
const tus = 'storage-client/tus.ts';

export const storageClientMutants: readonly ClientMutant[] = [
  ...mutantsOf(
    'storage-client',
    'names and links',
    'rest#storage rest#storage-errors storage#links storage#clients storage#reads',
    [
      'accepts every path',
      key,
      "if (!validKey.test(key) || trimmed.split('/').some((segment) => /^\\.{0,2}$/.test(segment))) {",
      'if (key.length > 10_000) {',
    ],
    [
      'encodes no paths',
      key,
      "return normalizeKey(key).split('/').map(encodeBucket).join('/');",
      'return key;',
    ],
    [
      'signs an encoded name',
      key,
      'return encodeURI(`${bucket}/${key}`);',
      'return `${encodeBucket(bucket)}/${encodeKey(key)}`;',
    ],
    ['signs a name with a question mark as a query', key, "!name.includes('?');", 'name.length > 0;'],
    [
      'appends the decoded path of the service',
      bucketRequests,
      'const url = `${this.base}${route}/${encodeBucket(this.name)}/${encodeKey(key)}${queryIn(signed)}`;',
      'const url = this.base + signed + (route && "");',
    ],
    ['returns URLs that end in Markdown', 'storage-client/object-url.ts', "/[!'()*]/g", '/[\\0]/g'],
    ['sends a batch whole', bucketRequests, 'const PATHS_LIMIT = 1000;', 'const PATHS_LIMIT = 100_000;'],
    [
      'fails a batch for one bad name',
      bucketRequests,
      'inParts(paths.filter(isKey).map(normalizeKey))',
      'inParts(paths.map(normalizeKey))',
    ],
    [
      'fails a removal for one bad name',
      bucket,
      'paths.filter((path) => isKey(pathOf(path))).map(normalizeRemoval)',
      'paths.map(normalizeRemoval)',
    ],
    [
      'gives no name to a download',
      'storage-client/object-url.ts',
      "download === true ? '' : download",
      "''",
    ],
    ['may never replace by a link', bucket, '      ownHeaders: upsertHeader(options),\n', ''],
  ),
  ...mutantsOf(
    'storage-client',
    'objects and buckets',
    'storage#uploads storage#lists storage#buckets storage#removal-and-transfers',
    [
      'sends a number for caching',
      uploadRequest,
      '`max-age=${cacheControlSeconds}`',
      '`max-age=${Number(cacheControlSeconds)}`',
    ],
    ['sends no metadata', uploadRequest, 'metadata && encodeBase64(JSON.stringify(metadata))', 'undefined'],
    ['always replaces', uploadRequest, "upsert ? 'true' : undefined", "upsert === null ? undefined : 'true'"],
    ['puts no caching into a form', uploadRequest, "add('cacheControl', String(cacheControlSeconds));", ''],
    [
      'lists in ascending order only',
      bucketRequests,
      "const order = { order: 'asc', ...sortBy };",
      "const order = { ...sortBy, order: 'asc' };",
    ],
    [
      'lists the first page again',
      bucket,
      '{ limit, prefix, cursor, with_delimiter',
      '{ limit, prefix, with_delimiter',
    ],
    [
      'copies within its bucket only',
      bucketRequests,
      'sourceKey, destinationKey, destinationBucket, sourceVersionId };',
      'sourceKey, destinationKey, sourceVersionId, ...(destinationBucket && {}) };',
    ],
    ['keeps the metadata of a copy', bucket, 'copyMetadata: false', 'copyMetadata: true'],
    [
      'removes the limits of a bucket that it changes',
      'storage-client/storage-client.ts',
      'allowed_mime_types: settings.allowedMimeTypes,',
      'allowed_mime_types: settings.allowedMimeTypes ?? null,',
    ],
  ),
  ...mutantsOf(
    'storage-client',
    'proof of success, repetition and users',
    'storage#clients',
    [
      'takes a page for an object',
      bucketRequests,
      "/^text\\/html\\b/i.test(headers.get('content-type') ?? '')",
      'headers.has("x-none")',
    ],
    [
      'takes a page for a success',
      transport,
      "throw new StorageError(...foreignResponse('storage', response, text, cause));",
      'return (cause ? [] : undefined) as T;',
    ],
    [
      'repeats writes',
      transport,
      "if (request.method !== 'GET' && request.method !== 'HEAD') return attempt();",
      '',
    ],
    ['repeats no read', transport, '!hasResponse &&', 'hasResponse &&'],
    ['does not notice an expired token', transport, '/jwt expired|"exp" claim timestamp/i', '/jwt expired/i'],
    [
      'sends the second part as another user',
      bucket,
      'await bucket.send(request, { ...options, user }, listed)',
      'await bucket.send(request, { ...options, ...(user && {}) }, listed)',
    ],
    [
      'follows redirects',
      'platform/http.ts',
      "if (redirect === 'error' && isRedirect(response)) throw await refuseRedirect(response);",
      '',
    ],
    [
      'reads no Retry-After',
      transport,
      "parseRetryAfterSeconds(response.headers.get('retry-after'), nowMs)",
      'parseRetryAfterSeconds(null, nowMs)',
    ],
  ),
  ...mutantsOf(
    'storage-client',
    'resumable uploads',
    'storage#resumable-uploads',
    [
      'ends at a failure of the service',
      resumable,
      'status >= 500 || transientStatuses.has(status)',
      'transientStatuses.has(status)',
    ],
    ['ends at a lock', resumable, 'new Set([409, 423, 429])', 'new Set([409, 429])'],
    [
      'repeats a conflict',
      resumable,
      'isTransient(problem) && (problem as StorageError).status !== 409',
      'isTransient(problem)',
    ],
    [
      'repeats a part from its own offset',
      resumable,
      'if (attempt > 1) offset = await tus.readOffsetAfter(url, offset);',
      'void attempt;',
    ],
    [
      'reports an upload as stored when the service has its bytes',
      resumable,
      'if (problem === null || (await tus.isStored(url))) return;',
      'return;',
    ],
    [
      'continues the upload of another file',
      tus,
      'this.#requireSameUpload(response.headers);',
      'this.#requireSameUpload;',
    ],
    ['repeats at once', resumable, '[500, 1_000, 3_000, 5_000, 10_000, 20_000]', '[0, 0, 0, 0, 0, 0]'],
    [
      'follows a location to its host',
      tus,
      'return base + path + search;',
      "return new URL(headers.get('location') ?? '', base).href || search;",
    ],
    ['follows any location', tus, 'if (status !== 201 || path === undefined)', 'if (status !== 201)'],
    [
      'takes a page for an offset',
      tus,
      "throw new TypeError('The response has no offset of the upload');",
      'return size;',
    ],
    [
      'sends its key to another project',
      tus,
      'url.startsWith(`${this.#base}/`) && new URL(url).href.startsWith(uploads)',
      'url.length > 0 || uploads',
    ],
    ['sends no token of a link', tus, "'x-signature': options.signedToken,", ''],
    ['sends no caching', tus, 'String(cacheControlSeconds)', "'3600'"],
  ),
];
