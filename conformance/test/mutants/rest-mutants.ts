import {
  bearerOf,
  claimsOf,
  mutantsOf,
  onResponse,
  onRequest,
  parse,
  patch,
  textAt,
  valueAt,
  withHeader,
  withJson,
  withMember,
  withoutPreference,
  withQuery,
  withSignedToken,
  withStatus,
  type Json,
  type ServerMutant,
} from './mutant.ts';

const rest = /\/rest\/v1\//;
const read = /^GET \/rest\/v1\//;
const range = /^(?:GET|HEAD) \/rest\/v1\/\S* 20[06]/;

const keys = mutantsOf('rest', 'keys', 'rest#gateway');
const tokens = mutantsOf('rest', 'token checks', 'rest#tokens');
const policies = mutantsOf('rest', 'row-level security', 'product#notifications rest#permissions');
const statuses = mutantsOf(
  'rest',
  'statuses and errors',
  'rest#errors rest#inserts-and-upserts rest#schemas rest#updates-and-deletes',
);
const counts = mutantsOf('rest', 'Content-Range', 'rest#counts rest#order-and-ranges');
const preferences = mutantsOf(
  'rest',
  'Prefer',
  'rest#preferences rest#inserts-and-upserts rest#updates-and-deletes',
);
const filters = mutantsOf('rest', 'filters', 'rest#filters rest#logic-trees rest#quoting');
const shapes = mutantsOf(
  'rest',
  'shapes',
  'rest#selecting-columns rest#media-types rest#embedding rest#functions-of-the-database rest#schemas rest#description-of-the-schema',
);
const cors = mutantsOf('rest', 'CORS', 'rest#cors');

/** Replaces a policy of notifications with one that allows everything. */
const open = (command: 'select' | 'update' | 'delete' | 'insert'): readonly [string, string] => [
  `create policy mutant on public.notifications for ${command} to authenticated ${command === 'insert' ? 'with check (true)' : command === 'update' ? 'using (true) with check (true)' : 'using (true)'}`,
  'drop policy mutant on public.notifications',
];

const rounded = (json: Json): Json => JSON.parse(JSON.stringify(json)) as Json;

/** Removes a part of the message of errors with a code. */
const withMessage = (code: string, part: RegExp) =>
  withJson(/ 400$/, (json) =>
    valueAt(json, 'code') === code ? patch(json, 'message', textAt(json, 'message').replace(part, '')) : json,
  );

