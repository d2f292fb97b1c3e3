import * as fc from 'fast-check';
import type { RawRequest } from '../../src/services/rest/request/api-request.ts';

const pick = (...values: string[]) => fc.constantFrom(...values);

const column = fc.oneof(
  {
    weight: 8,
    arbitrary: pick(
      'id',
      'name',
      'qty',
      'price',
      'tags',
      'nums',
      'data',
      'span',
      'day',
      'big',
      'cat_id',
      'v',
    ),
  },
  {
    weight: 2,
    arbitrary: pick('"weird col"', '"dot.ted"', 'Öçé', 'data->a', 'data->>b', 'data->0->>x', 'nope', '*'),
  },
  fc.string({ maxLength: 6 }),
);

const value = fc.oneof(
  pick(
    '1',
    '-1',
    '9007199254740993',
    'null',
    'true',
    'hammer',
    'ham*',
    '{}',
    '{a,b}',
    '{1,2}',
    '[1,3)',
    '"a,b"',
    '',
  ),
  pick(
    '{"a":1}',
    '2024-01-31',
    '()',
    '(1,2)',
    '("x","y")',
    '(,)',
    '\\',
    '%',
    '1.50',
    'NaN',
    '{',
    '"',
    "'; drop table x",
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

const operator = pick(
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'match',
  'imatch',
  'is',
  'in',
  'isdistinct',

  'cs',
  'cd',
  'ov',
  'sl',
  'sr',
  'nxl',
  'nxr',
  'adj',
  'fts',
  'plfts(english)',
  'wfts',
  'eq(any)',
  'like(all)',
  'not.eq',
  'not.in',
  'not.is',
  'nope',
  '',
);

const expression = fc.tuple(operator, value).map((parts) => parts.join('.'));

const { tree, select } = fc.letrec<{ tree: string; select: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.tuple(column, expression).map((parts) => parts.join('.')),
    fc
      .tuple(pick('and', 'or', 'not.and', 'not.or'), fc.array(tie('tree'), { minLength: 0, maxLength: 3 }))
      .map(([name, operands]) => `${name}(${operands.join(',')})`),
  ),
  select: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    column,
    fc.tuple(column, pick('::text', '::int', '.sum()', ':alias', '::nope')).map((parts) => parts.join('')),
    fc
      .tuple(
        pick('', 'a:', '...'),
        pick('z_cats', 'z_items', 'z_labels', 'z_details', 'z_people', 'z_cat_of', 'nope'),
        pick('', '!inner', '!left', '!z_item_labels', '!cat_id'),
        fc.array(tie('select'), { maxLength: 3 }),
      )
      .map(([prefix, name, hint, items]) => `${prefix}${name}${hint}(${items.join(',')})`),
  ),
}));

const parameter = fc.oneof(
  fc.tuple(column, expression),
  fc.tuple(
    pick('or', 'and', 'not.or', 'z_cats.or'),
    tree.map((one) => `(${one})`),
  ),
  fc.tuple(
    fc.constant('select'),
    fc.array(select, { maxLength: 4 }).map((items) => items.join(',')),
  ),
  fc.tuple(
    pick('order', 'z_items.order'),
    fc.tuple(column, pick('', '.asc', '.desc.nullslast', '.x')).map((parts) => parts.join('')),
  ),
  fc.tuple(
    pick('limit', 'offset', 'z_items.limit', 'z_items.offset'),
    fc.oneof(pick('0', '1', '-1', '5'), value),
  ),
  fc.tuple(
    pick('columns', 'on_conflict'),
    fc.array(column, { maxLength: 3 }).map((names) => names.join(',')),
  ),
  fc.tuple(pick('a', 'b', 'n', 't', 'who', 'j', 'z_cats', 'z_cats.name', ''), value),
);

const query = fc
  .array(parameter, { maxLength: 5 })
  .map((pairs) => pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&'));

/** Percent-encodes texts with unpaired surrogates, too. */
const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const path = fc.oneof(
  {
    weight: 6,
    arbitrary: pick('/z_items', '/z_cats', '/z_up', '/z_auto', '/z_items_view', '/z_labels', '/z_pairs'),
  },
  {
    weight: 3,
    arbitrary: pick('add', 'text', 'void', 'setof', 'row', 'json', 'unnamed', 'variadic', 'over').map(
      (name) => `/rpc/z_${name}`,
    ),
  },
  pick('/', '', '/z_nope', '/rpc/nope', '//', '/z_items/1', '/%00', '/rpc'),
);

const json: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc
    .array(
      fc.dictionary(pick('id', 'name', 'v', 'n', 'code', 'tags', 'data', 'a', 'b', 't'), fc.jsonValue()),
      {
        maxLength: 3,
      },
    )
    .map((rows) => JSON.stringify(rows)),
  fc.string({ maxLength: 10 }),
);

const header = fc.oneof(
  fc.tuple(
    fc.constant('prefer'),
    pick(
      'return=representation',
      'return=headers-only',
      'count=exact',
      'count=planned',
      'count=estimated',

      'resolution=merge-duplicates,return=representation',
      'resolution=ignore-duplicates',
      'missing=default',
      'handling=strict,max-affected=1',
      'handling=strict,nope',
      'timezone=Europe/Berlin',
      'tx=rollback',
    ),
  ),
  fc.tuple(
    fc.constant('accept'),
    pick(
      'application/json',
      'text/csv',
      'application/vnd.pgrst.object+json',
      '*/*',
      'text/html',
      '',

      'application/vnd.pgrst.array+json;nulls=stripped',
      'application/vnd.pgrst.plan+json',
      'application/geo+json',
    ),
  ),
  fc.tuple(
    fc.constant('content-type'),
    pick(
      'application/json',
      'text/csv',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ),
  ),
  fc.tuple(fc.constant('range'), pick('0-1', '5-', '3-1', 'x')),
  fc.tuple(pick('accept-profile', 'content-profile'), pick('public', 'nope')),
);

/** Requests that follow PostgREST's grammar, exactly or nearly. */
export const arbitraryRequest: fc.Arbitrary<RawRequest> = fc
  .record({
    method: pick('GET', 'GET', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'),
    path,
    query,
    headers: fc.uniqueArray(header, { maxLength: 3, selector: ([name]) => name }),
    body: json,
  })
  .map(({ method, path: of, query: search, headers, body }) => ({
    method,
    target: search === '' ? of : `${of}?${search}`,
    headers,
    body: new TextEncoder().encode(['POST', 'PATCH', 'PUT'].includes(method) ? body : ''),
  }));
