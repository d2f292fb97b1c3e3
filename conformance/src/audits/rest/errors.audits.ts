import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit, type AuditLevel } from '../../audit/audit.ts';
import { assertError, at, type WireRequest } from '../../target/wire.ts';
import { withSettingsUnchanged } from './setting-window.ts';
import { sharedInbox } from './inbox.ts';
import { openLibrary, serviceHeadersOf } from './library.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

interface RefusalTable {
  readonly id: string;
  readonly title: string;
  readonly section?: 'errors' | 'selecting-columns';
  readonly level?: AuditLevel;
  readonly status?: number;
  /** Queries with the code and the message of their refusal. */
  readonly queries: readonly (readonly [Record<string, string>, code: string, message: RegExp])[];
}

const refusals: readonly RefusalTable[] = [
  {
    id: 'REST-427',
    title: 'a parameter of a table that is not embedded is refused as PGRST108, with its name',
    queries: (['status', 'order', 'limit', 'or'] as const).map((name) => [
      { [`other.${name}`]: { status: 'eq.read', order: 'id', limit: '1', or: '(a.eq.1,b.eq.2)' }[name] },
      'PGRST108',
      /'other'/,
    ]),
  },
  {
    id: 'REST-428',
    title: 'each aggregate is refused as PGRST123 unless they were switched on',
    section: 'selecting-columns',
    level: 'SHOULD',
    queries: [
      'n:count()',
      'status.count()',
      'id.sum()',
      'id.avg()',
      'created_at.max()',
      'status,created_at.min()',
    ].map((select) => [{ select }, 'PGRST123', /aggregate/]),
  },
  {
    id: 'REST-429',
    title: 'the message of PGRST100 names the parameter, its value and the position of the error',
    level: 'SHOULD',
    queries: [
      [{ status: 'read' }, 'PGRST100', /^"failed to parse filter \(read\)" \(line 1, column 1\)$/],
      [{ status: 'not.read' }, 'PGRST100', /^"failed to parse filter \(not\.read\)" \(line 1, column 5\)$/],
      [{ order: 'id.up' }, 'PGRST100', /^"failed to parse order \(id\.up\)" \(line 1, column 4\)$/],
      [{ order: 'id.asc.up' }, 'PGRST100', /^"failed to parse order \(id\.asc\.up\)" \(line 1, column 8\)$/],
      [
        { or: '(id.eq.1' },
        'PGRST100',
        /^"failed to parse logic tree \(\(id\.eq\.1\)" \(line 1, column 11\)$/,
      ],
      [
        { select: 'id,a(b' },
        'PGRST100',
        /^"failed to parse select parameter \(id,a\(b\)" \(line 1, column 7\)$/,
      ],
    ],
  },
  {
    id: 'REST-430',
    title: "a cast that PostgreSQL refuses is 400 with PostgreSQL's code",
    section: 'selecting-columns',
    queries: [
      [{ select: 'status::no_such_type' }, '42704', /no_such_type/],
      [{ select: 'created_at::int' }, '42846', /cannot cast/],
      [{ select: 'status::int' }, '22P02', /integer/],
    ],
  },
  {
    id: 'REST-431',
    title: 'the operators of ranges and arrays are those of PostgreSQL',
    status: 404,
    queries: (
      [
        ['cs', '@>'],
        ['ov', '&&'],
        ['sl', '<<'],
        ['sr', '>>'],
        ['nxr', '&<'],
        ['nxl', '&>'],
        ['adj', '-|-'],
      ] as const
    ).map(([operator, symbol]) => [
      { id: `${operator}.x` },
      '42883',
      new RegExp(`: uuid ${symbol.replaceAll('|', String.raw`\|`)} unknown`),
    ]),
  },
];

const refusalAudits = refusals.map(
  ({ id, title, section = 'errors', level = 'MUST', status = 400, queries }) =>
    audit(id, title, { source: `protocol/rest.md#${section}`, level, since }, async (context) => {
      const { ada } = await sharedInbox(context);
      for (const [query, code, message] of queries) {
        const read = () => context.rest.send('GET', '/notifications', { token: ada.accessToken, query });
        const response = code === 'PGRST123' ? await withSettingsUnchanged(context, read) : await read();
        assertError(response, status, code);
        assert.match(String(at(response.json, 'message')), message, 'message of the response');
      }
    }),
);

