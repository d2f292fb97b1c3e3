import {
  asService,
  claimsOf,
  mutantsOf,
  onRequest,
  onResponse,
  patch,
  textAt,
  valueAt,
  withBodyMember,
  withHeader,
  withJson,
  withMember,
  withQuery,
  withSentHeaders,
  withStatus,
  type ChangeableRequest,
  type FetchFault,
  type Json,
  type ServerMutant,
} from './mutant.ts';

const buckets = mutantsOf('storage', 'settings and lists of buckets', 'storage#buckets');
const bodies = mutantsOf('storage', 'bodies and refusals', 'storage#bodies');
const uploads = mutantsOf('storage', 'uploads', 'storage#uploads');
const reads = mutantsOf('storage', 'reads', 'storage#reads');
const links = mutantsOf('storage', 'links', 'storage#links');
const lists = mutantsOf('storage', 'lists of objects', 'storage#lists');
const changes = mutantsOf('storage', 'removal and transfers', 'storage#removal-and-transfers');
const resumable = mutantsOf('storage', 'resumable uploads', 'storage#resumable-uploads');
const access = mutantsOf('storage', 'access', 'storage#access');

const list = /\/object\/list\//;
const page = /\/object\/list-v2\//;
const info = /\/object\/info\/\S* 200/;

/** Changes the JSON of requests. */
const withSentJson = (match: RegExp, change: (json: Json) => Json): FetchFault =>
  onRequest(match, (request: ChangeableRequest) => {
    if (request.json !== undefined) request.body = JSON.stringify(change(request.json));
  });

const byCreation = (match: RegExp): FetchFault =>
  withSentJson(match, (json) =>
    valueAt(json, 'sortBy.column') === 'updated_at' ? patch(json, 'sortBy.column', 'created_at') : json,
  );

