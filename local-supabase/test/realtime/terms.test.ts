import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

const TABLE = { schema: 'public', table: 'no_such_table' };
const DISABLED =
  'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: no_such_table, filters: ';

/** Bindings, and the messages of Realtime 2.129.8 that refuse them. */
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

test.each(REFUSED)('the refusal of binding %# prints it as Elixir does', async (binding, message) => {
  const client = await world.connect();
  client.send('1', '1', 'realtime:a', 'phx_join', { config: { postgres_changes: [binding] } });
  expect((await client.nextOf('system')).payload['message']).toBe(message);
});
