import {
  mutantsOf,
  onRequest,
  onResponse,
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
  type FetchFault,
  type Json,
  type ServerMutant,
} from './mutant.ts';

const read = /^GET \/rest\/v1\//;
const all = /./;

const syntax = mutantsOf('rest', 'syntax errors', 'rest#syntax-errors rest#quoting');
const relations = mutantsOf('rest', 'relations', 'rest#embedding');
const lookups = mutantsOf('rest', 'names that are not found', 'rest#errors');
const calls = mutantsOf('rest', 'functions', 'rest#functions-of-the-database');
const raised = mutantsOf('rest', 'raised errors', 'rest#raised-errors');
const elements = mutantsOf('rest', 'types', 'rest#selecting-columns rest#filters');
const aggregates = mutantsOf('rest', 'aggregates', 'rest#aggregates');
const representations = mutantsOf('rest', 'representations', 'rest#representations');
const tokens = mutantsOf('rest', 'token checks', 'rest#tokens');
const descriptions = mutantsOf('rest', 'description', 'rest#description-of-the-schema');

/** Replaces a member of errors with a code. */
const withErrorMember = (code: string, member: string, value: Json | undefined): FetchFault =>
  withJson(/ [345]\d\d$/, (json) => (valueAt(json, 'code') === code ? patch(json, member, value) : json));

/** Puts a member of each row into a list. */
const withListOf = (match: RegExp, member: string): FetchFault =>
  withJson(match, (json) =>
    Array.isArray(json)
      ? (json as readonly Json[]).map((row) => {
          const value = valueAt(row, member);
          return value === undefined ? row : patch(row, member, [value]);
        })
      : json,
  );

const readsOf = (name: string) => new RegExp(String.raw`^GET \S*/conformance_${name}\S* 200$`);

