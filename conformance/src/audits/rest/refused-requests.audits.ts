import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, at, type WireRequest } from '../../target/wire.ts';
import { openLibrary, serviceHeadersOf } from './library.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

const jsonType = 'application/json; charset=utf-8';

interface Refusal {
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

const ofBody = (request: WireRequest, message: string): Refusal => ({
  method: 'POST',
  path: '/drafts',
  request,
  code: 'PGRST102',
  message,
});

/** Refusals with their whole body; what is not named is null. */
const refusals: readonly Refusal[] = [
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
  ...[
    '/drafts',
    '/editions?book_id=eq.1',
    '/editions?book_id=eq.1&number=gt.1',
    '/editions?book_id=not.eq.1&number=eq.1',
    '/editions?book_id=eq.1&number=eq(any).{1}',
    '/editions?book_id=eq.1&number=eq.1&year=eq.1',
    '/editions?book_id=eq.1&number=eq.1&and=(year.eq.1)',
    '/titles?title=eq.x',
    '/prices?books=eq.1',
  ].map((path) => ({
    method: 'PUT',
    path,
    request: write({ id }),
    status: 405,
    code: 'PGRST105',
    message: "Filters must include all and only primary key columns with 'eq' operators",
  })),
  {
    path: '/books',
    request: { headers: { Accept: 'application/x-nothing;q=0.5, text/plain;charset=utf-8' } },
    status: 406,
    code: 'PGRST107',
    message: 'None of these media types are available: text/plain, application/x-nothing',
  },
  {
    path: '/books',
    request: { headers: { Accept: 'nothing' } },
    status: 406,
    code: 'PGRST107',
    message: 'None of these media types are available: nothing',
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
    request: {
      headers: { Prefer: 'handling=strict, first, timezone=UTC, max-affected=2, count=exact, second=1' },
    },
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

/** Refusals as a whole: status, headers and body. */
export const restRefusedRequestAudits: readonly Audit[] = [
  audit(
    'REST-549',
    'the body of an error has its message and its details, and null for what it lacks',
    { source: 'protocol/rest.md#errors', level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      for (const refusal of refusals) {
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
