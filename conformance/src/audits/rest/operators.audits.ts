import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus, at } from '../../target/wire.ts';
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
      ['or', '(\tstatus.in.(read)\t,\tstatus.in.(archived))', [1, 3]],
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

/** Operators with their modifiers, negations, values and quotes. */
export const restOperatorAudits: readonly Audit[] = tables.map(
  ({ id, title, section = 'filters', queries }) =>
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
