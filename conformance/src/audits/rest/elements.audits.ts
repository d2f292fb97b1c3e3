import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { openLibrary } from './library.ts';

const audit = auditsOf('rest');
const needs = ['database'] as const;
const since = '1.0.0';

interface FoundTable {
  readonly id: string;
  readonly title: string;
  readonly section: 'filters' | 'selecting-columns' | 'order-and-ranges';
  /** Queries of the samples, with the ids of the rows in the order of the response. */
  readonly queries: readonly (readonly [search: string, ids: readonly number[]])[];
}

const found: readonly FoundTable[] = [
  {
    id: 'REST-523',
    title: 'sl, sr, nxr, nxl and adj compare ranges, cs, cd and ov contain and overlap them',
    section: 'filters',
    queries: [
      ['span=sl.[9,12)&order=id', [1, 2]],
      ['span=sr.[1,5)&order=id', [2, 3]],
      ['span=nxr.[1,9)&order=id', [1, 2]],
      ['span=nxl.[5,9)&order=id', [2, 3]],
      ['span=adj.[9,20)&order=id', [2, 3]],
      ['span=cs.[2,3)', [1]],
      ['span=cd.[0,30)&order=id', [1, 2]],
      ['span=ov.[4,6)&order=id', [1, 2]],
      ['span=not.ov.[4,6)', [3]],
      ['or=(span.cs."[2,3)",span.sr."[1,9)")&order=id', [1, 3]],
    ],
  },
  {
    id: 'REST-524',
    title: 'a path into JSON filters and sorts by the element, as a text with ->>',
    section: 'selecting-columns',
    queries: [
      ['document->>n=eq.10', [2]],
      ['document->n=gt.5', [2]],
      ['document->a->b->>0=eq.10', [1]],
      ['document->a->b->1->>c=eq.x', [1]],
      ['document->>a=is.null&order=id', [2, 3]],
      ['document->a=is.null', [3]],
      ['document->>s=in.(two,three)', [1]],
      ['document->>s=like.t*', [1]],
      ['document=cs.{"n":10}', [2]],
      ['or=(document->>n.eq.2,document->>n.eq.10)&order=id.desc', [2, 1]],
      ['order=document->n.desc.nullslast', [2, 1, 3]],
      ['order=document->>n.nullsfirst', [3, 2, 1]],
    ],
  },
  {
    id: 'REST-525',
    title:
      'columns of an enumeration, a domain, an array, bytes, lexemes and a generated column filter and sort',
    section: 'filters',
    queries: [
      ['mood=eq.calm&order=id.desc', [3, 2, 1]],
      ['mood=in.(angry)', []],
      ['code=eq.A', [1]],
      ['code=like.*B', [2]],
      ['words=cs.{one}', [1]],
      ['words=eq.{}', [2]],
      ['words=cd.{one,two,three}&order=id', [1, 2]],
      ['bytes=eq.\\x00ff', [1]],
      ['twice=gte.4&order=twice.desc', [3, 2]],
      ['length_of_stay=gt.1 day', [1]],
      ['lexemes=fts.two', [1]],
      ['lexemes=plfts(simple).two', [1]],
      ['lexemes=not.wfts.two&order=id', [2, 3]],
    ],
  },
];

/** Selections of the first sample, with its members. */
const shown: readonly (readonly [select: string, row: object])[] = [
  ['document->n', { n: 2 }],
  ['document->>n', { n: '2' }],
  ['document->a->b', { b: [10, { c: 'x' }] }],
  ['document->a->b->0', { b: 10 }],
  ['document->a->b->-1', { b: { c: 'x' } }],
  ['document->a->b->1->>c', { c: 'x' }],
  ['x:document->a->b->>0', { x: '10' }],
  ['document->>1', { document: null }],
  ['document->"n"', { n: 2 }],
  ['n:document->n::int', { n: 2 }],
  ['missing:document->no->>way', { missing: null }],
  ['length_of_stay::text', { length_of_stay: '1 day 02:00:00' }],
  ['first:words->0,words->>1', { first: 'one', words: 'two' }],
  [
    'span,mood,code,bytes,twice',
    { span: '[1,5)', mood: 'calm', code: 'A', bytes: String.raw`\x00ff`, twice: 2 },
  ],
  ['twice::text,id::text', { twice: '2', id: '1' }],
];

/** Refused values, with status, code and message. */
const refused: readonly (readonly [search: string, status: number, code: string, message: RegExp])[] = [
  ['mood=eq.happy', 400, '22P02', /enum conformance_mood: "happy"/],
  ['span=cs.none', 400, '22P02', /range/],
  ['document=cs.none', 400, '22P02', /json/],
  ['select=document->n::no_such_type', 400, '42704', /no_such_type/],
  ['select=code::int&id=eq.1', 400, '22P02', /integer/],
  ['id=fts.one', 404, '42883', /to_tsvector|tsquery/],
];

/** Columns of types that no product's schema has. */
export const restElementAudits: readonly Audit[] = [
  ...found.map(({ id, title, section, queries }) =>
    audit(id, title, { source: `protocol/rest.md#${section}`, needs, since }, async (context) => {
      const send = await openLibrary(context);
      for (const [search, ids] of queries) {
        const response = await send('GET', `/samples?select=id&${search.replaceAll('\\', '%5C')}`);
        assertStatus(response, 200);
        assert.deepEqual(
          (response.json as readonly unknown[]).map((row) => at(row, 'id')),
          ids,
          `the ids of ${search}`,
        );
      }
    }),
  ),
  audit(
    'REST-526',
    'a path into JSON selects an element under its last name, and each type has its form in JSON',
    { source: 'protocol/rest.md#selecting-columns', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [select, row] of shown) {
        const response = await send('GET', '/samples', { query: { select, id: 'eq.1' } });
        assertStatus(response, 200);
        assert.deepEqual(response.json, [row], `the rows of ${select}`);
      }
    },
  ),
  audit(
    'REST-527',
    "a value that a type refuses is PostgreSQL's error",
    { source: 'protocol/rest.md#filters', needs, since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [search, status, code, message] of refused) {
        const response = await send('GET', `/samples?${search}`);
        assertError(response, status, code);
        assert.match(String(at(response.json, 'message')), message, `message of the response to ${search}`);
      }
    },
  ),
];
