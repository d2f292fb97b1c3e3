import type { QualifiedName } from '../catalog/catalog.ts';
import type {
  IsValue,
  Operation,
  PlainOperator,
  QuantifiableOperator,
  TextSearchOperator,
} from '../grammar/syntax.ts';
import type { PlannedField, PlannedFilter, PlannedLogic } from '../plan/read-plan.ts';
import { fieldSql, languageSql, transformSql } from './field-sql.ts';
import { identifier, join, raw, sql, untilNull, value } from './fragment.ts';
import type { SqlFragment } from './fragment.ts';

const PLAIN: Readonly<Record<PlainOperator, string>> = {
  neq: '<>',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
};

const QUANTIFIABLE: Readonly<Record<QuantifiableOperator, string>> = {
  eq: '=',
  gte: '>=',
  gt: '>',
  lte: '<=',
  lt: '<',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
};

const TEXT_SEARCH: Readonly<Record<TextSearchOperator, string>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
};

const IS: Readonly<Record<IsValue, string>> = {
  null: 'NULL',
  not_null: 'NOT NULL',
  true: 'TRUE',
  false: 'FALSE',
  unknown: 'UNKNOWN',
};

/** Builds the condition that an embedded relation has no rows; it differs between reading and counting. */
export type NullEmbedSql = (filter: Extract<PlannedFilter, { type: 'embed-is-null' }>) => SqlFragment;

const joinedNullEmbed: NullEmbedSql = ({ isNegated, aggregateAlias }) =>
  sql`${identifier(aggregateAlias)} IS ${raw(isNegated ? '' : 'NOT ')}DISTINCT FROM NULL`;

export function logicSql(
  table: QualifiedName,
  logic: PlannedLogic,
  nullEmbed = joinedNullEmbed,
): SqlFragment {
  if (logic.type === 'embed-is-null') return nullEmbed(logic);
  if (logic.type === 'filter') return filterSql(table, logic);
  const operands = logic.operands.map((operand) => logicSql(table, operand, nullEmbed));
  return sql`${raw(logic.isNegated ? 'NOT ' : '')}(${join(operands, logic.operator === 'and' ? ' AND ' : ' OR ')})`;
}

function filterSql(
  table: QualifiedName,
  { field, expression }: Extract<PlannedFilter, { type: 'filter' }>,
): SqlFragment {
  const negation = raw(expression.isNegated ? 'NOT ' : '');
  return sql`${negation}${fieldSql(table, field)} ${operationSql(field, expression.operation)}`;
}

function operationSql(field: PlannedField, operation: Operation): SqlFragment {
  switch (operation.type) {
    case 'plain':
      return sql`${raw(PLAIN[operation.operator])} ${transformSql(field.transform, value(operation.value))}`;
    case 'quantifiable': {
      const { operator, quantifier } = operation;
      const isPattern = operator === 'like' || operator === 'ilike';
      const operand = isPattern
        ? value(operation.value.replaceAll('*', '%'))
        : transformSql(field.transform, value(operation.value));
      const quantified =
        quantifier === undefined ? operand : sql`${raw(quantifier.toUpperCase())}(${operand})`;
      return sql`${raw(QUANTIFIABLE[operator])} ${quantified}`;
    }
    case 'in':
      return inSql(field, operation.values);
    case 'is':
      return raw(`IS ${IS[operation.value]}`);
    case 'isdistinct':
      return sql`IS DISTINCT FROM ${value(operation.value)}`;
    case 'text-search':
      return sql`@@ ${raw(TEXT_SEARCH[operation.operator])}(${languageSql(operation.language)}${value(operation.value)})`;
  }
}

/** An empty list, and a list of one empty string, match nothing. */
function inSql(field: PlannedField, values: readonly string[]): SqlFragment {
  if (values.length === 1 && values[0] === '') return raw(`= ANY('{}')`);
  const list = value(arrayLiteral(values));
  if (field.transform === undefined) return sql`= ANY (${list})`;
  return sql`= ANY ((SELECT ${transformSql(field.transform, sql`unnest(${list}::text[])`)}))`;
}

const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((one) => `"${untilNull(one).replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
