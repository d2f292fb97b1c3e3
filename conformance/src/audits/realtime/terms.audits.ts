import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { at } from '../../target/wire.ts';
import { withSocket } from './audit-socket.ts';
import { isSystem } from './frame-socket.ts';

const audit = auditsOf('realtime');

const TABLE = { schema: 'public', table: 'no_such_table' };
const DISABLED =
  'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: no_such_table, filters: ';

/** Bindings that are refused, and the messages of the real service. */
const REFUSED: readonly (readonly [binding: object, message: string])[] = [
  [
    {
      ...TABLE,
      select: [
        'a"b\\c',
        'x#{y#',
        '\t\n\r\v\f\b\u0007\u001b\u007f',
        '\u00a0\u034f\u200b\u2028\u2060\ufeff',
        'größe 😀',
      ],
    },
    `${DISABLED}[], select: ["a\\"b\\\\c", "x\\#{y#", "\\t\\n\\r\\v\\f\\b\\a\\e\\d",
 "\\u00A0\\u034F\\u200B\\u2028\\u2060\\uFEFF", "größe 😀"]]`,
  ],
  [
    { ...TABLE, select: ['a\u0001b', 'c', '\u0085'] },
    `${DISABLED}[], select: [<<97, 1, 98>>, "c", <<194, 133>>]]`,
  ],
  [
    { ...TABLE, select: ['a\u0001b', 'c'.repeat(40), 'd'.repeat(40)] },
    `${DISABLED}[], select: [
  <<97, 1, 98>>,
  "${'c'.repeat(40)}",
  "${'d'.repeat(40)}"
]]`,
  ],
  [
    { ...TABLE, select: Array.from({ length: 16 }, (_, index) => 'größe'.slice(0, 2 + (index % 4))) },
    `${DISABLED}[], select: ["gr", "grö", "größ", "größe", "gr", "grö", "größ", "größe", "gr",
 "grö", "größ", "größe", "gr", "grö", "größ", "größe"]]`,
  ],
  [
    { ...TABLE, filter: 'a=eq.1,bcdefg=not.in.(b,jibb,bf,i,bh,aaaaa,ccccccc,dddddddddddddd,eeeeee),c=eq.x' },
    `${DISABLED}[
  {"a", "eq", "1", false},
  {"bcdefg", "in", "{b,jibb,bf,i,bh,aaaaa,ccccccc,dddddddddddddd,eeeeee}", true},
  {"c", "eq", "x", false}
], select: nil]`,
  ],
  [
    { ...TABLE, filter: 'a=eq.1,abcde=like.this text has a character \u0001 without a letter,c=eq.x' },
    `${DISABLED}[
  {"a", "eq", "1", false},
  {"abcde", "like",
   <<116, 104, 105, 115, 32, 116, 101, 120, 116, 32, 104, 97, 115, 32, 97, 32,
     99, 104, 97, 114, 97, 99, 116, 101, 114, 32, 1, 32, 119, 105, 116, 104,
     111, 117, 116, 32, 97, 32, 108, 101, 116, 116, 101, 114>>, false},
  {"c", "eq", "x", false}
], select: nil]`,
  ],
  // Lines of 80 bytes, after which a comma follows.
  [
    {
      ...TABLE,
      filter: `a=eq.${'n'.repeat(15)}\u0001,b=eq.${'n'.repeat(13)}\u0080,c=eq.j${'n'.repeat(31)}\u0080n`,
    },
    `${DISABLED}[
  {"a", "eq",
   <<110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110,
     1>>, false},
  {"b", "eq",
   <<110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 194, 128>>,
   false},
  {"c", "eq",
   <<106, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110,
     110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110,
     110, 110, 194, 128, 110>>, false}
], select: nil]`,
  ],
  [
    { ...TABLE, filter: `c=eq.j${'a'.repeat(32)}\u0080n` },
    `${DISABLED}[
  {"c", "eq",
   <<106, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97,
     97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 97, 194, 128, 110>>,
   false}
], select: nil]`,
  ],
  [
    { ...TABLE, filter: 'a=eq.x\0y' },
    `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: [event: *, schema: public, table: no_such_table, filters: [{"a", "eq", <<120, 0, 121>>, false}], select: nil]. Exception: ERROR 22021 (character_not_in_repertoire) invalid byte sequence for encoding "UTF8": 0x00`,
  ],
  [
    {
      schema: [65, 10, 126, 7, 27],
      table: [65, 6],
      list: [[1], [31, 32], [127], [], [65, 'b'], [6, 7, 14]],
      floats: [1e21, -2e-7, 5e300, 0.25, -3],
      'k\u0001': '\u0001',
    },
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: %{"floats" => [1.0e21, -2.0e-7, 5.0e300, 0.25, -3], <<107, 1>> => <<1>>, "list" => [[1], [31, 32], [127], [], [65, "b"], [6, 7, 14]], "schema" => ~c"A\\n~\\a\\e", "table" => [65, 6]}`,
  ],
];

/** The texts of refusals, which repeat what the client sent. */
export const realtimeTermAudits: readonly Audit[] = [
  audit(
    'RT-410',
    'the report of an invalid binding prints its texts, lists and numbers as Elixir does, in lines of 80 bytes',
    { source: 'protocol/realtime.md#joins', level: 'SHOULD', since: '1.0.0' },
    (context) =>
      withSocket(context, async (socket) => {
        for (const [index, [binding]] of REFUSED.entries())
          socket.send(`${index}`, `${index}`, `realtime:term-${index}`, 'phx_join', {
            config: { postgres_changes: [binding] },
          });
        for (const [index, [binding, message]] of REFUSED.entries()) {
          const what = `the report of ${JSON.stringify(binding)}`;
          const { payload } = await socket.expect(
            what,
            (frame) => frame.topic === `realtime:term-${index}` && isSystem('error')(frame),
          );
          assert.equal(at(payload, 'message'), message, `message of ${what}`);
        }
      }),
  ),
];