/** Names that are not found, with the hint of the refusal. */
const hints: readonly (readonly [string, Texts, string, string | null])[] = [
  ['/notificatons', {}, 'PGRST205', "Perhaps you meant the table 'public.notifications'"],
  ['/xyzzy', {}, 'PGRST205', null],
  [
    '/rpc/get_invitaton',
    { token: 'x' },
    'PGRST202',
    'Perhaps you meant to call the function public.get_invitation',
  ],
  [
    '/rpc/get_invitation',
    { tokens: 'x' },
    'PGRST202',
    'Perhaps you meant to call the function public.get_invitation(token)',
  ],
];

const errors: readonly Audit[] = [
  audit(
    'REST-445',
    'an error is JSON in UTF-8, and Proxy-Status names its code',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', since },
    async (context) => {
      const { ada } = await sharedInbox(context);
      const failures: readonly (readonly [string, Texts, number, string])[] = [
        ['/notifications', { select: 'no_such_column' }, 400, '42703'],
        ['/no_such_table', {}, 404, 'PGRST205'],
        ['/notifications', { limit: '-1' }, 416, 'PGRST103'],
      ];
      for (const [path, query, status, code] of failures) {
        const response = await context.rest.send('GET', path, { token: ada.accessToken, query });
        assertError(response, status, code);
        assert.equal(
          response.headers.get('content-type'),
          'application/json; charset=utf-8',
          'the header content-type',
        );
        assert.equal(
          response.headers.get('proxy-status'),
          `PostgREST; error=${code}`,
          'the header proxy-status',
        );
      }
    },
  ),
  audit(
    'REST-446',
    'the refusal of an unknown table or function names the most similar one, if any is similar',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', since },
    async (context) => {
      const { ada } = await sharedInbox(context);
      for (const [path, query, code, hint] of hints) {
        const response = await context.rest.send('GET', path, { token: ada.accessToken, query });
        assertError(response, 404, code);
        assert.equal(at(response.json, 'hint'), hint, `hint of the response for ${path}`);
        const name = path.replace('/rpc', '').replace('/', 'public.');
        assert.ok(String(at(response.json, 'message')).includes(name), `the message names ${name}`);
      }
    },
  ),
];

const jsonType = 'application/json; charset=utf-8';

interface WholeRefusal {
  readonly method?: string;
  readonly path: string;
  readonly request?: WireRequest;
  readonly status?: number;
  readonly code: string;
  readonly message: string;
  readonly details?: string;
}

const write = (body: unknown, headers: Texts = {}): WireRequest => ({ body, headers });
const single = { Accept: 'application/vnd.pgrst.object+json' };
const id = '00000000-0000-4000-8000-000000000001';
const another = '00000000-0000-4000-8000-000000000002';

const ofBody = (request: WireRequest, message: string): WholeRefusal => ({
  method: 'POST',
  path: '/drafts',
  request,
  code: 'PGRST102',
  message,
});

