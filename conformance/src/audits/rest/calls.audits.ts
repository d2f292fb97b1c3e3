import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at, type WireRequest } from '../../target/wire.ts';
import { openLibrary, requireVersion, type Library } from './library.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#functions-of-the-database';
const since = '1.0.0';
const object = 'application/vnd.pgrst.object+json';

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly request?: WireRequest;
  readonly result: unknown;
}

const post = (path: string, body: unknown, headers = {}): Pick<Call, 'method' | 'path' | 'request'> => ({
  method: 'POST',
  path,
  request: { body, headers },
});

const tables: readonly (readonly [id: string, title: string, calls: readonly Call[]])[] = [
  [
    'REST-503',
    'a function that returns one value responds with it, also where an object was requested',
    [
      { path: '/rpc/add?a=1&b=2', result: 3 },
      { path: '/rpc/add?a=1', result: 11 },
      { ...post('/rpc/add', { a: 5 }), result: 15 },
      { ...post('/rpc/add', { a: 5 }, { Accept: object }), result: 15 },
      { ...post('/rpc/add', { a: null }), result: null },
      { path: '/rpc/double?word=ab', result: 'abab' },
    ],
  ],
  [
    'REST-504',
    'a function that returns a set of values responds with an array of them',
    [
      { path: '/rpc/count_to?last=3', result: [1, 2, 3] },
      { path: '/rpc/count_to?last=0', result: [] },
      { path: '/rpc/count_to?last=9&offset=6&limit=2', result: [7, 8] },
      {
        path: '/rpc/count_to?last=1',
        request: { headers: { Accept: object } },
        result: { pgrst_scalar: 1 },
      },
    ],
  ],
  [
    'REST-505',
    'a function that returns one row, or out parameters, responds with an object',
    [
      { path: '/rpc/author?id=2&select=id,name', result: { id: 2, name: 'Grace' } },
      { path: '/rpc/author?id=9&select=name', result: { name: null } },
      { path: '/rpc/extremes', result: { lowest: 1, highest: 9 } },
      {
        path: '/rpc/author?id=2&select=name,conformance_books(title)',
        result: { name: 'Grace', conformance_books: [{ title: 'Compilers' }] },
      },
    ],
  ],
  [
    'REST-506',
    'the rows of a function have the relations of their table',
    [
      {
        path: '/rpc/books_by?writer=1&select=title,author:conformance_authors(name)&order=title',
        result: [
          { title: 'Engines', author: { name: 'Ada' } },
          { title: 'Notes', author: { name: 'Ada' } },
        ],
      },
      {
        path: '/rpc/books_by?writer=1&select=id,conformance_covers!inner(color)',
        result: [{ id: 1, conformance_covers: { color: 'red' } }],
      },
      {
        path: '/rpc/books_by?writer=1&select=id,tags:conformance_tags(label)&order=id&tags.order=label&tags.limit=1',
        result: [
          { id: 1, tags: [{ label: 'new' }] },
          { id: 2, tags: [{ label: 'old' }] },
        ],
      },
      {
        path: '/rpc/books_by?writer=1&select=id,conformance_editions(year)&conformance_editions.order=year.desc&conformance_editions.limit=1&order=id',
        result: [
          { id: 1, conformance_editions: [{ year: 1844 }] },
          { id: 2, conformance_editions: [{ year: 1850 }] },
        ],
      },
      {
        ...post('/rpc/books_by?select=title,author:author_id(...mentor_id(name))', { writer: 2 }),
        result: [{ title: 'Compilers', author: { name: 'Ada' } }],
      },
    ],
  ],
  [
    'REST-507',
    'the arguments choose among functions of one name',
    [
      { path: '/rpc/double?number=4', result: 8 },
      { ...post('/rpc/double', { word: 'x' }), result: 'xx' },
      { path: '/rpc/either?a=1&b=5', result: 6 },
      { ...post('/rpc/either', { a: 1, c: 'x' }), result: 1 },
      { path: '/rpc/choice?a=1', result: 2 },
      { ...post('/rpc/choice', { a: 1, b: 2, c: 3 }), result: 6 },
      { ...post('/rpc/choice', { d: 4 }), result: 0 },
    ],
  ],
  [
    'REST-508',
    'a variadic parameter takes repeated arguments of a query and an array of a body',
    [
      { path: '/rpc/join?words=a&words=b', result: 'a+b' },
      { path: '/rpc/join?words=a', result: 'a' },
      { ...post('/rpc/join', { words: ['a', 'b', 'c'] }), result: 'a+b+c' },
      {
        ...post('/rpc/join', 'words=a&words=b', { 'Content-Type': 'application/x-www-form-urlencoded' }),
        result: 'a+b',
      },
    ],
  ],
  [
    'REST-509',
    'the only and unnamed parameter of a function takes the whole body of its type',
    [
      { ...post('/rpc/read_text', '{"a":1}', { 'Content-Type': 'text/plain' }), result: 7 },
      { ...post('/rpc/read_bytes', 'größe', { 'Content-Type': 'application/octet-stream' }), result: 7 },
      { ...post('/rpc/read_json', { a: 1 }), result: 'object' },
      { ...post('/rpc/read_json', [{ a: 1 }]), result: 'array' },
    ],
  ],
  [
    'REST-510',
    'a function reads the method, the path, the headers, the cookies and the claims of its request',
    [
      { path: '/rpc/request?name=method', result: 'GET' },
      { ...post('/rpc/request', { name: 'method' }), result: 'POST' },
      { path: '/rpc/request?name=path', result: '/rpc/conformance_request' },
    ],
  ],
];

