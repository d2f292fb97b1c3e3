/** Members of the OpenAPI description: their path, and their value. */
export type DescribedMembers = readonly (readonly [readonly string[], unknown])[];

/** The parameters of a read besides its filters. */
export const paged = ['select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'];

const integer = { format: 'int32', type: 'integer' };
const string = { format: 'text', type: 'string' };
const keyNote = 'This is a Primary Key.<pk/>';
const referenceNote = (table: string, name = 'id') =>
  `This is a Foreign Key to \`conformance_${table}.${name}\`.<fk table='conformance_${table}' column='${name}'/>`;
const note = (...notes: readonly string[]) => ({ description: ['Note:', ...notes].join('\n') });
const key = { ...integer, ...note(keyNote) };
const uuidKey = { default: 'gen_random_uuid()', format: 'uuid', type: 'string', ...note(keyNote) };
const title = { format: 'character varying', maxLength: 40, type: 'string' };
const author = { ...integer, ...note(referenceNote('authors')) };

/** The columns of tables and views of the library, by name; the others have none that is required. */
const columns: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  authors: { id: key, name: string, born: { format: 'date', type: 'string' }, mentor_id: author },
  books: {
    id: key,
    title: { ...title, description: 'As on the cover' },
    price: { format: 'numeric', type: 'number' },
    author_id: author,
  },
  copies: {
    id: key,
    book_id: integer,
    number: integer,
    place: { ...string, default: "on the author''s desk" },
    weight: { default: 1.5, format: 'real', type: 'number' },
    borrowed: { default: false, format: 'boolean', type: 'boolean' },
  },
  covers: {
    book_id: {
      ...integer,
      description: `Of this book\n\n${note(keyNote, referenceNote('books')).description}`,
    },
    color: string,
  },
  drafts: { id: uuidKey, title: { ...string, default: 'untitled' }, author_id: author },
  editions: {
    book_id: { ...integer, ...note(keyNote, referenceNote('books')) },
    number: key,
    year: integer,
  },
  headings: { number: key, title, author_id: author },
  many: { n: integer },
  notes: { words: string, at: integer },
  paints: { id: uuidKey, name: string, color: integer },
  prices: {
    books: { format: 'int64', type: 'integer' },
    highest: { format: 'numeric', type: 'number' },
  },
  samples: {
    id: key,
    span: { format: 'int4range', type: 'string' },
    document: { format: 'jsonb' },
    words: { format: 'text[]', items: { type: 'string' }, type: 'array' },
    mood: {
      default: 'calm',
      enum: ['calm', 'angry'],
      format: 'public.conformance_mood',
      type: 'string',
    },
    code: string,
    bytes: { format: 'bytea', type: 'string' },
    length_of_stay: { format: 'interval', type: 'string' },
    twice: integer,
    lexemes: { format: 'tsvector', type: 'string' },
  },
  titles: { id: key, title, author_id: author },
};

const commentsOf: Readonly<Record<string, object>> = {
  'books.title': { description: 'As on the cover' },
  'covers.book_id': { description: 'Of this book' },
};

const requiredColumns: Readonly<Record<string, readonly string[]>> = {
  authors: ['id', 'name'],
  books: ['id', 'title'],
  copies: ['id', 'borrowed'],
  covers: ['book_id', 'color'],
  drafts: ['id', 'title'],
  editions: ['book_id', 'number', 'year'],
  paints: ['id', 'name'],
  samples: ['id'],
};

/** The views that cannot be written. */
const readOnly = new Set(['many', 'prices']);

const reference = (name: string) => ({ $ref: `#/parameters/${name}` });

/** What the description says of a table or a view. */
function describedTable(name: string): DescribedMembers {
  const full = `conformance_${name}`;
  const own = name === 'books' ? { summary: 'Printed books', description: 'Only for audits.' } : {};
  const names = Object.keys(columns[name] ?? {});
  const filters = names.map((column) => `rowFilter.${full}.${column}`);
  const operation = (parameters: readonly string[], responses: object) => ({
    ...own,
    parameters: parameters.map(reference),
    responses,
    tags: [full],
  });
  const rows = { items: { $ref: `#/definitions/${full}` }, type: 'array' };
  const get = operation([...filters, ...paged], {
    200: { description: 'OK', schema: rows },
    206: { description: 'Partial Content' },
  });
  const silent = { 204: { description: 'No Content' } };
  const writes = {
    post: operation([`body.${full}`, 'select', 'preferPost'], { 201: { description: 'Created' } }),
    patch: operation([...filters, `body.${full}`, 'preferReturn'], silent),
    delete: operation([...filters, 'preferReturn'], silent),
  };
  const required = requiredColumns[name];
  return [
    [
      ['definitions', full],
      {
        type: 'object',
        properties: columns[name],
        ...(name === 'books' && { description: 'Printed books\n\nOnly for audits.' }),
        ...(required && { required }),
      },
    ],
    [['paths', `/${full}`], readOnly.has(name) ? { get } : { get, ...writes }],
    [
      ['parameters', `body.${full}`],
      {
        name: full,
        description: full,
        required: false,
        in: 'body',
        schema: { $ref: `#/definitions/${full}` },
      },
    ],
    ...names.map(
      (column) =>
        [
          ['parameters', `rowFilter.${full}.${column}`],
          {
            name: column,
            required: false,
            in: 'query',
            type: 'string',
            ...commentsOf[`${name}.${column}`],
          },
        ] as const,
    ),
  ];
}

