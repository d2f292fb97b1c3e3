import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit, type AuditLevel } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { sharedInbox } from './inbox.ts';

const audit = auditsOf('rest');
const since = '1.0.0';

interface FilterTable {
  readonly id: string;
  readonly title: string;
  /** The section of protocol/rest.md. Default `filters`. */
  readonly section?: 'logic-trees' | 'quoting';
  /** Queries with the indexes of the shared inbox's rows that match. */
  readonly queries: readonly (readonly [name: string, value: string, expected: readonly number[]])[];
}

const all = [0, 1, 2, 3, 4];

const tables: readonly FilterTable[] = [
  {
    id: 'REST-421',
    title: 'any and all go with each operator that takes them, negated, too',
    queries: [
      ['status', 'eq(all).{read,archived}', []],
      ['status', 'gt(any).{read,zzz}', [0, 2, 4]],
      ['status', 'gte(all).{archived,read}', [0, 1, 2, 4]],
      ['status', 'lt(any).{archived,read}', [3]],
      ['status', 'lte(all).{read,unread}', [1, 3]],
      ['status', 'ilike(any).{RE*,ARCH*}', [1, 3]],
      ['status', 'match(all).{^re,d$}', [1]],
      ['status', 'imatch(any).{^RE,^ARCH}', [1, 3]],
      ['status', 'not.eq(any).{read,archived}', [0, 2, 4]],
      ['status', 'not.like(all).{un*,*ead}', [1, 3]],
    ],
  },
  {
    id: 'REST-422',
    title: 'not. negates each operator',
    queries: [
      ['status', 'not.neq.unread', [0, 2, 4]],
      ['status', 'not.gt.read', [1, 3]],
      ['status', 'not.gte.read', [3]],
      ['status', 'not.lt.read', [0, 1, 2, 4]],
      ['status', 'not.lte.read', [0, 2, 4]],
      ['status', 'not.like.un*', [1, 3]],
      ['status', 'not.ilike.UN*', [1, 3]],
      ['status', 'not.match.^un', [1, 3]],
      ['status', 'not.imatch.^UN', [1, 3]],
      ['status', 'not.isdistinct.unread', [0, 2, 4]],
      ['status', 'not.in.(read)', [0, 2, 3, 4]],
      ['content', 'not.fts.comment', [0, 2, 3]],
    ],
  },
  {
    id: 'REST-423',
    title: 'is and isdistinct find nulls, in any case of letters, and no other operator does',
    queries: [
      ['snoozed_until', 'is.null', all],
      ['snoozed_until', 'is.NULL', all],
      ['snoozed_until', 'is.not_null', []],
      ['snoozed_until', 'not.is.null', []],
      ['snoozed_until', 'not.is.not_null', all],
      ['snoozed_until', 'isdistinct.2026-01-01', all],
      ['snoozed_until', 'not.isdistinct.2026-01-01', []],
      ['snoozed_until', 'neq.2026-01-01', []],
      ['snoozed_until', 'not.in.(2026-01-01)', []],
      ['sender_id', 'is.null', []],
      ['sender_id', 'is.not_null', all],
    ],
  },
  {
    id: 'REST-424',
    title: 'a text search applies its language, and each of its operators reads the query in its way',
    queries: [
      ['content', 'fts(english).comments', [1, 4]],
      ['content', 'fts(simple).comments', []],
      ['content', 'plfts(simple).comments', []],
      ['content', 'fts.mention | invite', [0, 3]],
      ['content', 'fts.comment & one', [4]],
      ['content', 'plfts.two one', [4]],
      ['content', 'phfts.two one', []],
      ['content', 'wfts."one two"', [4]],
      ['content', 'wfts."two one"', []],
    ],
  },
  {
    id: 'REST-425',
    section: 'logic-trees',
    title: 'a tree takes negations, modifiers and arrays, and skips spaces beside its commas and brackets',
    queries: [
      ['or', '( status.in.(read) , status.in.(archived) )', [1, 3]],
      ['not.and', '(status.eq.unread,content.like.*comment*)', [0, 1, 2, 3]],
      ['and', '(not.and(status.eq.unread,content.like.*comment*),status.eq.unread)', [0, 2]],
      ['and', '(or(status.eq.read,status.eq.archived),not.or(status.eq.read,content.like.*edit*))', [3]],
      ['or', '(status.not.in.(unread,read),snoozed_until.not.is.null)', [3]],
      ['or', '(status.like(any).{re*,arch*},snoozed_until.not.is.null)', [1, 3]],
      ['or', '(status.eq(any)."{read,archived}",snoozed_until.not.is.null)', [1, 3]],
      ['or', '(content.plfts(english).edits,status.isdistinct.unread)', [1, 2, 3]],
    ],
  },
  {
    id: 'REST-426',
    section: 'quoting',
    title: 'each value of a list or a tree may be quoted, and a backslash escapes any character of it',
    queries: [
      ['status', 'in.("read",archived)', [1, 3]],
      ['status', 'in.(read,"archived")', [1, 3]],
      ['status', 'in.("rea\\d",unread)', [0, 1, 2, 4]],
      ['status', 'in.(,read)', [1]],
      ['or', '("status".eq."read",status.eq."arch\\ived")', [1, 3]],
      ['or', '(status.in.("read","archived"),snoozed_until.not.is.null)', [1, 3]],
    ],
  },
];

const tableAudits = tables.map(({ id, title, section = 'filters', queries }) =>
  audit(id, title, { source: `protocol/rest.md#${section}`, since }, async (context) => {
    const { ada, rows } = await sharedInbox(context);
    for (const [name, value, expected] of queries) {
      const query = { select: 'id', order: 'created_at.asc', [name]: value };
      const response = await context.rest.send('GET', '/notifications', { token: ada.accessToken, query });
      assertStatus(response, 200);
      const found = (response.json as readonly unknown[]).map((row) =>
        rows.findIndex(({ id: known }) => known === at(row, 'id')),
      );
      assert.deepEqual(found, expected, `the result of ${name}=${value}`);
    }
  }),
);

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
        const response = await context.rest.send('GET', '/notifications', { token: ada.accessToken, query });
        assertError(response, status, code);
        assert.match(String(at(response.json, 'message')), message, 'message of the response');
      }
    }),
);

/** Filters and refusals of one kind, each with several queries. */
export const restFilterCaseAudits: readonly Audit[] = [...tableAudits, ...refusalAudits];
