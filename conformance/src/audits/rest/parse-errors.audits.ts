import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { readInbox } from './inbox.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#syntax-errors';
const since = '1.0.0';

const endOfName = String.raw`letter, digit, "-", "->>", "->"`;
const fieldName = 'field name (* or [a..z0..9_$])';
const column = `${endOfName}, "::", ".", ")", "," or end of input`;
const directions = '"asc", "desc", "nullsfirst" or "nullslast"';
const treeItem = `${fieldName}, negation operator (not) or logic operator (and, or)`;
const operator = 'operator (eq, gt, ...)';
const key = '"-", digit or any non reserved character different from: .,>()';

/** The value of a parameter, the position of the error, and the details. */
type Mistake = readonly [value: string, position: number, unexpected: string, expecting: string];

interface MistakeTable {
  readonly id: string;
  readonly title: string;
  readonly parameter: string;
  /** What the message says of the parameter. */
  readonly subject: string;
  readonly mistakes: readonly Mistake[];
}

const end = 'end of input';

const tables: readonly MistakeTable[] = [
  {
    id: 'REST-469',
    title: 'PGRST100 of a filter says what was found and what was expected there',
    parameter: 'status',
    subject: 'filter',
    mistakes: [
      ['read', 1, '"r"', `"not" or ${operator}`],
      ['', 1, end, `"not" or ${operator}`],
      ['eq', 3, end, operator],
      ['eq(any', 7, end, operator],
      ['eq(some).1', 4, '"s"', operator],
      ['not.read', 5, '"r"', operator],
      ['not', 4, end, 'delimiter (.)'],
      ['in.read', 4, '"r"', '"("'],
      ['in.(read', 9, end, '"," or ")"'],
      ['fts(english)x', 13, '"x"', operator],
      ['neq(any).{read}', 4, '"("', operator],
    ],
  },
  {
    id: 'REST-470',
    title: 'PGRST100 of an order says what was found and what was expected there',
    parameter: 'order',
    subject: 'order',
    mistakes: [
      ['id.up', 4, '"u"', directions],
      ['id.asc.up', 8, '"u"', '"nullsfirst" or "nullslast"'],
      ['id.asc.nullsfirst.x', 18, "'.'", `"," or ${end}`],
      ['id.nulls', 4, '"n"', directions],
      ['', 1, end, fieldName],
      ['id,', 4, end, fieldName],
      ['id.asc(', 7, "'('", `delimiter (.), "," or ${end}`],
      ['sender(id', 7, "'('", `${endOfName}, delimiter (.), "," or ${end}`],
      ['content->', 10, end, key],
    ],
  },
  {
    id: 'REST-471',
    title: 'PGRST100 of a select says what was found and what was expected there',
    parameter: 'select',
    subject: 'select parameter',
    mistakes: [
      ['id,', 4, end, `"...", ${fieldName}, "*" or "count()"`],
      ['id,a(b', 7, end, column],
      ['id::', 5, end, 'letter or digit'],
      ['id.total()', 4, '"t"', '"sum", "avg", "count", "max" or "min"'],
      ['id.count(', 9, end, '"()"'],
      ['sender!(id)', 7, "'!'", column],
      ['content->>-1x', 13, "'x'", `digit, "->", "::", ".", "," or ${end}`],
      ['id[]', 3, "'['", column],
      ['a:b:c', 4, '"c"', '"::"'],
    ],
  },
  {
    id: 'REST-472',
    title: 'PGRST100 of a logic tree says what was found and what was expected there',
    parameter: 'or',
    subject: 'logic tree',
    mistakes: [
      ['()', 4, '")"', treeItem],
      ['(status.eq.read', 18, end, '"," or ")"'],
      ['(status)', 10, '")"', `${endOfName} or delimiter (.)`],
      ['(status.eq)', 13, '")"', operator],
      ['(status.read)', 11, '"r"', `"not" or ${operator}`],
      ['(status.eq.read,)', 19, '")"', treeItem],
      ['(xor(id.eq.1,id.eq.2))', 7, '"("', `${endOfName} or delimiter (.)`],
      ['(not.status.eq.read)', 8, '"s"', 'logic operator (and, or)'],
      ['(status.in.read)', 14, '"r"', '"("'],
      ['(and(id.eq.1)', 16, end, '"," or ")"'],
    ],
  },
  {
    id: 'REST-473',
    title: 'PGRST100 of a list of columns says what was found and what was expected there',
    parameter: 'columns',
    subject: 'columns parameter',
    mistakes: [
      ['id,', 4, end, fieldName],
      ['', 1, end, fieldName],
      ['(id)', 1, '"("', fieldName],
    ],
  },
  {
    id: 'REST-474',
    title: 'PGRST100 of a conflict target says what was found and what was expected there',
    parameter: 'on_conflict',
    subject: 'on_conflict parameter',
    mistakes: [
      ['id,', 4, end, fieldName],
      ['"id', 4, end, String.raw`"\\" or "\""`],
    ],
  },
];