/** Refusals with their whole body; what is not named is null. */
const wholeRefusals: readonly WholeRefusal[] = [
  {
    method: 'PUT',
    path: '/rpc/add',
    request: write({}),
    status: 405,
    code: 'PGRST101',
    message: 'Cannot use the PUT method on RPC',
  },
  ofBody(write('{'), 'Empty or invalid json'),
  ofBody(write(''), 'Empty or invalid json'),
  ofBody(write(String.raw`[{"title":"\ud83d"}]`), 'Empty or invalid json'),
  ofBody(write(String.raw`[{"\ud83d":"x"}]`), 'Empty or invalid json'),
  ofBody(write([{ id }, { title: 'x' }]), 'All object keys must match'),
  ofBody(write([{ id }, { id, title: 'x' }]), 'All object keys must match'),
  ofBody(write([1]), 'All object keys must match'),
  ofBody(
    write('id,title\n1,a\n2\n', { 'Content-Type': 'text/csv' }),
    'All lines must have same number of fields',
  ),
  ofBody(write('{}', { 'Content-Type': 'text/plain' }), 'Content-Type not acceptable: text/plain'),
  {
    path: '/books?limit=-1',
    status: 416,
    code: 'PGRST103',
    message: 'Requested range not satisfiable',
    details: 'Limit should be greater than or equal to zero.',
  },
  {
    path: '/books',
    request: { headers: { Range: '3-1' } },
    status: 416,
    code: 'PGRST103',
    message: 'Requested range not satisfiable',
    details: 'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
  },
  {
    method: 'PUT',
    path: '/drafts',
    request: write({ id }),
    status: 405,
    code: 'PGRST105',
    message: "Filters must include all and only primary key columns with 'eq' operators",
  },
  {
    path: '/books',
    request: { headers: { Accept: 'application/x-nothing;q=0.5, text/plain;charset=utf-8' } },
    status: 406,
    code: 'PGRST107',
    message: 'None of these media types are available: text/plain, application/x-nothing',
  },
  {
    method: 'POST',
    path: '/rpc/respond',
    request: write({ headers: 'x' }),
    status: 500,
    code: 'PGRST111',
    message:
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  },
  {
    method: 'POST',
    path: '/rpc/respond',
    request: write({ status: 'x' }),
    status: 500,
    code: 'PGRST112',
    message: 'response.status guc must be a valid status code',
  },
  ...['limit=1', 'offset=1'].map((parameter) => ({
    method: 'PUT',
    path: `/drafts?id=eq.${id}&${parameter}`,
    request: write({ id }),
    code: 'PGRST114',
    message: 'limit/offset querystring parameters are not allowed for PUT',
  })),
  {
    method: 'PUT',
    path: `/drafts?id=eq.${id}`,
    request: write({ id: another }),
    code: 'PGRST115',
    message: 'Payload values do not match URL in primary key column(s)',
  },
  ...['4', '0'].map((rows) => ({
    path: `/books?id=${rows === '0' ? 'gt' : 'lt'}.9`,
    request: { headers: single },
    status: 406,
    code: 'PGRST116',
    message: 'Cannot coerce the result to a single JSON object',
    details: `The result contains ${rows} rows`,
  })),
  {
    path: '/books',
    request: { headers: { Prefer: 'handling=strict, first, count=exact, second=1' } },
    code: 'PGRST122',
    message: 'Invalid preferences given with handling=strict',
    details: 'Invalid preferences: first, second=1',
  },
  {
    method: 'POST',
    path: '/rpc/count_to',
    request: write({ last: 3 }, { Prefer: 'handling=strict, max-affected=2' }),
    code: 'PGRST124',
    message: 'Query result exceeds max-affected preference constraint',
    details: 'The query affects 3 rows',
  },
  { path: '/books/1', status: 404, code: 'PGRST125', message: 'Invalid path specified in request URL' },
  {
    method: 'POST',
    path: '/drafts',
    request: write({ author_id: 99 }),
    status: 409,
    code: '23503',
    message:
      'insert or update on table "conformance_drafts" violates foreign key constraint "conformance_drafted_by"',
    details: 'Key (author_id)=(99) is not present in table "conformance_authors".',
  },
  {
    method: 'POST',
    path: '/drafts',
    request: write([{ id }, { id }]),
    status: 409,
    code: '23505',
    message: 'duplicate key value violates unique constraint "conformance_drafts_pkey"',
    details: `Key (id)=(${id}) already exists.`,
  },
  {
    method: 'POST',
    path: '/drafts',
    request: write({ id, title: null }),
    code: '23502',
    message: 'null value in column "title" of relation "conformance_drafts" violates not-null constraint',
    details: `Failing row contains (${id}, null, null).`,
  },
  {
    path: '/books?id=eq.x',
    code: '22P02',
    message: 'invalid input syntax for type integer: "x"',
  },
  { path: '/books?select=isbn', code: '42703', message: 'column conformance_books.isbn does not exist' },
];

const whole: readonly Audit[] = [
  audit(
    'REST-549',
    'the body of an error has its message and its details, and null for what it lacks',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      for (const refusal of wholeRefusals) {
        const { method = 'GET', path, request, status = 400, code, message, details = null } = refusal;
        const response = await send(method, path, request);
        assertError(response, status, code);
        assert.deepEqual(
          response.json,
          { code, message, details, hint: null },
          `the body of ${method} ${path}`,
        );
        assert.deepEqual(
          serviceHeadersOf(response),
          { 'content-type': jsonType, 'proxy-status': `PostgREST; error=${code}` },
          `the headers of ${method} ${path}`,
        );
      }
    },
  ),
  audit(
    'REST-550',
    'a missing right names the table, and asks a caller without a user to sign in',
    { source: 'protocol/rest.md#permissions', level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const { accessToken: token } = await context.newUser();
      for (const [request, status, asks] of [
        [{}, 401, { 'www-authenticate': 'Bearer' }],
        [{ token }, 403, {}],
      ] as const) {
        const response = await send('POST', '/books', { ...request, body: { id: 9, title: 'x' } });
        assertError(response, status, '42501');
        assert.deepEqual(
          [at(response.json, 'message'), at(response.json, 'details')],
          ['permission denied for table conformance_books', null],
          'message and details of the response',
        );
        assert.deepEqual(
          serviceHeadersOf(response),
          { 'content-type': jsonType, 'proxy-status': 'PostgREST; error=42501', ...asks },
          'the headers',
        );
      }
    },
  ),
];

/** What an error names: its code, its reason and what was meant. */
export const restErrorAudits: readonly Audit[] = [...refusalAudits, ...errors, ...whole];
