import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, type WireRequest, type WireResponse } from '../../target/wire.ts';
import { asService, newCaller } from './callers.ts';
import { createPreferences, sharedInbox } from './inbox.ts';
import { rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

type Texts = Readonly<Record<string, string>>;

const headerOf = (response: WireResponse, name: string) => response.headers.get(name);

/** Reads the shared inbox as its owner, oldest first by default. */
async function read(
  context: AuditContext,
  { query, headers = {}, method = 'GET' }: { query?: Texts; headers?: Texts; method?: string },
) {
  const { ada, rows } = await sharedInbox(context);
  const request: WireRequest = {
    token: ada.accessToken,
    query: { order: 'created_at.asc', ...query },
    headers,
  };
  const response = await context.rest.send(method, '/notifications', request);
  const indexes = (Array.isArray(response.json) ? (response.json as readonly unknown[]) : []).map((row) =>
    rows.findIndex(({ id }) => id === at(row, 'id')),
  );
  return { response, indexes };
}

const counted = { Prefer: 'count=exact' };

/** Queries and headers, with status, Content-Range and rows of the response. */
const ranges: readonly (readonly [Texts, Texts, number, string, readonly number[]])[] = [
  [{}, { Range: '3-' }, 200, '3-4/*', [3, 4]],
  [{}, { Range: '0-0' }, 200, '0-0/*', [0]],
  [{}, { Range: '1-9', ...counted }, 206, '1-4/5', [1, 2, 3, 4]],
  [{}, { Range: 'bytes=0-1' }, 200, '0-4/*', [0, 1, 2, 3, 4]],
  [{ limit: '5' }, counted, 200, '0-4/5', [0, 1, 2, 3, 4]],
  [{ limit: '4' }, counted, 206, '0-3/5', [0, 1, 2, 3]],
  [{ limit: '2', offset: '3' }, counted, 206, '3-4/5', [3, 4]],
  [{ offset: '4' }, {}, 200, '4-4/*', [4]],
  [{ offset: '5' }, counted, 206, '*/5', []],
  [{ limit: '0' }, counted, 206, '*/5', []],
  [{ limit: 'many' }, {}, 200, '0-4/*', [0, 1, 2, 3, 4]],
];

const refusedRanges: readonly (readonly [Texts, Texts, RegExp])[] = [
  [{}, { Range: '3-1' }, /lower boundary/],
  [{ limit: '-1' }, {}, /greater than or equal to zero/],
  [{ offset: '6' }, counted, /offset of 6 .* only 5 rows/],
];

const paging: readonly Audit[] = [
  audit(
    'REST-432',
    'limit, offset and Range cut the same pages, to the row, with their status and Content-Range',
    { source: 'protocol/rest.md#order-and-ranges', since },
    async (context) => {
      for (const [query, headers, status, range, expected] of ranges) {
        const { response, indexes } = await read(context, { query, headers });
        const of = JSON.stringify({ ...query, ...headers });
        assertStatus(response, status);
        assert.equal(headerOf(response, 'content-range'), range, `the header content-range of ${of}`);
        assert.deepEqual(indexes, expected, `the rows of ${of}`);
      }
    },
  ),
  audit(
    'REST-433',
    'the refusal of a range names its reason in details',
    { source: 'protocol/rest.md#order-and-ranges', since },
    async (context) => {
      for (const [query, headers, details] of refusedRanges) {
        const { response } = await read(context, { query, headers });
        assertError(response, 416, 'PGRST103');
        assert.match(String(at(response.json, 'details')), details, 'details of the response');
      }
    },
  ),
];

/** Orders of the threads of `newThreads`, with the ids in that order. */
const orders: readonly (readonly [string, readonly string[]])[] = [
  ['entity_name', ['a', 'b', 'n']],
  ['entity_name.desc', ['n', 'b', 'a']],
  ['entity_name.nullsfirst', ['n', 'a', 'b']],
  ['entity_name.asc.nullslast', ['a', 'b', 'n']],
  ['entity_name.desc.nullsfirst', ['n', 'b', 'a']],
  ['entity_name.desc.nullslast', ['b', 'a', 'n']],
  ['entity_type , entity_name.desc.nullslast', ['a', 'n', 'b']],
  ['entity_type.desc,entity_id.desc', ['b', 'n', 'a']],
];

/** A user with three threads of two types, one of them without a name. */
async function newThreads(context: AuditContext) {
  const caller = await newCaller(context);
  const body = [
    { entity_type: 'page', entity_id: 'b', entity_name: 'say "b", c' },
    { entity_type: 'document', entity_id: 'n', entity_name: null },
    { entity_type: 'document', entity_id: 'a', entity_name: 'a' },
  ];
  assertStatus(await caller.send('POST', '/muted_threads', { body }), 201);
  return (query: Texts, headers: Texts = {}) => caller.send('GET', '/muted_threads', { query, headers });
}

const shapes: readonly Audit[] = [
  audit(
    'REST-435',
    'order puts nulls last, with desc first, unless told otherwise, and skips spaces beside its commas',
    { source: 'protocol/rest.md#order-and-ranges', since },
    async (context) => {
      const threads = await newThreads(context);
      for (const [order, expected] of orders)
        assert.deepEqual(
          rowsOf(await threads({ select: 'entity_id', order })).map((row) => at(row, 'entity_id')),
          expected,
          `the ids by ${order}`,
        );
    },
  ),
  audit(
    'REST-436',
    'CSV has a line of names, an empty field for null and quotes where a value needs them',
    { source: 'protocol/rest.md#media-types', since },
    async (context) => {
      const threads = await newThreads(context);
      const query = { select: 'entity_id,entity_name', order: 'entity_id' };
      const response = await threads(query, { Accept: 'text/csv' });
      assertStatus(response, 200);
      assert.deepEqual(
        response.text.split('\n'),
        ['entity_id,entity_name', 'a,a', 'b,"say ""b"", c"', 'n,'],
        'the lines of the response',
      );
    },
  ),
  audit(
    'REST-437',
    'a path into a column selects, renames, casts, filters and sorts by an element',
    { source: 'protocol/rest.md#selecting-columns', since },
    async (context) => {
      const { send, user, mine } = await newCaller(context);
      await createPreferences(context, user);
      const body = { quiet_weekdays: [6, 7] };
      assertStatus(await send('PATCH', '/notification_preferences', { query: mine, body }), 204);
      const paths: readonly (readonly [Texts, readonly object[]])[] = [
        [{ select: 'quiet_weekdays->0' }, [{ quiet_weekdays: 6 }]],
        [{ select: 'first:quiet_weekdays->0,last:quiet_weekdays->>-1' }, [{ first: 6, last: '7' }]],
        [{ select: 'second:quiet_weekdays->>1::int' }, [{ second: 7 }]],
        [{ select: 'none:quiet_weekdays->2' }, [{ none: null }]],
        [{ select: 'language', 'quiet_weekdays->>1': 'eq.7' }, [{ language: 'en' }]],
        [{ select: 'language', 'quiet_weekdays->1': 'eq.6' }, []],
        [{ select: 'language', or: '(quiet_weekdays->0.eq.6,language.eq.de)' }, [{ language: 'en' }]],
        [{ select: 'language', order: 'quiet_weekdays->>0.desc' }, [{ language: 'en' }]],
      ];
      for (const [query, expected] of paths)
        assert.deepEqual(
          rowsOf(await send('GET', '/notification_preferences', { query })),
          expected,
          `the rows of ${JSON.stringify(query)}`,
        );
    },
  ),
  audit(
    'REST-438',
    'is and eq filter booleans, and a tree takes array literals with and without quotes',
    { source: 'protocol/rest.md#filters', since },
    async (context) => {
      const { send, user } = await newCaller(context);
      await createPreferences(context, user);
      const filters: readonly (readonly [Texts, number])[] = [
        [{ email_edits: 'is.false' }, 1],
        [{ email_edits: 'is.true' }, 0],
        [{ email_mentions: 'is.TRUE' }, 1],
        [{ email_mentions: 'not.is.true' }, 0],
        [{ email_mentions: 'is.unknown' }, 0],
        [{ email_mentions: 'eq.true' }, 1],
        [{ or: '(quiet_weekdays.cs.{6,7},email_edits.is.true)' }, 1],
        [{ or: '(quiet_weekdays.cd.{6,7},email_edits.is.true)' }, 0],
        [{ or: '(quiet_weekdays.ov."{1,9}",email_edits.is.true)' }, 1],
      ];
      for (const [query, expected] of filters)
        assert.equal(
          rowsOf(await send('GET', '/notification_preferences', { query })).length,
          expected,
          `the number of rows of ${JSON.stringify(query)}`,
        );
    },
  ),
];

const object = 'application/vnd.pgrst.object';
const array = 'application/vnd.pgrst.array';

/** Values of Accept, and the media type of their responses. */
const accepted: readonly (readonly [string, string])[] = [
  ['*/*', 'application/json; charset=utf-8'],
  [array, 'application/json; charset=utf-8'],
  [`${array}+json`, 'application/json; charset=utf-8'],
  [`${array}+json;nulls=stripped`, `${array}+json;nulls=stripped; charset=utf-8`],
  [object, `${object}+json; charset=utf-8`],
  [`${object}+json;nulls=stripped`, `${object}+json;nulls=stripped; charset=utf-8`],
  ['text/csv', 'text/csv; charset=utf-8'],
  ['application/x-nothing, text/csv', 'text/csv; charset=utf-8'],
  ['text/csv;q=0.5, application/json', 'application/json; charset=utf-8'],
  ['application/json;q=0.5, text/csv;q=0.9', 'text/csv; charset=utf-8'],
  ['*/*, text/csv', 'text/csv; charset=utf-8'],
];

const unavailable = ['text/plain', 'application/octet-stream', 'application/vnd.pgrst.plan+json'];

const negotiation: readonly Audit[] = [
  audit(
    'REST-439',
    'the response has the best media type of Accept that the server has, and names it in Content-Type',
    { source: 'protocol/rest.md#media-types', since },
    async (context) => {
      for (const [accept, type] of accepted) {
        const { response } = await read(context, { query: { limit: '1' }, headers: { Accept: accept } });
        assertStatus(response, 200);
        assert.equal(headerOf(response, 'content-type'), type, `the header content-type of ${accept}`);
      }
    },
  ),
  audit(
    'REST-440',
    'a plan and types that tables do not have are refused as PGRST107, which names them',
    { source: 'protocol/rest.md#media-types', level: 'SHOULD', since },
    async (context) => {
      for (const accept of unavailable) {
        const { response } = await read(context, { headers: { Accept: accept } });
        assertError(response, 406, 'PGRST107');
        const [type = ''] = accept.split('+');
        assert.ok(String(at(response.json, 'message')).includes(type), `the message names ${type}`);
      }
    },
  ),
  audit(
    'REST-441',
    'Content-Profile names the schema that a request chose, and the header of the other methods chooses none',
    { source: 'protocol/rest.md#schemas', since },
    async (context) => {
      const chosen = await read(context, { headers: { 'Accept-Profile': 'public' } });
      assert.equal(headerOf(chosen.response, 'content-profile'), 'public', 'the header content-profile');
      const other = await read(context, { headers: { 'Content-Profile': 'no_such_schema' } });
      assertStatus(other.response, 200);
      const { send, user } = await newCaller(context);
      const headers = {
        'Accept-Profile': 'no_such_schema',
        'Content-Profile': 'public',
        Prefer: 'return=representation',
      };
      const inserted = await send('POST', '/notification_preferences', {
        body: { user_id: user.id },
        headers,
      });
      assertStatus(inserted, 201);
      assert.equal(headerOf(inserted, 'content-profile'), 'public', 'the header content-profile');
      const refused = await read(context, { headers: { 'Accept-Profile': 'no_such_schema' } });
      assert.match(
        String(at(refused.response.json, 'hint')),
        /exposed: .*\bpublic\b/,
        'hint of the response',
      );
    },
  ),
  audit(
    'REST-442',
    'Content-Location is the path of a read with its parameters in the order of their names',
    { source: 'protocol/rest.md#order-and-ranges', level: 'SHOULD', since },
    async (context) => {
      for (const method of ['GET', 'HEAD']) {
        const { response } = await read(context, { method, query: { select: 'id,status', limit: '1' } });
        assert.equal(
          headerOf(response, 'content-location'),
          '/notifications?limit=1&order=created_at.asc&select=id%2Cstatus',
          `the header content-location of ${method}`,
        );
      }
    },
  ),
  audit(
    'REST-443',
    'the preference timezone converts the times of the response',
    { source: 'protocol/rest.md#preferences', since },
    async (context) => {
      const query = { select: 'created_at', limit: '1' };
      const timeOf = async (headers: Texts) => {
        const { response } = await read(context, { query, headers });
        return { response, text: String(at(rowsOf(response)[0], 'created_at')) };
      };
      const plain = await timeOf({});
      const { response, text } = await timeOf({ Prefer: 'timezone=Asia/Tokyo' });
      assert.match(text, /\+09:00$/, 'created_at of the row');
      assert.equal(Date.parse(text), Date.parse(plain.text), 'the time of the row');
      assert.equal(
        headerOf(response, 'preference-applied'),
        'timezone=Asia/Tokyo',
        'the header preference-applied',
      );
    },
  ),
  audit(
    'REST-444',
    'a strict refusal names every unknown preference, and strict handling of known ones refuses nothing',
    { source: 'protocol/rest.md#preferences', since },
    async (context) => {
      const refused = await read(context, {
        headers: { Prefer: 'handling=strict, first=1, count=exact, second' },
      });
      assertError(refused.response, 400, 'PGRST122');
      assert.match(
        String(at(refused.response.json, 'details')),
        /: first=1, second$/,
        'details of the response',
      );
      const { response } = await read(context, { headers: { Prefer: 'handling=strict,  count=exact ' } });
      assertStatus(response, 200);
      assert.equal(
        headerOf(response, 'preference-applied'),
        'count=exact, handling=strict',
        'the header preference-applied',
      );
    },
  ),
];

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
          headerOf(response, 'content-type'),
          'application/json; charset=utf-8',
          'the header content-type',
        );
        assert.equal(
          headerOf(response, 'proxy-status'),
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

const roles: readonly Audit[] = (
  [
    ['REST-447', 'a token without a role is anonymous', {}, 401, '42501', /notifications/],
    [
      'REST-448',
      'a token with a role that does not exist is refused as 22023 with 401',
      { role: 'no_such_role' },
      401,
      '22023',
      /no_such_role/,
    ],
  ] as const
).map(([id, title, claims, status, code, message]) =>
  audit(id, title, { source: 'protocol/rest.md#tokens', since }, async (context) => {
    const user = await context.newUser();
    const token = context.signAgain(user.accessToken, { role: undefined, ...claims });
    const response = await context.rest.send('GET', '/notifications', { token });
    assertError(response, status, code);
    assert.match(String(at(response.json, 'message')), message, 'message of the response');
  }),
);

const paged = ['select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'];

/** Members of the OpenAPI description: their path, and their value. */
const described: readonly (readonly [readonly string[], unknown])[] = [
  [['swagger'], '2.0'],
  [['basePath'], '/'],
  [['definitions', 'muted_threads', 'type'], 'object'],
  [
    ['definitions', 'muted_threads', 'required'],
    ['user_id', 'entity_type', 'entity_id', 'created_at'],
  ],
  [
    ['definitions', 'muted_threads', 'properties', 'entity_id'],
    { description: 'Note:\nThis is a Primary Key.<pk/>', format: 'text', type: 'string' },
  ],
  [
    ['definitions', 'muted_threads', 'properties', 'muted_until'],
    { format: 'timestamp with time zone', type: 'string' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'email_edits'],
    { default: false, format: 'boolean', type: 'boolean' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'language'],
    { default: 'en', format: 'text', type: 'string' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'digest_hour'],
    { default: 8, format: 'int32', type: 'integer' },
  ],
  [
    ['definitions', 'notification_preferences', 'properties', 'quiet_weekdays'],
    { format: 'smallint[]', items: { type: 'integer' }, type: 'array' },
  ],
  [
    ['definitions', 'notification_bulk_changes', 'properties', 'revision'],
    { format: 'int64', type: 'integer' },
  ],
  [['paths', '/muted_threads', 'post', 'responses', '201', 'description'], 'Created'],
  [['paths', '/muted_threads', 'get', 'responses', '206', 'description'], 'Partial Content'],
  [['paths', '/muted_threads', 'delete', 'tags'], ['muted_threads']],
  [
    ['paths', '/muted_threads', 'get', 'responses', '200', 'schema'],
    { items: { $ref: '#/definitions/muted_threads' }, type: 'array' },
  ],
  [
    ['paths', '/rpc/get_invitation', 'get', 'parameters'],
    [{ format: 'text', in: 'query', name: 'token', required: true, type: 'string' }],
  ],
  [['paths', '/rpc/accept_invitation', 'get'], undefined],
  [['paths', '/rpc/create_invitation', 'post', 'parameters', '0', 'schema', 'required'], ['invitee_email']],
  [
    ['parameters', 'rowFilter.muted_threads.entity_id'],
    { name: 'entity_id', required: false, in: 'query', type: 'string' },
  ],
  [['parameters', 'body.muted_threads', 'schema', '$ref'], '#/definitions/muted_threads'],
];

/** The members that `expected` has, too: a column may have a description. */
const membersOf = (actual: unknown, expected: unknown): unknown =>
  typeof expected === 'object' && expected !== null && !Array.isArray(expected)
    ? Object.fromEntries(Object.keys(expected).map((name) => [name, at(actual, name)]))
    : actual;

const descriptions: readonly Audit[] = [
  audit(
    'REST-449',
    'the root describes the tables and functions in OpenAPI 2.0',
    { source: 'protocol/rest.md#description-of-the-schema', level: 'SHOULD', needs: ['service-key'], since },
    async (context) => {
      const response = await asService(context)('GET', '/');
      assertStatus(response, 200);
      assert.equal(
        headerOf(response, 'content-type'),
        'application/openapi+json; charset=utf-8',
        'the header content-type',
      );
      for (const [path, expected] of described)
        assert.deepEqual(
          membersOf(at(response.json, ...path), expected),
          expected,
          `${path.join('.')} of the response`,
        );
      const parameters = at(response.json, 'paths', '/muted_threads', 'get', 'parameters');
      const names = (parameters as readonly unknown[]).map((one) =>
        String(at(one, '$ref')).split('/').at(-1),
      );
      const filters = ['user_id', 'entity_type', 'entity_id', 'entity_name', 'muted_until', 'created_at'];
      assert.deepEqual(
        names,
        [...filters.map((column) => `rowFilter.muted_threads.${column}`), ...paged],
        'the parameters of a read',
      );
    },
  ),
  audit(
    'REST-434',
    'OPTIONS names the methods of a table and of the root',
    { source: 'protocol/rest.md#description-of-the-schema', level: 'SHOULD', since },
    async (context) => {
      const { ada } = await sharedInbox(context);
      for (const [path, methods] of [
        ['/muted_threads', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
        ['/', 'OPTIONS,GET,HEAD'],
      ] as const) {
        const response = await context.rest.send('OPTIONS', path, { token: ada.accessToken });
        assertStatus(response, 200);
        assert.equal(headerOf(response, 'allow'), methods, `the header allow of ${path}`);
      }
    },
  ),
];

/** Reads of one kind, each with several queries. */
export const restReadCaseAudits: readonly Audit[] = [
  ...paging,
  ...shapes,
  ...negotiation,
  ...errors,
  ...roles,
  ...descriptions,
];
