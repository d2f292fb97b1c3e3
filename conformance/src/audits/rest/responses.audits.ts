import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus } from '../../target/wire.ts';
import { openLibrary, serviceHeadersOf, type Library } from './library.ts';

const audit = auditsOf('rest');
const needs = ['database'] as const;
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

const json = 'application/json; charset=utf-8';
const schema = 'public';
/** Both headers, so that the response names the schema also where a project exposes only one. */
const profiles = { 'Accept-Profile': schema, 'Content-Profile': schema };
const content = { 'content-type': json, 'content-profile': schema };
const allPreferences =
  'handling=strict, timezone=UTC, max-affected=9, missing=default, resolution=merge-duplicates, count=exact';

/** A request with its preferences, and its response: status, headers, and body as JSON or an empty text. */
type Exchange = readonly [
  method: string,
  path: string,
  prefer: string,
  body: unknown,
  status: number,
  headers: Texts,
  result: unknown,
];

const none = undefined;
const ranged = (range: string, applied = '', others: Texts = {}): Texts => ({
  'content-range': range,
  ...(applied !== '' && { 'preference-applied': applied }),
  ...others,
});
const located = (location: string): Texts => ({ ...content, 'content-location': location });

const outside = (offset: number, rows: number) => ({
  code: 'PGRST103',
  message: 'Requested range not satisfiable',
  details: `An offset of ${offset} was requested, but there are only ${rows} rows.`,
  hint: null,
});

const exact = 'count=exact';
const common = 'count=exact, handling=strict, timezone=UTC';
const page = '/conformance_books?limit=2&order=id&select=id';

const reads: readonly Exchange[] = [
  [
    'GET',
    '/books?select=id&order=id&limit=2',
    `${allPreferences}, return=minimal`,
    none,
    206,
    ranged('0-1/4', common, located(page)),
    [{ id: 1 }, { id: 2 }],
  ],
  ['HEAD', '/titles', '', none, 200, ranged('0-3/*', '', located('/conformance_titles')), ''],
  [
    'GET',
    '/books?offset=9',
    exact,
    none,
    416,
    ranged('*/4', exact, located('/conformance_books?offset=9')),
    outside(9, 4),
  ],
  ['GET', '/rpc/count_to?last=5&offset=1&limit=2', '', none, 200, ranged('1-2/*', '', content), [2, 3]],
  ['HEAD', '/rpc/count_to?last=5&limit=2', exact, none, 206, ranged('0-1/5', exact, content), ''],
  [
    'POST',
    '/rpc/count_to',
    `${allPreferences}, return=representation`,
    { last: 2 },
    200,
    ranged('0-1/2', `${common}, max-affected=9`, content),
    [1, 2],
  ],
  ['GET', '/rpc/count_to?last=1&offset=9', exact, none, 416, ranged('*/1', exact, content), outside(9, 1)],
  ['POST', '/rpc/nothing', exact, {}, 204, ranged('0-0/1', exact), ''],
];

const full = 'return=representation';
const all = `${allPreferences}, ${full}`;

/** Inserts of one draft and its removal, in this order. */
const insertsOf = (id: string): readonly Exchange[] => {
  const merging = 'resolution=merge-duplicates';
  const ignoring = 'resolution=ignore-duplicates, return=minimal';
  const row = { id, title: 'untitled', author_id: null };
  const location = { location: `/conformance_drafts?id=eq.${id}` };
  const applied = `${merging}, missing=default, ${full}, ${common}`;
  return [
    [
      'POST',
      '/drafts',
      'return=headers-only',
      { id },
      201,
      ranged('*/*', 'return=headers-only', location),
      '',
    ],
    ['DELETE', `/drafts?id=eq.${id}`, '', none, 204, ranged('*/*'), ''],
    ['POST', '/drafts', all, { id }, 201, ranged('*/1', applied, content), [row]],
    [
      'POST',
      '/drafts',
      `${merging}, count=estimated`,
      { id, author_id: 1 },
      200,
      ranged('*/1', `${merging}, count=estimated`),
      '',
    ],
    ['POST', '/drafts', ignoring, { id, author_id: 2 }, 201, ranged('*/*', ignoring), ''],
    ['POST', '/drafts', '', [], 201, ranged('*/*'), ''],
  ];
};