/** Faults that need tables or functions of the audits' own, or are in the texts of errors. */
export const restLibraryMutants: readonly ServerMutant[] = [
  syntax('does not say what it expected in a query', { fetch: withErrorMember('PGRST100', 'details', '') }),
  syntax('counts the columns of a query from zero', {
    fetch: withJson(/ 400$/, (json) =>
      patch(
        json,
        'message',
        textAt(json, 'message').replace(/column (\d+)/, (_all, column) => `column ${Number(column) - 1}`),
      ),
    ),
  }),
  syntax('counts the bytes of a query', {
    fetch: onResponse(/order=gr%C3%B6\S* 400$/, (changed) => {
      changed.text = changed.text.replace('column 7', 'column 9');
    }),
  }),
  syntax('reads a parameter without = as an empty one', {
    fetch: onRequest(/\?status$/, (request) => {
      request.url += '=';
    }),
  }),

  relations('returns a to-one relation as a list', { fetch: withListOf(readsOf('books'), 'author') }),
  relations('returns a one-to-one relation as a list', {
    fetch: withListOf(readsOf('books'), 'conformance_covers'),
  }),
  relations('relates a table to itself one way only', {
    fetch: withQuery(read, /id,mentor_id\(/g, 'id,mentor_id:conformance_authors('),
  }),
  relations('ignores the hint of a relation', {
    fetch: withQuery(read, /(conformance_(?:authors|letters))!\w+\(/g, '$1('),
  }),
  relations('finds no relation by its constraint', {
    fetch: withStatus(/select=conformance_written_by\S* 200$/, 400, '{}'),
  }),
  relations('filters no relation', {
    fetch: withQuery(read, /&\w+(?:\.\w+)+=(?:eq|like|gt|\()[^&]*/g, ''),
  }),
  relations('neither sorts nor cuts a relation', {
    fetch: withQuery(read, /&\w+\.(?:order|limit|offset)=[^&]*/g, ''),
  }),
  relations('returns no nested relation', { fetch: withQuery(read, /,mentor_id\(name\)/g, '') }),
  relations('ignores whether a row has a related one', {
    fetch: withQuery(read, /&(?:author|books)=(?:not\.)?is\.null/g, ''),
  }),
  relations('sorts by no related column', { fetch: withQuery(read, /order=(?:author|book)\([^&]*/, '') }),
  relations('has no relations of views', {
    fetch: withStatus(/conformance_titles\?select=title,\S* 200$/, 400, '{}'),
  }),
  relations('filters by no computed column', { fetch: withQuery(read, /&conformance_initial=[^&]*/, '') }),
  relations('returns a computed to-one relation as a list', { fetch: withListOf(read, 'debut') }),
  relations('nests the columns of a spread', {
    fetch: withQuery(read, /\.\.\.(?=conformance_authors)/g, ''),
  }),
  relations('lists the columns of a to-many spread in another order', {
    fetch: withJson(read, (json) => {
      const titles = valueAt(json, '0.titles');
      return Array.isArray(titles) ? patch(json, '0.titles', titles.toReversed() as Json) : json;
    }),
  }),
  mutantsOf(
    'rest',
    'relations',
    'rest#counts',
  )('counts rows without a related one', {
    fetch: withHeader(/!inner\S* 200$/, 'content-range', (value) => value.replace(/\d+$/, '4')),
  }),
  relations('narrows a write by the filters of its relations', {
    fetch: onResponse(/^PATCH \S*author\.name=\S* 200$/, (changed) => {
      changed.text = '[]';
    }),
  }),

  lookups('suggests no related table', { fetch: withErrorMember('PGRST200', 'hint', null) }),
  lookups('lists no relationships', { fetch: withErrorMember('PGRST201', 'details', null) }),
  lookups('does not say which function it searched', { fetch: withErrorMember('PGRST202', 'details', null) }),
  lookups('does not name the functions of an ambiguous call', {
    fetch: withErrorMember('PGRST203', 'message', 'ambiguous'),
  }),
  lookups('does not name the column that is not found', {
    fetch: withErrorMember('PGRST204', 'message', 'not found'),
  }),
  lookups('gives no reason for a refused order', { fetch: withErrorMember('PGRST118', 'details', null) }),
  lookups('suggests no table for a name with a letter more', {
    fetch: withMember(/conformance_coverss 404$/, 'hint', null),
  }),
  lookups('gives no hint to a relation that is not selected', {
    fetch: withErrorMember('PGRST108', 'hint', null),
  }),

  calls('returns a value in a list', { fetch: withJson(/conformance_add\S* 200$/, (json) => [json]) }),
  calls('returns the values of a set as rows', {
    fetch: withJson(/conformance_count_to\S* 200$/, (json) =>
      Array.isArray(json) ? (json as readonly Json[]).map((value) => ({ pgrst_scalar: value })) : json,
    ),
  }),
  calls('returns one row as a list', {
    fetch: withJson(/\/conformance_author\?\S* 200$/, (json) => [json]),
  }),
  calls('returns no relations of the rows of a function', {
    fetch: withQuery(/conformance_books_by/, /,[\w:!]+\(.*\)/, ''),
  }),
  calls('chooses the first function of a name', {
    fetch: onRequest(/conformance_double/, (request) => {
      if (request.json !== undefined) request.body = '{"number":1}';
    }),
  }),
  calls('reads the last argument of a variadic parameter alone', {
    fetch: withQuery(/conformance_join/, /words=a&words=b/, 'words=b'),
  }),
  calls('reads every body as JSON', {
    fetch: onRequest(/conformance_read/, ({ headers }) => headers.set('content-type', 'application/json')),
  }),
  calls('tells a function no path', { fetch: withStatus(/name=path\S* 200$/, 200, '""') }),
  calls('responds to a function without a result with null', {
    fetch: withStatus(/conformance_nothing 204$/, 200, 'null'),
  }),
  mutantsOf(
    'rest',
    'functions',
    'rest#counts',
  )('counts no values of a function', {
    fetch: withHeader(/\/rpc\/\S* 20[06]$/, 'content-range', (value) => value.replace(/\d+$/, '*')),
  }),
  mutantsOf(
    'rest',
    'functions',
    'rest#media-types',
  )('returns the first of several values as an object', {
    fetch: withStatus(/conformance_count_to\S* 406$/, 200, '1'),
  }),
  descriptions('allows GET of a function that writes', {
    fetch: withHeader(/^OPTIONS \S*conformance_nothing/, 'allow', () => 'OPTIONS,GET,HEAD,POST'),
  }),
  mutantsOf(
    'rest',
    'functions',
    'rest#preferences',
  )('ignores max-affected of a function without a set', {
    fetch: withoutPreference(/conformance_add/, /^max-affected=/),
  }),
  calls('drops the headers that a function sets', {
    fetch: withHeader(all, 'x-conformance', () => null),
  }),
  lookups('ignores an invalid status of a function', {
    fetch: withStatus(/conformance_respond 500$/, 200, '"responded"'),
  }),
  calls('tells a function its cookies among the headers', {
    fetch: onResponse(/conformance_request 200$/, (changed, { body }) => {
      if (typeof body !== 'string' || valueAt(parse(body), 'name') !== 'headers') return;
      const result = parse(changed.text);
      const told = typeof result === 'string' ? parse(result) : undefined;
      if (told !== undefined) changed.text = JSON.stringify(JSON.stringify(patch(told, 'cookie', 'a=b')));
    }),
  }),

  raised('responds to each raised error with 400', {
    fetch: withStatus(/conformance_raise (?:403|404|405|409|500|503)$/, 400),
  }),
  raised('drops the hint of a raised error', {
    fetch: withMember(/conformance_raise 402$/, 'hint', null),
  }),
  raised('drops the headers of a raised response', { fetch: withHeader(all, 'x-conformance', () => null) }),
  raised('does not say what a raised response lacks', { fetch: withErrorMember('PGRST121', 'hint', null) }),

  elements('treats sl as sr', { fetch: withQuery(/samples/, /span=sl/, 'span=sr') }),
  elements('compares elements of JSON as texts', {
    fetch: withQuery(/samples/, /&document-%3En=gt/, '&document-%3E%3En=gt'),
  }),
  elements('filters by no enumeration', { fetch: withQuery(/samples/, /&mood=[^&]*/, '') }),
  elements('names an element by its column', {
    fetch: onRequest(/samples\?select=document-%3E%3En&/, (request) => {
      request.url = request.url.replace('select=', 'select=document:');
    }),
  }),
  elements('does not name an enumeration', {
    fetch: withJson(/samples\S* 400$/, (json) => patch(json, 'message', 'invalid')),
  }),

  aggregates('counts where it should sum', { fetch: withQuery(read, /\.sum\(\)/g, '.count()') }),
  aggregates('does not group', { fetch: withQuery(read, /select=author_id,/, 'select=') }),
  aggregates('aggregates each row of a spread apart', {
    fetch: withJson(/conformance_covers\?select=\.\.\.\S* 200$/, (json) =>
      Array.isArray(json) ? ([...json, ...json] as Json) : json,
    ),
  }),
  aggregates('ignores an aggregate in a to-many spread', {
    fetch: withStatus(/select=id,\.\.\.\S* 400$/, 200, '[]'),
  }),

  mutantsOf(
    'rest',
    'Content-Location',
    'rest#order-and-ranges',
  )('names the first of repeated parameters', {
    fetch: withHeader(all, 'content-location', (value) => value.replace(/,neq.*/, '')),
  }),
  calls('reads a call without a body as a text', {
    fetch: onRequest(/^POST \S*conformance_extremes/, ({ headers, body }) => {
      if (body === '') headers.set('content-type', 'text/plain');
    }),
  }),
  mutantsOf(
    'rest',
    'PUT',
    'rest#inserts-and-upserts',
  )('replaces the columns of a list alone', {
    fetch: withJson(/^PUT \S*columns=id%2Cuser_id&\S* 201$/, () => [{ language: 'en' }]),
  }),
  tokens('accepts tokens of the future', {
    fetch: withSignedToken(
      ({ iat, nbf }) => [iat, nbf].some((time) => typeof time === 'number' && time * 1000 > Date.now()),
      ({ iat: _iat, nbf: _nbf, ...claims }) => claims,
    ),
  }),
  tokens('allows no difference of clocks', {
    fetch: withSignedToken(
      ({ exp }) => typeof exp === 'number' && exp * 1000 < Date.now(),
      (claims) => ({ ...claims, exp: 1 }),
    ),
  }),
  tokens('ignores claims of another type', {
    fetch: withSignedToken(
      ({ exp, nbf, iat, aud }) =>
        [exp, nbf, iat].some((time) => time !== undefined && typeof time !== 'number') ||
        typeof aud === 'number',
      ({ exp: _exp, nbf: _nbf, iat: _iat, aud: _aud, ...claims }) => claims,
    ),
  }),
  tokens('does not count the parts of a token', {
    fetch: withErrorMember('PGRST301', 'message', 'invalid token'),
  }),
  tokens('gives no reason in WWW-Authenticate', {
    fetch: withHeader(/ 401$/, 'www-authenticate', () => 'Bearer'),
  }),

  representations('returns a domain as it is stored', {
    fetch: withJson(/conformance_paints/, (json) =>
      Array.isArray(json)
        ? (json as readonly Json[]).map((row) => (valueAt(row, 'color') ? patch(row, 'color', 1) : row))
        : json,
    ),
  }),
  representations('has no media types of its own for functions', {
    fetch: onRequest(/conformance_page/, ({ headers }) => headers.set('accept', 'application/json')),
  }),
  representations('makes a body of some columns of a table', {
    fetch: withQuery(/conformance_books/, /select=[^&]*/, ''),
  }),
  mutantsOf(
    'rest',
    'bodies',
    'rest#inserts-and-upserts',
  )('reads each body as JSON', {
    fetch: onRequest(/^POST \S*muted_threads$/, ({ headers }) =>
      headers.set('content-type', 'application/json'),
    ),
  }),
  lookups('writes to the root', { fetch: withStatus(/\/rest\/v1\/ 405$/, 200, '{}') }),
  lookups('finds a table by the first name of a path', {
    fetch: withStatus(/notifications\/1 404$/, 200, '[]'),
  }),

  descriptions('describes no comments', {
    fetch: withMember(/^GET \/rest\/v1\/ 200$/, 'paths./conformance_books.get.summary', undefined),
  }),
];