const singleTypes = ['application/vnd.pgrst.object+json;nulls=stripped', 'application/vnd.pgrst.object+json'];
const functionTypes = ['application/json', ...singleTypes];
const rowTypes = [...functionTypes, 'text/csv'];

interface DescribedFunction {
  readonly name: string;
  readonly summary?: object;
  /** The parameters in a query, and in a body. */
  readonly query?: readonly object[];
  readonly body?: object;
  readonly writes?: boolean;
}

const inQuery = (name: string, required: boolean, type: object) => ({ in: 'query', name, required, ...type });

const functions: readonly DescribedFunction[] = [
  {
    name: 'add',
    summary: { summary: 'Adds', description: 'Two numbers.' },
    query: [inQuery('a', true, integer), inQuery('b', false, integer)],
    body: {
      description: 'Adds\n\nTwo numbers.',
      required: ['a'],
      properties: { a: integer, b: integer },
    },
  },
  {
    name: 'join',
    query: [inQuery('words', true, { collectionFormat: 'multi', items: string, type: 'array' })],
    body: {
      required: ['words'],
      properties: { words: { format: 'text[]', items: { type: 'string' }, type: 'array' } },
    },
  },
  {
    name: 'read_json',
    query: [inQuery('', true, { format: 'json', type: 'string' })],
    body: { required: [''], properties: { '': { format: 'json' } } },
  },
  { name: 'extremes' },
  { name: 'nothing', writes: true },
  { name: 'respond', writes: true, body: { properties: { status: string, headers: string } } },
];

function describedFunction({
  name,
  summary,
  query,
  body,
  writes,
}: DescribedFunction): DescribedMembers[number] {
  const common = {
    ...summary,
    produces: functionTypes,
    responses: { 200: { description: 'OK' } },
    tags: [`(rpc) conformance_${name}`],
  };
  const argument = { in: 'body', name: 'args', required: true, schema: { type: 'object', ...body } };
  const post = { ...common, parameters: [argument, reference('preferParams')] };
  const get = { ...common, ...(query && { parameters: query }) };
  return [['paths', `/rpc/conformance_${name}`], writes ? { post } : { get, post }];
}

const returns = ['return=representation', 'return=minimal', 'return=none'];
const resolutions = ['resolution=ignore-duplicates', 'resolution=merge-duplicates'];
const parameter = (name: string, description: string, place: string, extra: object = {}) => ({
  name,
  description,
  required: false,
  in: place,
  type: 'string',
  ...extra,
});
const preference = (...values: readonly string[]) =>
  parameter('Prefer', 'Preference', 'header', values.length === 0 ? {} : { enum: values });
const page = 'Limiting and Pagination';

/** Members of the description of the library, and those that each project has. */
export const describedLibrary: DescribedMembers = [
  ...Object.keys(columns).flatMap(describedTable),
  ...functions.map(describedFunction),
  [['consumes'], rowTypes],
  [['produces'], rowTypes],
  [['externalDocs', 'description'], 'PostgREST Documentation'],
  [
    ['paths', '/'],
    {
      get: {
        produces: ['application/openapi+json', 'application/json'],
        responses: { 200: { description: 'OK' } },
        summary: 'OpenAPI description (this document)',
        tags: ['Introspection'],
      },
    },
  ],
  [['parameters', 'preferParams'], preference()],
  [['parameters', 'preferReturn'], preference(...returns)],
  [['parameters', 'preferCount'], preference('count=none')],
  [['parameters', 'preferPost'], preference(...returns, ...resolutions)],
  [['parameters', 'select'], parameter('select', 'Filtering Columns', 'query')],
  [['parameters', 'on_conflict'], parameter('on_conflict', 'On Conflict', 'query')],
  [['parameters', 'order'], parameter('order', 'Ordering', 'query')],
  [['parameters', 'range'], parameter('Range', page, 'header')],
  [['parameters', 'rangeUnit'], parameter('Range-Unit', page, 'header', { default: 'items' })],
  [['parameters', 'offset'], parameter('offset', page, 'query')],
  [['parameters', 'limit'], parameter('limit', page, 'query')],
];
