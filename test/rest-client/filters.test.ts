import { describe, expect, test } from 'vitest';
import {
  allOf,
  anyOf,
  containedBy,
  contains,
  containsJson,
  type Filter,
  hasNoRelated,
  hasRelated,
  ilike,
  includes,
  like,
  overlaps,
  rangeAdjacent,
  rangeGt,
  rangeGte,
  rangeLt,
  rangeLte,
  rangeOf,
  startsWith,
  textSearch,
} from '../../src/rest-client/index.ts';
import { createRecordingClient, lineOf } from './support/recording-client.ts';

const { db } = createRecordingClient();
const conditionOf = (filter: Filter) =>
  lineOf(
    db
      .from('notes')
      .select()
      .where(filter as Filter<never>)
      .toRequest(),
  ).replace(/^GET \/notes\?select=\*&/, '');

describe('a filter', () => {
  test.each<[string, Filter]>([
    ['title=cs.{"x"}', contains('title', ['x'])],
    ['title=cd.{"x"}', containedBy('title', ['x'])],
    ['title=ov.{"x"}', overlaps('title', ['x'])],
    ['title=cs."x"', containsJson('title', 'x')],
    ['title=sr.[1,3)', rangeGt('title', '[1,3)')],
    ['title=nxl.[1,3)', rangeGte('title', '[1,3)')],
    ['title=sl.[1,3)', rangeLt('title', '[1,3)')],
    ['title=nxr.[1,3)', rangeLte('title', '[1,3)')],
    ['title=adj.[1,3)', rangeAdjacent('title', '[1,3)')],
    ['title=fts.rat', textSearch('title', 'rat')],
    ['title=plfts(german).rat', textSearch('title', 'rat', { type: 'plain', config: 'german' })],
    ['title=phfts.rat', textSearch('title', 'rat', { type: 'phrase' })],
    ['title=wfts.rat', textSearch('title', 'rat', { type: 'websearch' })],
    ['title=like.a\\%b%', startsWith('title', 'a%b')],
    ['title=like.%a\\_b%', includes('title', 'a_b')],
    ['tags=is.null', hasNoRelated('tags')],
    ['tags=not.is.null', hasRelated('tags')],
  ])('is sent as %s', (condition, filter) => {
    expect(conditionOf(filter)).toBe(condition);
  });

  test.each<[string, Filter]>([
    ['title=match.^a\\*.*$', like('title', 'a*%')],
    ['title=imatch.^.\\*$', ilike('title', '_*')],
    ['title=match.^\\%\\*$', like('title', '\\%*\\')],
    ['title=match(any).{"^a\\\\*$","^b$"}', like('title', anyOf('a*', 'b'))],
    ['title=match(all).{"^\\\\*.*$","^.*c$"}', like('title', allOf('*%', '%c'))],
    ['title=like(any).{"a%","b%"}', like('title', anyOf('a%', 'b%'))],
  ])(
    'of a pattern with the character that the server takes for a wildcard is sent as %s',
    (condition, filter) => {
      expect(conditionOf(filter)).toBe(condition);
    },
  );

  test.each([
    ['a null among several', () => anyOf('a', null as never), /null equals nothing/],
    [
      'a configuration with an operator',
      () => textSearch('title', 'rat', { config: 'english).eq.' }),
      /configuration/,
    ],
  ])('refuses %s', (_name, make, problem) => {
    expect(make).toThrow(problem);
  });
});

test.each([
  [rangeOf(1, 3), '["1","3")'],
  [rangeOf(null, 3, '(]'), '(,"3"]'],
  [rangeOf('a"b', null, '[]'), '["a\\"b",]'],
  [rangeOf(new Date(0), 2n, '()'), '("1970-01-01T00:00:00.000Z","2")'],
])('a range is the text %s', (range, text) => {
  expect(range).toBe(text);
});