/** Faults in single members, headers and texts of responses. */
export const storageDetailMutants: readonly ServerMutant[] = [
  buckets('keeps a public bucket public', { fetch: withBodyMember(/^PUT \S*\/bucket\//, 'public', true) }),
  buckets('does not say that a bucket was changed', {
    fetch: withMember(/^(?:PUT|DELETE) \S*\/bucket\/\S* 200/, 'message', 'ok'),
  }),
  buckets('does not tell when a bucket was created', {
    fetch: withMember(/^GET \S*\/bucket\/audit\S* 200/, 'created_at', undefined),
  }),
  buckets('lists buckets without their limits', {
    fetch: withMember(/^GET \S*\/bucket 200/, '*.file_size_limit', null),
  }),
  buckets('finds the beginning of names alone', {
    fetch: withQuery(/^GET \S*\/bucket\?/, /search=(?!audit)[^&]+/, 'search=none-such'),
  }),
  buckets('has no limit for the limits of buckets', {
    fetch: onResponse(/^PUT \S*\/bucket\/\S* 400/, (response) => {
      if (response.text.includes('EntityTooLarge')) response.status = 200;
    }),
  }),
  buckets('empties a bucket that does not exist', { fetch: withStatus(/-none\/empty 400/, 200) }),
  buckets('ignores a wrong limit', {
    fetch: withSentJson(/^PUT \S*\/bucket\//, (json) => {
      const limit = valueAt(json, 'file_size_limit');
      return limit === '5xb' || limit === 1.5 ? { public: false } : json;
    }),
  }),
  buckets('creates public buckets by default', {
    fetch: withSentJson(/^POST \S*\/bucket$/, (json) =>
      valueAt(json, 'public') === undefined ? patch(json, 'public', true) : json,
    ),
  }),

  bodies('lists buckets with any limit and offset', {
    fetch: withQuery(/^GET \S*\/bucket\?/, /limit=0|offset=-1/, ''),
  }),
  bodies('takes a member __proto__', { fetch: withStatus(/^PUT \S*\/bucket\/\S* 400/, 200) }),
  bodies('gives each refusal the same message', { fetch: withMember(/ 4\d\d$/, 'message', 'Refused') }),
  bodies('gives each refusal the same error', { fetch: withMember(/ 4\d\d$/, 'error', 'Error') }),

  reads('has no rules for robots on two routes', {
    fetch: withHeader(/^GET \S*\/object\/(?:public|authenticated)\/\S* 200/, 'x-robots-tag', () => null),
  }),
  reads('has the rules for robots in HEAD', {
    fetch: withHeader(/^HEAD/, 'x-robots-tag', (value) => value.replace('none', 'noindex')),
  }),
  reads('has no rule for caches in HEAD', { fetch: withHeader(/^HEAD/, 'cache-control', () => null) }),
  reads('serves public objects whole', {
    fetch: withSentHeaders(/^GET \S*\/object\/public\//, (headers) => headers.delete('range')),
  }),
  reads('asks browsers to save objects', {
    fetch: withHeader(/^GET \S*\/object\/authenticated\/\S* 200/, 'content-disposition', () => 'attachment;'),
  }),
  reads('serves parts without an ETag', { fetch: withHeader(/ 206$/, 'etag', () => null) }),
  reads('describes objects without an ETag in the headers', { fetch: withHeader(info, 'etag', () => null) }),
  reads('takes an earlier time for the time of the object', {
    fetch: withSentHeaders(/^GET/, (headers) => {
      const since = headers.get('if-modified-since');
      if (since !== null) headers.set('if-modified-since', new Date(Date.parse(since) + 2000).toUTCString());
    }),
  }),
  reads('does not ask caches to revalidate', {
    fetch: withHeader(/^HEAD/, 'cache-control', (value) => value.replace(/, must-revalidate/, '')),
  }),

  uploads('takes a limit of 0 for none', {
    fetch: withSentJson(/^PUT \S*\/bucket\//, (json) =>
      valueAt(json, 'file_size_limit') === 0 ? patch(json, 'file_size_limit', null) : json,
    ),
  }),
  uploads('keeps the version of a replaced object', { fetch: withMember(info, 'version', '1') }),
  uploads('returns no id of an upload by PUT', {
    fetch: withMember(/^PUT \S*\/object\/audit\S* 200/, 'Id', undefined),
  }),
  uploads('ignores the cache control of a form', {
    fetch: onRequest(/^POST \S*\/object\/audit/, ({ body }) => {
      if (body instanceof FormData) body.delete('cacheControl');
    }),
  }),

  links('signs links from yesterday on', {
    fetch: onResponse(/^POST \S*\/object\/sign\/\S+\/\S* 200/, async (response, _init, _url, { keys }) => {
      const [, token = ''] = /token=([^"&]+)/.exec(response.text) ?? [];
      const claims = claimsOf(token);
      const signed = await keys.sign({ ...claims, iat: Number(claims['iat']) - 86_400 });
      response.text = response.text.replace(token, signed);
    }),
  }),
  links('returns another token than that of the URL', {
    fetch: withMember(/^POST \S*\/object\/upload\/sign\S* 200/, 'token', 'other'),
  }),
  links('signs an upload link for an object that exists', {
    fetch: withStatus(/^POST \S*\/object\/upload\/sign\S* 400/, 200),
  }),
  links('opens a link to a removed object', { fetch: withStatus(/^GET \S*\/object\/sign\/\S* 400/, 200) }),
  links('serves each link as bytes', {
    fetch: withHeader(/^GET \S*\/object\/sign\/\S* 200/, 'content-type', () => 'application/octet-stream'),
  }),
  links('has no errors in a batch', {
    fetch: withMember(/^POST \S*\/object\/sign\/[^/]* 200/, '*.error', null),
  }),
  links('signs 999 paths at most', {
    fetch: withSentJson(/^POST \S*\/object\/sign\/[^/]*$/, (json) => {
      const paths = valueAt(json, 'paths');
      return Array.isArray(paths) && paths.length > 999 ? patch(json, 'paths', [...paths, 'more']) : json;
    }),
  }),

  lists('orders a list by creation where it should by the last change', { fetch: byCreation(list) }),
  lists('orders pages by creation where it should by the last change', { fetch: byCreation(page) }),
  lists('has a cursor on the last page', {
    fetch: withJson(/\/object\/list-v2\/\S* 200/, (json) =>
      valueAt(json, 'hasNext') === false ? patch(json, 'nextCursor', 'bDph') : json,
    ),
  }),
  lists('lists objects of a page without their size', {
    fetch: withMember(/\/object\/list-v2\/\S* 200/, 'objects.*.metadata.size', undefined),
  }),
  lists('ignores the offset of a list', { fetch: withBodyMember(list, 'offset', 0) }),
  lists('lists folders in small letters', {
    fetch: withJson(list, (json) =>
      Array.isArray(json)
        ? (json as readonly Json[]).map((entry) =>
            valueAt(entry, 'id') === null ? patch(entry, 'name', textAt(entry, 'name').toLowerCase()) : entry,
          )
        : json,
    ),
  }),
  lists('has pages of any limit', {
    fetch: withSentJson(page, (json) => (valueAt(json, 'limit') === 0 ? patch(json, 'limit', 1) : json)),
  }),

  changes('removes by the names that are texts', {
    fetch: withSentJson(/^DELETE \S*\/object\/[^/]*$/, (json) => {
      const names = valueAt(json, 'prefixes');
      return Array.isArray(names)
        ? patch(
            json,
            'prefixes',
            names.filter((name) => typeof name === 'string'),
          )
        : json;
    }),
  }),
  changes('forgets the creation of a moved object', {
    fetch: withMember(/\/object\/info\/\S*f\/b\.css 200/, 'created_at', new Date(0).toISOString()),
  }),
  changes('drops the rules for robots of a copy', {
    fetch: withHeader(/^GET \S*\/b\.txt 200/, 'x-robots-tag', () => 'none'),
  }),
  changes('returns another id than that of the copy', {
    fetch: withMember(/\/object\/copy 200/, 'Id', 'other'),
  }),
  changes('removes objects of the same name from every bucket', {
    sql: [
      `create function storage.mutant() returns trigger language plpgsql security definer as
         $$ begin delete from storage.objects where name = old.name; return old; end $$;
       create trigger mutant after delete on storage.objects for each row execute function storage.mutant()`,
      'drop trigger mutant on storage.objects; drop function storage.mutant()',
    ],
  }),
  changes('does not say that an object was removed', {
    fetch: withMember(/^DELETE \S*\/object\/audit[^/]*\/\S+ 200/, 'message', 'ok'),
  }),
  changes('gives a copy another ETag', {
    fetch: withMember(/\/object\/info\/\S*\/b\.txt 200/, 'etag', '"other"'),
  }),

  resumable('names a lower limit than its own', {
    fetch: withHeader(/^OPTIONS/, 'tus-max-size', () => '1000'),
  }),
  resumable('accepts any deferred length', { fetch: withStatus(/^PATCH \S* 413/, 204) }),
  resumable('does not return the metadata of an upload', {
    fetch: withHeader(/^HEAD/, 'upload-metadata', () => null),
  }),
  resumable('names its version in responses to HEAD alone', {
    fetch: withHeader(/^(?:PATCH|DELETE|POST)/, 'tus-resumable', () => null),
  }),
  resumable('serves an object before its last part', {
    fetch: withStatus(/^GET \S*\/object\/audit\S* 400/, 200),
  }),
  resumable('creates an upload without a length', { fetch: withStatus(/^POST \S*\/resumable 400/, 201) }),
  resumable('takes the first of repeated metadata', {
    fetch: withSentHeaders(/^POST \S*\/resumable/, (headers) =>
      headers.set('upload-metadata', (headers.get('upload-metadata') ?? '').replace(/,objectName Yg==$/, '')),
    ),
  }),
  resumable('accepts parts of any version', {
    fetch: withSentHeaders(/^PATCH/, (headers) => headers.set('tus-resumable', '1.0.0')),
  }),

  access('signs batches for everyone', { fetch: asService(/\/object\/(?:sign|list-v2)\//) }),
  access('begins resumable uploads for everyone', { fetch: asService(/^POST \S*\/upload\/resumable/) }),
  access('replaces objects and deletes buckets for everyone', { fetch: asService(/^(?:PUT|DELETE) /) }),
];
