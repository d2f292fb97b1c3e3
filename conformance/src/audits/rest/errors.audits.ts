import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit, type AuditLevel } from '../../audit/audit.ts';
import { assertError, at } from '../../target/wire.ts';
import { withSettingsUnchanged } from './setting-window.ts';
import { sharedInbox } from './inbox.ts';

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

/** What an error names: its code, its reason and what was meant. */
export const restErrorAudits: readonly Audit[] = [...refusalAudits, ...errors];
