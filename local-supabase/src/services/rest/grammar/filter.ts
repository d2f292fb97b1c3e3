import { character, lexeme, noneOf, run, text } from './characters.ts';
import { delimiter, field, identifier, quotedValue } from './names.ts';
import {
  after,
  attempt,
  before,
  between,
  label,
  map,
  notFollowedBy,
  oneOf,
  optional,
  pure,
  separatedBy1,
  sequence,
} from './parser.ts';
import type { Parser } from './parser.ts';
import type {
  IsValue,
  LogicTree,
  Operation,
  OperatorExpression,
  PlainOperator,
  QuantifiableOperator,
  TextSearchOperator,
} from './syntax.ts';

const PLAIN: readonly PlainOperator[] = ['neq', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'];
const QUANTIFIABLE: readonly QuantifiableOperator[] = [
  'eq',
  'gte',
  'gt',
  'lte',
  'lt',
  'like',
  'ilike',
  'match',
  'imatch',
];
const TEXT_SEARCH: readonly TextSearchOperator[] = ['fts', 'plfts', 'phfts', 'wfts'];
const IS_VALUES: readonly IsValue[] = ['null', 'not_null', 'true', 'false', 'unknown'];

const keyword = <Word extends string>(words: readonly Word[]): Parser<Word> =>
  oneOf(...words.map((word) => attempt(map(text(word), () => word))));

const isQuoteEnd = notFollowedBy(noneOf(',)'));
const untilComma = run((found) => found !== ',' && found !== ')');
const quotedElement = attempt(before(quotedValue, isQuoteEnd));

const listOfValues: Parser<readonly string[]> = between(
  lexeme(character('(')),
  separatedBy1(oneOf(quotedElement, untilComma), character(',')),
  lexeme(character(')')),
);

const anyCase = (word: string): Parser<string> =>
  map(
    sequence(...Array.from(word, (letter) => oneOf(character(letter), character(letter.toUpperCase())))),
    () => word,
  );

const isValue: Parser<IsValue> = label(
  oneOf(...IS_VALUES.map((word) => map(attempt(anyCase(word)), () => word))),
  'isVal: (null, not_null, true, false, unknown)',
);

const quantifier = optional(
  attempt(
    between(
      character('('),
      oneOf(
        attempt(map(text('any'), () => 'any' as const)),
        map(text('all'), () => 'all' as const),
      ),
      character(')'),
    ),
  ),
);

const language = optional(attempt(between(character('('), identifier, character(')'))));

const dotted = (word: string): Parser<unknown> => attempt(sequence(text(word), delimiter));

function operation(value: Parser<string>): Parser<Operation> {
  const isIn = map(after(dotted('in'), listOfValues), (values): Operation => ({ type: 'in', values }));
  const is = map(after(dotted('is'), isValue), (wanted): Operation => ({ type: 'is', value: wanted }));
  const isDistinct = map(after(dotted('isdistinct'), value), (wanted): Operation => ({
    type: 'isdistinct',
    value: wanted,
  }));
  const textSearch = map(
    sequence(keyword(TEXT_SEARCH), language, delimiter, value),
    ([operator, configuration, , wanted]): Operation => ({
      type: 'text-search',
      operator,
      language: configuration,
      value: wanted,
    }),
  );
  const plain = map(
    sequence(label(keyword(PLAIN), 'unknown single value operator'), delimiter, value),
    ([operator, , wanted]): Operation => ({ type: 'plain', operator, value: wanted }),
  );
  const quantified = map(
    sequence(label(keyword(QUANTIFIABLE), 'unknown single value operator'), quantifier, delimiter, value),
    ([operator, quantity, , wanted]): Operation => ({
      type: 'quantifiable',
      operator,
      quantifier: quantity,
      value: wanted,
    }),
  );
  return label(
    oneOf(isIn, is, isDistinct, attempt(textSearch), attempt(plain), attempt(quantified)),
    'operator (eq, gt, ...)',
  );
}

const negation = oneOf(attempt(map(dotted('not'), () => true)), pure(false));

function operatorExpression(value: Parser<string>): Parser<OperatorExpression> {
  return map(sequence(negation, operation(value)), ([isNegated, chosen]) => ({
    isNegated,
    operation: chosen,
  }));
}

/** The value of `column=`: an operator, and its operand up to the end. */
export const filterExpression = operatorExpression(run(() => true));

const arrayLiteral = attempt(
  map(
    sequence(
      text('{'),
      run((found) => found !== '{' && found !== '}'),
      text('}'),
    ),
    (parts) => parts.join(''),
  ),
);

const logicFilter: Parser<LogicTree> = map(
  sequence(field, delimiter, operatorExpression(oneOf(quotedElement, arrayLiteral, untilComma))),
  ([of, , expression]) => ({ type: 'filter' as const, field: of, expression }),
);

const treeNegation = label(
  oneOf(attempt(map(dotted('not'), () => true)), pure(false)),
  'negation operator (not)',
);

const logicOperator = label(
  oneOf(
    attempt(map(text('and'), () => 'and' as const)),
    map(text('or'), () => 'or' as const),
  ),
  'logic operator (and, or)',
);

/** `and(…)`, `or(…)`, their negations, and the filters within them. */
export const logicTree: Parser<LogicTree> = oneOf(
  attempt(logicFilter),
  map(
    sequence(
      treeNegation,
      logicOperator,
      lexeme(character('(')),
      separatedBy1<LogicTree>((input, position) => logicTree(input, position), lexeme(character(','))),
      lexeme(character(')')),
    ),
    ([isNegated, operator, , operands]) => ({ type: 'branch' as const, isNegated, operator, operands }),
  ),
);
