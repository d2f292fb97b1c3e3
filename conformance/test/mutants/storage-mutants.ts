import {
  claimsOf,
  mutantsOf,
  onResponse,
  onRequest,
  withJson,
  withStatus,
  type FetchFault,
  type Json,
  type ServerMutant,
} from './mutant.ts';

const signed = mutantsOf('storage', 'signed URLs', 'rest#storage');
const objects = mutantsOf('storage', 'objects and buckets', 'rest#storage');

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
];
