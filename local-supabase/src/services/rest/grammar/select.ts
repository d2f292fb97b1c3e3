import { character, endOfInput, lexeme, text } from './characters.ts';
import { field, fieldName, identifier } from './names.ts';
import {
  after,
  attempt,
  before,
  between,
  chain,
  lookAhead,
  map,
  never,
  notFollowedBy,
  oneOf,
  optional,
  pure,
  separatedBy,
  sequence,
} from './parser.ts';
import type { Parser } from './parser.ts';
import type { Aggregate, JoinType, SelectedField, SelectItem } from './syntax.ts';

const alias = optional(attempt(before(fieldName, before(character(':'), notFollowedBy(character(':'))))));

type EmbedParameter = { readonly join: JoinType } | { readonly hint: string };

const embedParameter: Parser<EmbedParameter> = after(
  character('!'),
  oneOf(
    attempt(map(text('left'), () => ({ join: 'left' as const }))),
    attempt(map(text('inner'), () => ({ join: 'inner' as const }))),
    attempt(map(fieldName, (hint) => ({ hint }))),
  ),
);

const embedParameters = map(
  sequence(optional(embedParameter), optional(embedParameter)),
  (parameters): { join?: JoinType; hint?: string } => ({ ...parameters[1], ...parameters[0] }),
);

const beforeParenthesis = attempt(lookAhead(text('(')));

/** `count` before a parenthesis is always the aggregate, not a relation. */
const relationName = chain(fieldName, (name) => (name === 'count' ? never : pure(name)));

const relation = lexeme(
  map(sequence(alias, relationName, embedParameters, beforeParenthesis), ([as, name, parameters]) => ({
    isSpread: false,
    alias: as,
    name,
    ...parameters,
  })),
);

const spreadRelation = lexeme(
  map(sequence(text('...'), fieldName, embedParameters, beforeParenthesis), ([, name, parameters]) => ({
    isSpread: true,
    alias: undefined,
    name,
    ...parameters,
  })),
);

const endOfField = oneOf(attempt(lookAhead(text(')'))), attempt(lookAhead(text(','))), attempt(endOfInput));

const cast = optional(after(text('::'), identifier));

const aggregateName: Parser<Aggregate> = oneOf(
  map(text('sum'), () => 'sum' as const),
  map(text('avg'), () => 'avg' as const),
  map(text('count'), () => 'count' as const),
  attempt(map(text('max'), () => 'max' as const)),
  attempt(map(text('min'), () => 'min' as const)),
);

const aggregate = optional(attempt(between(character('.'), aggregateName, text('()'))));

const everything = { name: '*', path: [] };

const selectedField: Parser<SelectedField> = lexeme(
  oneOf(
    attempt(map(sequence(text('*'), endOfField), () => ({ type: 'field' as const, field: everything }))),
    attempt(
      map(sequence(alias, text('count()'), cast, endOfField), ([as, , aggregateCast]) => ({
        type: 'field' as const,
        field: everything,
        alias: as,
        aggregate: 'count' as const,
        aggregateCast,
      })),
    ),
    map(
      sequence(alias, field, cast, aggregate, cast, endOfField),
      ([as, of, valueCast, kind, aggregateCast]) => ({
        type: 'field' as const,
        field: of,
        alias: as,
        cast: valueCast,
        aggregate: kind,
        aggregateCast,
      }),
    ),
  ),
);

const children: Parser<readonly SelectItem[]> = between(
  character('('),
  (input, position) => selectItems(input, position),
  character(')'),
);

const embedding = (head: typeof relation | typeof spreadRelation): Parser<SelectItem> =>
  map(sequence(attempt(head), children), ([parameters, items]) => ({
    type: 'relation' as const,
    ...parameters,
    items,
  }));

export const selectItems: Parser<readonly SelectItem[]> = separatedBy(
  oneOf(embedding(spreadRelation), embedding(relation), selectedField),
  lexeme(character(',')),
);
