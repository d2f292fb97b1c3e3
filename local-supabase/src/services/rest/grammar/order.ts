import { character, endOfInput, lexeme, text } from './characters.ts';
import { delimiter, field, fieldName } from './names.ts';
import {
  after,
  attempt,
  before,
  between,
  lookAhead,
  map,
  oneOf,
  optional,
  separatedBy1,
  sequence,
} from './parser.ts';
import type { Parser } from './parser.ts';
import type { OrderTerm } from './syntax.ts';

const endOfTerm = oneOf(attempt(lookAhead(character(','))), attempt(endOfInput));

const suffix = <Word extends string>(word: Word): Parser<Word> =>
  attempt(
    after(
      delimiter,
      map(text(word), () => word),
    ),
  );

const direction = optional(oneOf(suffix('asc'), suffix('desc')));
const nulls = before(optional(oneOf(suffix('nullsfirst'), suffix('nullslast'))), endOfTerm);

const term: Parser<OrderTerm> = map(sequence(field, direction, nulls), ([of, way, position]) => ({
  relation: undefined,
  field: of,
  direction: way,
  nulls: position,
}));

const relatedTerm: Parser<OrderTerm> = map(
  sequence(fieldName, between(character('('), field, character(')')), direction, nulls),
  ([relation, of, way, position]) => ({ relation, field: of, direction: way, nulls: position }),
);

export const orderTerms: Parser<readonly OrderTerm[]> = separatedBy1(
  lexeme(oneOf(attempt(relatedTerm), term)),
  character(','),
);
