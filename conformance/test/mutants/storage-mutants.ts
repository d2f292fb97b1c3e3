import {
  asService,
  claimsOf,
  mutantsOf,
  onRequest,
  onResponse,
  withBodyMember,
  withHeader,
  withJson,
  withMember,
  withQuery,
  withSentHeaders,
  withSignedToken,
  withStatus,
  type FetchFault,
  type Json,
  type ServerMutant,
} from './mutant.ts';

const signed = mutantsOf('storage', 'signed URLs', 'rest#storage');
const objects = mutantsOf('storage', 'objects and buckets', 'rest#storage');
const buckets = mutantsOf('storage', 'settings and lists of buckets', 'storage#buckets');
const uploads = mutantsOf('storage', 'uploads', 'storage#uploads');
const reads = mutantsOf('storage', 'reads', 'storage#reads');
const links = mutantsOf('storage', 'links', 'storage#links');
const lists = mutantsOf('storage', 'lists of objects', 'storage#lists');
const changes = mutantsOf('storage', 'removal and transfers', 'storage#removal-and-transfers');
const resumable = mutantsOf('storage', 'resumable uploads', 'storage#resumable-uploads');
const access = mutantsOf('storage', 'access', 'storage#access');

const upload = /^POST \/storage\/v1\/object\/audit/;
const list = /\/object\/list\//;
const page = /\/object\/list-v2\//;
const transfer = /\/object\/(?:copy|move)/;
const start = /^POST \/storage\/v1\/upload\/resumable/;
const storeByLink = /^PUT \/storage\/v1\/object\/upload\/sign/;

