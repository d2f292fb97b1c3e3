import {
  anyCharacter,
  character,
  digit,
  endOfInput,
  isDigit,
  isLetter,
  lexeme,
  noneOf,
  run1,
  text,
} from './characters.ts';
import {
  after,
  attempt,
  before,
  between,
  label,
  lookAhead,
  many,
  map,
  notFollowedBy,
  oneOf,
  option,
  pure,
  separatedBy1,
  sequence,
} from './parser.ts';
import type { Parser } from './parser.ts';
import type { EmbedPath, Field, JsonStep } from './syntax.ts';

/** `"…"` with backslash escapes. */
export const quotedValue: Parser<string> = map(
  between(character('"'), many(oneOf(noneOf('\\"'), after(character('\\'), anyCharacter))), character('"')),
  (characters) => characters.join(''),
);

/** Letters, digits, `_`, `$` and spaces; surrounding spaces are trimmed. */
export const identifier: Parser<string> = map(
  run1((found) => isLetter(found) || isDigit(found) || '_ $'.includes(found), ['letter', 'digit']),
  (name) => name.trim(),
);

const dash = attempt(before(character('-'), notFollowedBy(character('>'))));

const joinedByDashes = (part: Parser<string>): Parser<string> =>
  map(separatedBy1(part, dash), (parts) => parts.join('-'));

export const fieldName: Parser<string> = label(
  oneOf(quotedValue, joinedByDashes(identifier)),
  'field name (* or [a..z0..9_$])',
);

const jsonKeyPart = map(
  run1((found) => !'(-:.,>)'.includes(found)),
  (key) => key.trim(),
);

const jsonKey = label(
  oneOf(quotedValue, joinedByDashes(jsonKeyPart)),
  'any non reserved character different from: .,>()',
);

const endOfIndex = oneOf(
  ...['->', '::', '.', ','].map((next) => attempt(lookAhead(text(next)))),
  attempt(endOfInput),
);

const jsonIndex = before(
  map(
    sequence(option(character('-'), '+'), digit, many(digit)),
    ([sign, first, others]) => sign + first + others.join(''),
  ),
  endOfIndex,
);

const jsonStep: Parser<JsonStep> = map(
  sequence(
    oneOf(
      map(attempt(text('->>')), () => true),
      map(attempt(text('->')), () => false),
    ),
    oneOf(
      attempt(map(jsonIndex, (value) => ({ type: 'index' as const, value }))),
      attempt(map(jsonKey, (value) => ({ type: 'key' as const, value }))),
    ),
  ),
  ([asText, operand]) => ({ asText, operand }),
);

export const jsonPath: Parser<readonly JsonStep[]> = many(jsonStep);

export const field: Parser<Field> = lexeme(
  map(sequence(fieldName, oneOf(jsonPath, pure([]))), ([name, path]) => ({ name, path })),
);

export const delimiter: Parser<string> = label(character('.'), 'delimiter (.)');

/** `relation.relation.column->json`. */
export const treePath: Parser<{ readonly path: EmbedPath; readonly field: Field }> = map(
  sequence(separatedBy1(fieldName, delimiter), oneOf(jsonPath, pure([]))),
  ([names, path]) => ({ path: names.slice(0, -1), field: { name: names.at(-1) ?? '', path } }),
);

/** A list of columns, as in `columns=` and `on_conflict=`. */
export const columnNames: Parser<readonly string[]> = separatedBy1(fieldName, lexeme(character(',')));