/** Changes of the draft that `insertsOf` leaves. */
const changesOf = (id: string): readonly Exchange[] => {
  const one = `/drafts?id=eq.${id}`;
  const silent = 'return=headers-only';
  const ofUpdate = `missing=default, ${full}, ${common}, max-affected=9`;
  const ofDelete = `${full}, ${common}, max-affected=9`;
  const replaced = { ...content, 'preference-applied': `${full}, ${common}` };
  return [
    [
      'PATCH',
      `${one}&select=title,author_id`,
      all,
      { title: 'a' },
      200,
      ranged('0-0/1', ofUpdate, content),
      [{ title: 'a', author_id: 1 }],
    ],
    ['PATCH', one, silent, { title: 'b' }, 204, ranged('0-0/*', silent), ''],
    [
      'PUT',
      `${one}&select=title,author_id`,
      all,
      { id, title: 'c' },
      200,
      replaced,
      [{ title: 'c', author_id: 1 }],
    ],
    ['PUT', one, silent, { id, title: 'd' }, 204, { 'preference-applied': silent }, ''],
    ['PUT', one, '', { id, title: 'e' }, 204, {}, ''],
    ['DELETE', `${one}&select=title`, all, none, 200, ranged('*/1', ofDelete, content), [{ title: 'e' }]],
    ['DELETE', one, full, none, 200, ranged('*/*', full, content), []],
    ['PATCH', one, 'count=exact', { title: 'f' }, 204, ranged('*/0', 'count=exact'), ''],
  ];
};

async function assertExchanges(send: Library, exchanges: readonly Exchange[]): Promise<void> {
  for (const [method, path, prefer, body, status, headers, result] of exchanges) {
    const response = await send(method, path, {
      ...(body !== undefined && { body }),
      headers: { ...profiles, ...(prefer !== '' && { Prefer: prefer }) },
    });
    const subject = `${method} ${path} with ${prefer}`;
    assertStatus(response, status);
    assert.deepEqual(serviceHeadersOf(response), headers, `the headers of ${subject}`);
    assert.deepEqual(response.json ?? response.text, result, `the body of ${subject}`);
  }
}

/** Writes of a row of a table without a key. */
const notesOf = (words: string): readonly Exchange[] => {
  const one = `/notes?words=eq.${words}`;
  const silent = 'return=headers-only';
  const merging = 'resolution=merge-duplicates';
  return [
    ['POST', '/notes', silent, { words }, 201, ranged('*/*', silent), ''],
    ['POST', '/notes', merging, { words }, 201, ranged('*/*'), ''],
    [
      'POST',
      '/notes',
      `resolution=ignore-duplicates, ${full}`,
      { words },
      201,
      ranged('*/*', full, content),
      [{ words, at: null }],
    ],
    [
      'PATCH',
      one,
      full,
      { at: 1 },
      200,
      ranged('0-2/*', full, content),
      [1, 2, 3].map(() => ({ words, at: 1 })),
    ],
    ['DELETE', one, exact, none, 204, ranged('*/3', exact), ''],
  ];
};

/** Responses as a whole: status, headers and body. */
export const restResponseAudits: readonly Audit[] = [
  audit(
    'REST-547',
    'reads and calls respond with these headers and no others of the service',
    { source: 'protocol/rest.md#responses', level: 'SHOULD', needs, since },
    async (context) => assertExchanges(await openLibrary(context), reads),
  ),
  audit(
    'REST-548',
    'writes respond with these headers and no others of the service',
    { source: 'protocol/rest.md#responses', level: 'SHOULD', needs, since },
    async (context) => {
      const id = crypto.randomUUID();
      await assertExchanges(await openLibrary(context), [...insertsOf(id), ...changesOf(id)]);
    },
  ),
  audit(
    'REST-566',
    'a table without a key has no upsert, no place of its rows and no PUT',
    { source: 'protocol/rest.md#inserts-and-upserts', level: 'SHOULD', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      await assertExchanges(send, notesOf(crypto.randomUUID()));
      const put = await send('PUT', '/notes?words=eq.x', { body: { words: 'x' } });
      assertError(put, 405, 'PGRST105');
      const described = await send('OPTIONS', '/notes');
      assertStatus(described, 200);
      const methods = 'OPTIONS,GET,HEAD,POST,PATCH,DELETE';
      assert.equal(described.headers.get('allow'), methods, 'the header allow');
    },
  ),
];