/** Reads the object of a link with the service key, if `wanted`. */
const opening =
  (wanted: (claims: ReturnType<typeof claimsOf>) => boolean): FetchFault =>
  (send, { serviceRoleKey }) =>
  (url, init) => {
    const [, path, token] = /\/object\/sign\/(.+)\?token=([^&]+)/.exec(url) ?? [];
    if (path === undefined || token === undefined || !wanted(claimsOf(token))) return send(url, init);
    const headers = { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` };
    return send(`${url.slice(0, url.indexOf('/object/'))}/object/${path}`, { ...init, headers });
  };

const hasEnded = ({ exp }: ReturnType<typeof claimsOf>) => typeof exp === 'number' && exp * 1000 < Date.now();

export const storageMutants: readonly ServerMutant[] = [
  signed('opens another object by a signed link', {
    fetch: opening((claims) => claims['url'] !== undefined && !hasEnded(claims)),
  }),
  signed('opens a link after its time', { fetch: opening(hasEnded) }),
  signed('opens no signed link', { fetch: withStatus(/\/object\/sign\/\S*token=\S* 200/, 400, '{}') }),
  signed('signs links without a token', {
    fetch: onResponse(
      /^POST \/storage\/v1\/object\/sign\/\S* 200/,
      (response) => void (response.text = response.text.replace(/\?token=[^"]*/, '')),
    ),
  }),

  objects('replaces objects without being asked', {
    fetch: onRequest(/^POST \/storage\/v1\/object\//, ({ headers }) => headers.set('x-upsert', 'true')),
  }),
  objects('never replaces objects', {
    fetch: onRequest(/^POST \/storage\/v1\/object\//, ({ headers }) => headers.delete('x-upsert')),
  }),
  objects('lists no buckets', { fetch: withJson(/^GET \/storage\/v1\/bucket 200/, () => []) }),
  objects('creates a bucket twice', { fetch: withStatus(/^POST \/storage\/v1\/bucket 4\d\d/, 200, '{}') }),
  objects('opens private buckets to everyone', {
    fetch: onRequest(/\/object\/public\//, (request, { serviceRoleKey }) => {
      request.url = request.url.replace('/object/public/', '/object/');
      request.headers.set('authorization', `Bearer ${serviceRoleKey}`);
      request.headers.set('apikey', serviceRoleKey);
    }),
  }),
  objects('needs no policy', {
    fetch: onRequest(/\/storage\/v1\/object/, ({ headers }, { serviceRoleKey }) => {
      headers.set('authorization', `Bearer ${serviceRoleKey}`);
    }),
  }),
  objects('purges the cache for everyone', {
    fetch: withStatus(/^DELETE \/storage\/v1\/cdn\/\S* 403/, 200, '{}'),
  }),
  objects('keeps removed objects', {
    fetch: (send) => (url, init) =>
      init.method === 'DELETE' && /\/object\//.test(url)
        ? Promise.resolve(Response.json([]))
        : send(url, init),
  }),
  objects('lists in the other order', {
    fetch: withJson(/\/object\/list\/\S* 200/, (json) =>
      Array.isArray(json) ? (json as readonly Json[]).toReversed() : json,
    ),
  }),
  objects('damages the bytes of objects', {
    fetch: onResponse(
      /^GET \/storage\/v1\/object\/(?!sign)\S* 200/,
      (response) => void (response.text = `${response.text} `),
    ),
  }),
  objects('copies where it should move', {
    fetch: onRequest(
      /\/object\/move/,
      (request) => void (request.url = request.url.replace('/object/move', '/object/copy')),
    ),
  }),
  objects('returns another name than that of the upload', {
    fetch: onResponse(
      /^POST \/storage\/v1\/object\/audit\S* 200/,
      (response) => void (response.text = '{"Key":"other"}'),
    ),
  }),

  buckets('drops the media types of a new bucket', {
    fetch: withBodyMember(/^POST \/storage\/v1\/bucket$/, 'allowed_mime_types', undefined),
  }),
  buckets('lists buckets from the first one', {
    fetch: withQuery(/^GET \/storage\/v1\/bucket/, /offset=/, 'from='),
  }),
  buckets('deletes no bucket', { fetch: withStatus(/^DELETE \/storage\/v1\/bucket\S* 200/, 409, '{}') }),

  uploads('returns another id than that of the object', {
    fetch: withMember(/^POST \/storage\/v1\/object\/audit\S* 200/, 'Id', 'other'),
  }),
  uploads('keeps the metadata of a replaced object', {
    fetch: withMember(/\/object\/info\/[^/]+\/a 200/, 'metadata', { k: 1 }),
  }),
  uploads('ignores the type that a form names', {
    fetch: onRequest(upload, ({ body }) => {
      if (body instanceof FormData) body.delete('contentType');
    }),
  }),
  uploads('refuses the type of a placeholder', {
    fetch: withStatus(/emptyFolderPlaceholder 200/, 415, '{}'),
  }),
  uploads('takes any rule for robots', { fetch: withStatus(/\/object\/audit\S* 400/, 200, '{}') }),

  reads('refuses a suffix that is longer than the object', {
    fetch: withSentHeaders(/^GET/, (headers) => {
      if (headers.get('range') === 'bytes=-99') headers.set('range', 'bytes=99-');
    }),
  }),
  reads('ends each range one byte early', {
    fetch: onResponse(/ 206$/, (response) => void (response.text = response.text.slice(0, -1))),
  }),
  reads('does not tell when an object changed', {
    fetch: withHeader(/\/object\/\S* 200/, 'last-modified', () => null),
  }),
  reads('serves each object as plain text', {
    fetch: withHeader(/^GET \/storage\/v1\/object\/\S* 200/, 'content-type', () => 'text/plain'),
  }),

  links('signs each link for a minute', { fetch: withBodyMember(/\/object\/sign\//, 'expiresIn', 60) }),
  links('serves whole objects by links', {
    fetch: withSentHeaders(/\/object\/sign\/\S*token=/, (headers) => headers.delete('range')),
  }),
  links('stores any object by an upload link', {
    fetch: withStatus(/^PUT \/storage\/v1\/object\/upload\/sign\S* 400/, 200, '{}'),
  }),
  links('has no limits for uploads by a link', {
    fetch: onResponse(/^PUT \S* 400/, (response) => {
      if (response.text.includes('EntityTooLarge')) response.status = 200;
    }),
  }),
  links('drops the metadata of an upload by a link', {
    fetch: withSentHeaders(storeByLink, (headers) => headers.delete('x-metadata')),
  }),

  lists('lists objects without their size', {
    fetch: withMember(/\/object\/list\/\S* 200/, '*.metadata.size', undefined),
  }),
  lists('orders each list by name', { fetch: withBodyMember(list, 'sortBy.column', 'name') }),
  lists('ignores the prefix of a page', { fetch: withBodyMember(page, 'prefix', '') }),
  lists('orders each page in ascending order', { fetch: withBodyMember(page, 'sortBy.order', 'asc') }),
  lists('ignores the limit of a page', { fetch: withBodyMember(page, 'limit', 1000) }),

  changes('transfers within a bucket only', {
    fetch: withBodyMember(transfer, 'destinationBucket', undefined),
  }),
  changes('returns a copy without its bucket', {
    fetch: withMember(/\/object\/copy 200/, 'bucket_id', undefined),
  }),
  changes('caches no copy without its metadata', {
    fetch: withBodyMember(/\/object\/copy/, 'metadata.cacheControl', 'no-cache'),
  }),
  changes('transfers an object without a name', {
    fetch: withStatus(/\/object\/(?:copy|move) 400/, 200, '{}'),
  }),
  changes('returns removed objects without their ids', {
    fetch: withMember(/^DELETE \/storage\/v1\/object\S* 200/, '*.id', undefined),
  }),

  resumable('drops the part that a creation has', {
    fetch: onRequest(start, (request) => void (request.body &&= '')),
  }),
  resumable('does not defer a length', {
    fetch: withSentHeaders(start, (headers) => headers.delete('upload-defer-length')),
  }),
  resumable('drops the metadata of an upload', {
    fetch: withSentHeaders(start, (headers) =>
      headers.set('upload-metadata', (headers.get('upload-metadata') ?? '').replace(/,metadata [^,]+/, '')),
    ),
  }),
  resumable('takes parts of any type', { fetch: withStatus(/^PATCH \S* 40\d/, 204) }),
  resumable('does not mark the last part', {
    fetch: withHeader(/^PATCH \S* 204/, 'tus-complete', () => null),
  }),
  resumable('names no extensions', { fetch: withHeader(/^OPTIONS/, 'tus-extension', () => null) }),
  resumable('takes no link for a resumable upload', {
    fetch: withSentHeaders(/\/resumable\/sign/, (headers) => headers.delete('x-signature')),
  }),
  resumable('replaces an object by a part that does not ask for it', {
    fetch: withSentHeaders(/^PATCH/, (headers) => headers.set('x-upsert', 'true')),
  }),
  resumable('terminates complete uploads', { fetch: withStatus(/^DELETE \S*\/resumable\S* 400/, 204) }),
  resumable('takes any media type at the creation', { fetch: withStatus(/^POST \S* 415/, 201) }),

  access('describes a public object with a key only', {
    fetch: withStatus(/\/info\/public\/\S* 200/, 400, '{}'),
  }),
  access('shows each bucket to everyone', { fetch: asService(/^GET \/storage\/v1\/bucket/) }),
  access('copies objects for everyone', { fetch: asService(/\/object\/copy/) }),
  access('accepts expired tokens', {
    fetch: withSignedToken(hasEnded, (claims) => ({ ...claims, exp: Math.ceil(Date.now() / 1000) + 60 })),
  }),
];