const results = tables.map(([id, title, calls]) =>
  audit(id, title, { source, needs: ['database'], since }, async (context) => {
    const send = await openLibrary(context);
    for (const { method = 'GET', path, request, result } of calls) {
      const response = await send(method, path, request);
      assertStatus(response, 200);
      assert.deepEqual(response.json, result, `the response to ${method} ${path}`);
    }
  }),
);

const respond = (send: Library, body: object) => send('POST', '/rpc/respond', { body });

const responses: readonly Audit[] = [
  audit(
    'REST-511',
    'a function without a result responds with 204 and no body',
    { source, needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const response = await send('POST', '/rpc/nothing', { body: {} });
      assertStatus(response, 204);
      assert.equal(response.text, '', 'the text of the response');
      assert.equal(response.headers.get('content-type'), null, 'the header content-type');
    },
  ),
  audit(
    'REST-534',
    'a call without a body has no arguments, and one with columns has those of columns',
    { source, needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const bare = await send('POST', '/rpc/extremes', { body: '' });
      assertStatus(bare, 200);
      assert.deepEqual(bare.json, { lowest: 1, highest: 9 }, 'the response');
      const chosen = await send('POST', '/rpc/add?columns=a', { body: { a: 1, b: 2, c: 3 } });
      assertStatus(chosen, 200);
      assert.equal(chosen.json, 11, 'the response with columns');
      assertError(await send('POST', '/rpc/add?columns=a,c', { body: { a: 1 } }), 404, 'PGRST202');
    },
  ),
  audit(
    'REST-512',
    'Content-Range counts the values and the rows of a function',
    { source: 'protocol/rest.md#counts', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [path, status, range] of [
        ['/rpc/count_to?last=3', 200, '0-2/3'],
        ['/rpc/count_to?last=3&limit=2', 206, '0-1/3'],
        ['/rpc/count_to?last=0', 200, '*/0'],
        ['/rpc/add?a=1', 200, '0-0/1'],
        ['/rpc/author?id=2', 200, '0-0/1'],
        ['/rpc/books_by?writer=1&select=id,conformance_covers!inner()', 200, '0-0/1'],
      ] as const) {
        const response = await send('GET', path, { headers: { Prefer: 'count=exact' } });
        assertStatus(response, status);
        assert.equal(response.headers.get('content-range'), range, `the header content-range of ${path}`);
      }
      const uncounted = await send('GET', '/rpc/count_to?last=3');
      assert.equal(uncounted.headers.get('content-range'), '0-2/*', 'the header content-range');
    },
  ),
  audit(
    'REST-513',
    'several values of a function are no object, and values are CSV of one column',
    { source: 'protocol/rest.md#media-types', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const refused = await send('GET', '/rpc/count_to?last=3', { headers: { Accept: object } });
      assertError(refused, 406, 'PGRST116');
      assert.equal(at(refused.json, 'details'), 'The result contains 3 rows', 'details of the response');
      const csv = await send('GET', '/rpc/count_to?last=2', { headers: { Accept: 'text/csv' } });
      assertStatus(csv, 200);
      assert.equal(csv.text, 'pgrst_scalar\n1\n2', 'the text of the response');
      const rows = await send('GET', '/rpc/books_by?writer=2&select=id,title', {
        headers: { Accept: 'text/csv' },
      });
      assert.equal(rows.text, 'id,title\n3,Compilers', 'the text of the rows');
    },
  ),
  audit(
    'REST-514',
    'OPTIONS names the methods of a function: POST alone where it writes',
    {
      source: 'protocol/rest.md#description-of-the-schema',
      level: 'SHOULD',
      needs: ['database'],
      since,
    },
    async (context) => {
      const send = await openLibrary(context);
      for (const [path, methods] of [
        ['/rpc/nothing', 'OPTIONS,POST'],
        ['/rpc/extremes', 'OPTIONS,GET,HEAD,POST'],
        ['/prices', 'OPTIONS,GET,HEAD'],
        ['/titles', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
      ] as const) {
        const response = await send('OPTIONS', path);
        assertStatus(response, 200);
        assert.equal(response.headers.get('allow'), methods, `the header allow of ${path}`);
      }
    },
  ),
  audit(
    'REST-515',
    'max-affected of a function that returns no set is refused as PGRST128 where handling is strict',
    { source: 'protocol/rest.md#preferences', needs: ['database', 'service-key'], since },
    async (context) => {
      await requireVersion(context, 14);
      const send = await openLibrary(context);
      const call = (handling: string) =>
        send('POST', '/rpc/add', {
          body: { a: 1 },
          headers: { Prefer: `handling=${handling}, max-affected=3` },
        });
      assertError(await call('strict'), 400, 'PGRST128');
      assertStatus(await call('lenient'), 200);
    },
  ),
  audit(
    'REST-516',
    'a function sets the status and the headers of its response',
    { source, needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const made = await respond(send, {
        status: '202',
        headers: '[{"X-Conformance":"1"},{"Content-Type":"text/x-conformance"}]',
      });
      assertStatus(made, 202);
      assert.equal(made.text, '"responded"', 'the text of the response');
      assert.equal(made.headers.get('x-conformance'), '1', 'the header x-conformance');
      assert.equal(made.headers.get('content-type'), 'text/x-conformance', 'the header content-type');
      assertStatus(await respond(send, { status: '418' }), 418);
    },
  ),
  audit(
    'REST-517',
    'a status or headers of a function that are none are refused as PGRST112 and PGRST111',
    { source: 'protocol/rest.md#errors', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      assertError(await respond(send, { status: 'teapot' }), 500, 'PGRST112');
      for (const headers of ['{"a":"b"}', '[{"a":"b","c":"d"}]', '[{"a":1}]', '["a","b"]', 'none'])
        assertError(await respond(send, { headers }), 500, 'PGRST111');
    },
  ),
  audit(
    'REST-518',
    'a function reads the headers and the cookies of its request, without the cookies among the headers',
    { source, needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const read = async (name: string) => {
        const headers = { 'X-Conformance': 'yes', Cookie: 'a=b=c; d; e=f' };
        const { json } = await send('POST', '/rpc/request', { body: { name }, headers });
        return JSON.parse(String(json)) as unknown;
      };
      assert.deepEqual(await read('cookies'), { a: 'b=c', d: '', e: 'f' }, 'the cookies');
      const headers = await read('headers');
      assert.equal(at(headers, 'cookie'), undefined, 'the header cookie');
      assert.equal(at(headers, 'content-type'), 'application/json;charset=UTF-8', 'the header content-type');
      assert.equal(at(await read('jwt.claims'), 'role'), 'anon', 'the role of the claims');
    },
  ),
];

/** Functions of every kind of result and parameter. */
export const restCallAudits: readonly Audit[] = [...results, ...responses];