export const restMutants: readonly ServerMutant[] = [
  keys('needs no API key', {
    fetch: onRequest(/./, ({ headers }, { anonKey }) => {
      if (!headers.has('apikey')) headers.set('apikey', anonKey);
    }),
  }),
  keys('accepts any API key', {
    fetch: onRequest(/./, ({ headers }, { anonKey, serviceRoleKey }) => {
      const key = headers.get('apikey');
      if (key !== null && key !== serviceRoleKey) headers.set('apikey', anonKey);
    }),
  }),
  keys('refuses a missing key with 403', { fetch: withStatus(/ 401$/, 403) }),
  keys('reads no key from the query', { fetch: withQuery(rest, /(^|&)apikey=[^&]*/, '') }),

  tokens('accepts expired tokens', {
    fetch: withSignedToken(
      ({ exp }) => typeof exp === 'number' && exp * 1000 < Date.now(),
      (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) + 60 }),
    ),
  }),
  tokens('accepts tokens with another signature', { fetch: withSignedToken(() => true) }),
  tokens('treats a token that is not a JWT as missing', {
    fetch: onRequest(rest, ({ headers }) => {
      if (bearerOf(headers).split('.').length !== 3) headers.delete('authorization');
    }),
  }),
  tokens('refuses a token without WWW-Authenticate', {
    fetch: withHeader(/ 401$/, 'www-authenticate', () => null),
  }),
  tokens('names an expired token otherwise', {
    fetch: withJson(/ 401$/, (json) =>
      valueAt(json, 'code') === 'PGRST303' ? patch(json, 'code', 'PGRST301') : json,
    ),
  }),
  tokens('reads as the service for every user', {
    fetch: onRequest(read, ({ headers }, { serviceRoleKey }) => {
      if (claimsOf(bearerOf(headers))['role'] === 'authenticated')
        headers.set('authorization', `Bearer ${serviceRoleKey}`);
    }),
  }),
  tokens('ends tokens with their session', {
    fetch: onRequest(rest, async ({ headers }, { database }) => {
      const { session_id: session } = claimsOf(bearerOf(headers));
      if (typeof session !== 'string') return;
      const rows = await database.query('select 1 from auth.sessions where id = $1', [session]);
      if (rows.length === 0) headers.set('authorization', 'Bearer ended');
    }),
  }),
  tokens("takes a token without a role for a user's", {
    fetch: withSignedToken(
      (claims) => !('role' in claims),
      (claims) => ({ ...claims, role: 'authenticated' }),
    ),
  }),
  tokens('treats unknown roles as anonymous', {
    fetch: withSignedToken(
      ({ role }) => role === 'no_such_role',
      (claims) => ({ ...claims, role: 'anon' }),
    ),
  }),

  policies('has no row-level security', {
    sql: [
      'alter table public.notifications disable row level security',
      'alter table public.notifications enable row level security',
    ],
  }),
  policies("lets users read another's rows", { sql: open('select') }),
  policies("lets users change another's rows", {
    sql: [
      `${open('update')[0]}; create policy mutant_read on public.notifications for select to authenticated using (true)`,
      `${open('update')[1]}; drop policy mutant_read on public.notifications`,
    ],
  }),
  policies("lets users delete another's rows", {
    sql: [
      `${open('delete')[0]}; create policy mutant_read on public.notifications for select to authenticated using (true)`,
      `${open('delete')[1]}; drop policy mutant_read on public.notifications`,
    ],
  }),
  policies('lets everyone read', {
    sql: [
      'grant select on public.notifications to anon; create policy mutant on public.notifications for select to anon using (true)',
      'revoke select on public.notifications from anon; drop policy mutant on public.notifications',
    ],
  }),
  policies('hides the rows of their recipient', {
    sql: [
      'create policy mutant on public.notifications as restrictive for select to authenticated using (false)',
      'drop policy mutant on public.notifications',
    ],
  }),
  policies('hides rows from the service key', {
    sql: ['alter role service_role nobypassrls', 'alter role service_role bypassrls'],
  }),
  policies('opens a function to everyone', {
    fetch: onRequest(/\/rest\/v1\/rpc\//, ({ headers }, { serviceRoleKey }) => {
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${serviceRoleKey}`);
    }),
  }),

  statuses('responds to an insert with 200', { fetch: withStatus(/^POST \/rest\/v1\/\S* 201/, 200) }),
  statuses('responds to an update with 200 and no body', { fetch: withStatus(/^PATCH \S* 204/, 200, '') }),
  statuses('responds to a deletion with 404', { fetch: withStatus(/^DELETE \S* 204/, 404, '{}') }),
  statuses('responds to an unknown table with no rows', { fetch: withStatus(/^GET \S* 404/, 200, '[]') }),
  statuses('responds to a missing object with null', { fetch: withStatus(/^GET \S* 406/, 200, 'null') }),
  statuses('responds to a conflict with 400', { fetch: withStatus(/ 409$/, 400) }),
  statuses('responds to a forbidden write with 401', { fetch: withStatus(/ 403$/, 401) }),
  statuses('responds to an invalid request with 500', { fetch: withStatus(/\/rest\/v1\/\S* 400/, 500) }),
  statuses('names no codes', { fetch: withMember(/\/rest\/v1\/\S* 4\d\d/, 'code', undefined) }),
  statuses('has errors without details', {
    fetch: withMember(/\/rest\/v1\/\S* 4\d\d/, 'details', undefined),
  }),
  statuses('names the code of an error in HEAD alone', {
    fetch: withHeader(/^GET \S* 4\d\d$/, 'proxy-status', () => null),
  }),
  statuses('names nothing similar', { fetch: withMember(/ 404$/, 'hint', null) }),
  statuses('says nowhere where a syntax error is', {
    fetch: withMessage('PGRST100', / \(line.*/),
  }),
  statuses('does not name the table that is not embedded', { fetch: withMessage('PGRST108', /'other'/g) }),
  statuses('refuses an upsert of one key twice with 400', { fetch: withStatus(/^POST \S* 500$/, 400) }),
  statuses('calls a function by any method', { fetch: withStatus(/\/rpc\/\S* 405$/, 200, '[]') }),
  statuses('replaces a row by any filter', { fetch: withStatus(/^PUT \S* 405$/, 200, '[]') }),
  statuses('responds to a PUT of a new row with 200', { fetch: withStatus(/^PUT \S* 201$/, 200) }),
  statuses('refuses a limit of an update', { fetch: withStatus(/^PATCH \S*limit=\S* 20\d$/, 400) }),
  statuses('does not sort the rows of a write', {
    fetch: withQuery(/^(?:PATCH|DELETE) /, /(^|&)order=[^&]*/, ''),
  }),
  statuses('stores an empty body as no rows', {
    fetch: onRequest(/^POST \/rest\/v1\/muted_threads$/, (request) => {
      if (request.body === '') request.body = '[]';
    }),
  }),
  statuses('reads NULL in CSV as a text', {
    fetch: onRequest(/^POST /, (request) => {
      const { body, headers } = request;
      if (headers.get('content-type') === 'text/csv' && typeof body === 'string')
        request.body = body.replaceAll('NULL', 'Null');
    }),
  }),
  statuses('reads no forms', {
    fetch: onRequest(/^POST /, ({ headers }) => {
      if (headers.get('content-type')?.includes('form')) headers.set('content-type', 'application/x-nothing');
    }),
  }),
  statuses('locates a row by the first column of its key', {
    fetch: withHeader(/^POST \S* 201$/, 'location', (value) => value.replace(/&.*/, '') || null),
  }),
  statuses('changes every row without a filter', {
    fetch: onRequest(/^(?:PATCH|DELETE) \/rest\/v1\/\w+(?:\?order=[^&]*&limit=\d+)?$/, (request) => {
      request.url += `${request.url.includes('?') ? '&' : '?'}pg_typeof=not.is.null`;
    }),
  }),
  statuses('serves every schema', {
    fetch: onRequest(rest, ({ headers }) => {
      headers.delete('accept-profile');
      headers.delete('content-profile');
    }),
  }),
  statuses('keeps the rows of a refused write', {
    fetch: (send) => async (url, init) => {
      const response = await send(url, init);
      const rows = typeof init.body === 'string' ? parse(init.body) : undefined;
      if (init.method !== 'POST' || response.ok || !Array.isArray(rows) || rows.length < 2) return response;
      for (const row of rows as readonly Json[]) await send(url, { ...init, body: JSON.stringify(row) });
      return response;
    },
  }),

  counts('counts one row too many', {
    fetch: withHeader(range, 'content-range', (value) =>
      value.replace(/\/(\d+)$/, (_all, count: string) => `/${Number(count) + 1}`),
    ),
  }),
  counts('responds without Content-Range', { fetch: withHeader(range, 'content-range', () => null) }),
  counts('returns a range one row too long', {
    fetch: withHeader(range, 'content-range', (value) =>
      value.replace(/-(\d+)\//, (_all, end: string) => `-${Number(end) + 1}/`),
    ),
  }),
  counts('counts no rows', { fetch: withoutPreference(rest, /^count=/) }),
  counts('responds to a part with 200', { fetch: withStatus(/^(?:GET|HEAD) \S* 206/, 200) }),
  counts('responds to a range beyond the end with no rows', { fetch: withStatus(/ 416$/, 200, '[]') }),
  counts('does not limit', { fetch: withQuery(read, /(^|&)limit=\d+/, '') }),
  counts('does not skip', { fetch: withQuery(read, /(^|&)offset=\d+/, '') }),
  counts('reads no Range header', { fetch: onRequest(rest, ({ headers }) => headers.delete('range')) }),
  counts('ignores the Range header beside limit', {
    fetch: onRequest(/[?&]limit=/, ({ headers }) => headers.delete('range')),
  }),
  counts('limits a HEAD by its Range header', {
    fetch: onRequest(/^HEAD/, (request) => {
      const [, first, last] = /^(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? [];
      if (first !== undefined) request.url += `&offset=${first}&limit=${Number(last) - Number(first) + 1}`;
    }),
  }),
  counts('sorts the other way', { fetch: withQuery(read, /\.asc/g, '.desc') }),
  counts('does not sort', { fetch: withQuery(read, /(^|&)order=[^&]*/, '') }),
  counts('puts nulls last', { fetch: withQuery(read, /\.nullsfirst/g, '.nullslast') }),
  counts('puts nulls first in ascending order', {
    fetch: withQuery(read, /order=entity_name(?=&|$)/, 'order=entity_name.nullsfirst'),
  }),
  counts('responds to a part of no rows with 200', {
    fetch: onResponse(/ 206$/, (changed) => {
      if (changed.headers.get('content-range')?.startsWith('*')) changed.status = 200;
    }),
  }),
  counts('gives no reason for a refused range', { fetch: withMember(/ 416$/, 'details', null) }),
  counts('counts no inserted rows', {
    fetch: withHeader(/^POST \S* 201$/, 'content-range', () => '*/*'),
  }),
  counts('names no location of a read', { fetch: withHeader(/./, 'content-location', () => null) }),

  preferences('returns nothing', { fetch: withoutPreference(rest, /^return=/) }),
  preferences('does not report applied preferences', {
    fetch: withHeader(/./, 'preference-applied', () => null),
  }),
  preferences('merges no duplicates', { fetch: withoutPreference(rest, /^resolution=merge/) }),
  preferences('ignores no duplicates', { fetch: withoutPreference(rest, /^resolution=ignore/) }),
  preferences('applies no defaults', { fetch: withoutPreference(rest, /^missing=/) }),
  preferences('rejects unknown preferences', { fetch: withoutPreference(rest, /^handling=strict/) }),
  preferences('changes more rows than allowed', { fetch: withoutPreference(rest, /^max-affected=/) }),
  preferences('reads no conflict target', { fetch: withQuery(rest, /(^|&)on_conflict=[^&]*/, '') }),
  preferences('reads no list of columns', {
    fetch: withQuery(/^POST \/rest\/v1\//, /(^|&)columns=[^&]*/, ''),
  }),
  preferences('changes every row without its filters', {
    fetch: withQuery(/^PATCH \/rest\/v1\//, /(^|&)id=eq[^&]*/, ''),
  }),
  preferences('converts no times', { fetch: withoutPreference(rest, /^timezone=/) }),
  preferences('names the first of several unknown preferences', {
    fetch: withJson(/ 400$/, (json) =>
      valueAt(json, 'code') === 'PGRST122' ? patch(json, 'details', 'Invalid preferences: first=1') : json,
    ),
  }),
  preferences('does not report how it completed missing values', {
    fetch: withHeader(/./, 'preference-applied', (value) => value.replace(/missing=\w+(?:, )?/, '') || null),
  }),
  preferences('limits no function', { fetch: withoutPreference(/\/rpc\//, /^max-affected=/) }),
  preferences('reads no list of columns of an update', {
    fetch: withQuery(/^PATCH \/rest\/v1\//, /(^|&)columns=[^&]*/, ''),
  }),
  preferences('responds with 200 to an upsert that also inserts', {
    fetch: onResponse(/^POST \S*muted_threads\S* 201$/, (changed, { headers }) => {
      if (new Headers(headers).get('prefer')?.includes('merge')) changed.status = 200;
    }),
  }),

  filters('treats gt as gte', { fetch: withQuery(rest, /=gt\./g, '=gte.') }),
  filters('treats lte as lt', { fetch: withQuery(rest, /=lte\./g, '=lt.') }),
  filters('treats neq as eq', { fetch: withQuery(rest, /=neq\./g, '=eq.') }),
  filters('treats ilike as like', { fetch: withQuery(rest, /=ilike\./g, '=like.') }),
  filters('negates nothing', { fetch: withQuery(rest, /=not\.(?!and|or)/g, '=') }),
  filters('treats or as and', { fetch: withQuery(rest, /(^|&)or=/g, '$1and=') }),
  filters('treats and as or', { fetch: withQuery(rest, /(^|&)and=/g, '$1or=') }),
  filters('takes a plus as a plus', { fetch: withQuery(rest, /\+/g, '%2B') }),
  filters('cuts values at an ampersand', { fetch: withQuery(rest, /%26[^&]*/g, '') }),
  filters('ignores filters', { fetch: withQuery(read, /(^|&)status=[^&]*/g, '') }),
  filters('finds values in lists without quotes', { fetch: withQuery(rest, /%22/g, '') }),
  filters('finds an empty text by a list of it alone', {
    fetch: withQuery(rest, /=in\.%28%22%22%29/g, '=eq.'),
  }),
  filters('treats is.null as not.is.null', { fetch: withQuery(rest, /=is\.null/g, '=not.is.null') }),
  filters('matches regular expressions without regard to case', {
    fetch: withQuery(rest, /=match\./g, '=imatch.'),
  }),
  filters('contains the other way', { fetch: withQuery(rest, /=cs\./g, '=cd.') }),
  filters('treats any as all for comparisons', {
    fetch: withQuery(rest, /=(gt|lt|ilike|imatch)%28any%29/g, '=$1%28all%29'),
  }),
  filters('negates equality and lists alone', {
    fetch: withQuery(rest, /=not\.(?!eq|in|is|and|or)/g, '='),
  }),
  filters('treats isdistinct as neq', { fetch: withQuery(rest, /=isdistinct\./g, '=neq.') }),
  filters('searches in one language', { fetch: withQuery(rest, /(fts)%28\w+%29/g, '$1') }),
  filters('negates no tree within a tree', {
    fetch: withQuery(rest, /(%28|%2C)not\.(and|or)%28/g, '$1$2%28'),
  }),
  filters('keeps the backslash before a letter', { fetch: withQuery(rest, /%5C(?=[a-z])/g, '%5C%5C') }),
  filters('treats nxr as nxl', { fetch: withQuery(rest, /=nxr\./g, '=nxl.') }),
  filters('finds present values with is.true', { fetch: withQuery(rest, /=is\.true/g, '=is.not_null') }),

  shapes('returns every column', { fetch: withQuery(read, /(^|&)select=[^&]*/, '') }),
  shapes('renames no column', { fetch: withQuery(read, /(\w+)%3A(?!%3A)(\w+)(?=%2C|%3A|&|$)/gi, '$2') }),
  shapes('rounds large integers', {
    fetch: onResponse(/\/rest\/v1\/\S* 20\d/, (response) => {
      const json = parse(response.text);
      if (json !== undefined) response.text = JSON.stringify(rounded(json));
    }),
  }),
  shapes('returns times without an offset', {
    fetch: onResponse(range, (response) => void (response.text = response.text.replaceAll('+00:00"', '"'))),
  }),
  shapes('returns booleans as strings', {
    fetch: onResponse(
      range,
      (response) => void (response.text = response.text.replaceAll(/:(true|false)/g, ':"$1"')),
    ),
  }),
  shapes('returns an object as a list', {
    fetch: onRequest(rest, ({ headers }) => {
      if (headers.get('accept')?.includes('pgrst.object')) headers.set('accept', 'application/json');
    }),
  }),
  shapes('does not support CSV', {
    fetch: onRequest(rest, ({ headers }) => {
      if (headers.get('accept') === 'text/csv') headers.set('accept', 'application/json');
    }),
  }),
  shapes('keeps the nulls of an object', {
    fetch: onRequest(rest, ({ headers }) => {
      const accept = headers.get('accept');
      if (accept?.includes('object+json;nulls')) headers.set('accept', accept.replace(';nulls=stripped', ''));
    }),
  }),
  shapes('embeds nothing', { fetch: withQuery(read, /(?:%2C)?[a-z_]+(?:%21\w+)?%28[^&]*?%29/gi, '') }),
  shapes('joins embedded rows to the left only', { fetch: withQuery(read, /(?:%21|!)inner/gi, '') }),
  shapes('wraps the results of functions', { fetch: withJson(/\/rpc\/\S* 200/, (json) => ({ data: json })) }),
  shapes('takes the second element for the first', { fetch: withQuery(rest, /-%3E0/g, '-%3E1') }),
  shapes('computes the largest value', { fetch: withQuery(read, /\.max%28%29/, '') }),
  shapes('names each refused cast 22P02', {
    fetch: withJson(/ 400$/, (json) =>
      ['42704', '42846'].includes(textAt(json, 'code')) ? patch(json, 'code', '22P02') : json,
    ),
  }),
  shapes('writes null into CSV', {
    fetch: onResponse(/muted_threads\S* 200$/, (response) => {
      if (response.headers.get('content-type')?.startsWith('text/csv'))
        response.text = response.text.replaceAll(/,$/gm, ',null');
    }),
  }),
  shapes('names an object JSON', {
    fetch: withHeader(range, 'content-type', (value) => value.replace('vnd.pgrst.object+', '')),
  }),
  shapes('returns a table as plain text', {
    fetch: onRequest(rest, ({ headers }) => {
      if (headers.get('accept') === 'text/plain') headers.set('accept', 'application/json');
    }),
  }),
  shapes('does not name the schema', { fetch: withHeader(rest, 'content-profile', () => null) }),
  shapes('takes the first of repeated arguments', {
    fetch: withQuery(/\/rpc\//, /^(token=[^&]*)&token=[^&]*/, '$1'),
  }),
  shapes('filters functions by selected columns only', {
    fetch: withQuery(/\/rpc\//, /(^|&)entity_type=eq[^&]*/, ''),
  }),
  shapes('describes no required columns', {
    fetch: withMember(/^GET \/rest\/v1\/ 200$/, 'definitions.muted_threads.required', undefined),
  }),
  shapes('names no methods', { fetch: withHeader(/^OPTIONS /, 'allow', () => null) }),
  shapes('sends the same response for every media type', { fetch: withStatus(/ 406$/, 200, '[]') }),

  cors('lets no browser read Content-Range', {
    fetch: withHeader(/./, 'access-control-expose-headers', () => null),
  }),
  cors('allows no method in a preflight', {
    fetch: withHeader(/^OPTIONS/, 'access-control-allow-methods', () => null),
  }),
  cors('allows no header in a preflight', {
    fetch: withHeader(/^OPTIONS/, 'access-control-allow-headers', () => null),
  }),
  cors('allows no origin', { fetch: withHeader(/\/rest\//, 'access-control-allow-origin', () => null) }),
];