const ofValues = tables.map(({ id, title, parameter, subject, mistakes }) =>
  audit(id, title, { source, level: 'SHOULD', since }, async ({ rest }) => {
    for (const [value, position, unexpected, expecting] of mistakes) {
      const response = await rest.send('GET', '/notifications', { query: { [parameter]: value } });
      assertError(response, 400, 'PGRST100');
      assert.deepEqual(
        [at(response.json, 'message'), at(response.json, 'details')],
        [
          `"failed to parse ${subject} (${value})" (line 1, column ${position})`,
          `unexpected ${unexpected} expecting ${expecting}`,
        ],
        `message and details of ${parameter}=${value}`,
      );
    }
  }),
);

/** Names of parameters, with the subject, the position of the error, and what was found and expected. */
const names: readonly (readonly [name: string, value: string, subject: string, ...Mistake])[] = [
  ['a..b', 'eq.1', 'tree path', 'a..b', 3, '"."', fieldName],
  ['.id', 'eq.1', 'tree path', '.id', 1, '"."', fieldName],
  ['id->', 'eq.1', 'tree path', 'id->', 5, end, key],
  ['..or', '(id.eq.1)', 'logic path', '..or', 1, '"."', fieldName],
  ['..order', 'id', 'tree path', '..order', 1, '"."', fieldName],
];

/** Texts whose position is not the number of their bytes. */
const positions: readonly (readonly [order: string, column: number])[] = [
  ['größe.x', 7],
  ['😀.x', 1],
  ['\tid.x', 12],
  [' id.x', 5],
];

/** What a syntax error of a query says. */
export const restParseErrorAudits: readonly Audit[] = [
  ...ofValues,
  audit(
    'REST-475',
    'PGRST100 of the name of a parameter says what was found and what was expected there',
    { source, level: 'SHOULD', since },
    async ({ rest }) => {
      for (const [name, value, subject, text, position, unexpected, expecting] of names) {
        const response = await rest.send('GET', '/notifications', { query: { [name]: value } });
        assertError(response, 400, 'PGRST100');
        assert.deepEqual(
          [at(response.json, 'message'), at(response.json, 'details')],
          [
            `"failed to parse ${subject} (${text})" (line 1, column ${position})`,
            `unexpected ${unexpected} expecting ${expecting}`,
          ],
          `message and details of ${name}=${value}`,
        );
      }
    },
  ),
  audit(
    'REST-476',
    'the position in PGRST100 counts characters, and a tab up to the next multiple of eight',
    { source, level: 'SHOULD', since },
    async ({ rest }) => {
      for (const [order, position] of positions) {
        const response = await rest.send('GET', '/notifications', { query: { order } });
        assertError(response, 400, 'PGRST100');
        assert.equal(
          at(response.json, 'message'),
          `"failed to parse order (${order})" (line 1, column ${position})`,
          `message of order=${order}`,
        );
      }
    },
  ),
  audit(
    'REST-477',
    'a parameter without = is ignored',
    { source: 'protocol/rest.md#quoting', since },
    async (context) => {
      const { inbox } = await readInbox(context);
      for (const [search, expected] of [
        ['status', 5],
        ['no_such_column', 5],
        ['or', 5],
        ['select', 5],
        ['limit&offset&order', 5],
        ['status&status=eq.read', 1],
      ] as const) {
        const response = await context.rest.send('GET', `/notifications?${search}`, {
          token: inbox.ada.accessToken,
        });
        assertStatus(response, 200);
        assert.equal(
          (response.json as readonly unknown[]).length,
          expected,
          `the number of rows of ?${search}`,
        );
      }
    },
  ),
];
