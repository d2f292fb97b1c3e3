import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitMembers } from '../../src/services/realtime/changes/json-members.ts';

/** Formats like PostgreSQL's `jsonb`: with a space after each colon and comma. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

test('keeps the text of each value, with all digits', () => {
  expect(splitMembers('{}')).toEqual({});
  expect(
    splitMembers('{"a": 12345678901234567890.10, "b\\"": "x\\\\", "c": [1, {"d": "}, "}], "e": null}'),
  ).toEqual({
    a: '12345678901234567890.10',
    'b"': '"x\\\\"',
    c: '[1, {"d": "}, "}]',
    e: 'null',
  });
});

test('splits any object into members with its values', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const members = Object.entries(splitMembers(spaced(object)));
      expect(members).toEqual(Object.entries(object).map(([key, value]) => [key, spaced(value)]));
    }),
  );
});
