import type { ReadFilter, ReadTree } from './grammar.ts';

/**
 * The SQL condition that PostgREST makes of what it has read (SqlFragment.hs, PostgREST 16), for text and text array
 * columns: values are parameters, each cast to the column's type by PostgreSQL.
 */
export function sqlOf(condition: ReadFilter | ReadTree, params: unknown[]): string {
  const not = condition.not ? 'not ' : '';
  if ('terms' in condition) {
    const terms = condition.terms.map((term) => sqlOf(term, params));
    return `${not}(${terms.join(` ${condition.operator} `)})`;
  }
  const column = `"${condition.column.replaceAll('"', '""')}"`;
  const bind = (value: unknown) => `$${params.push(value)}`;
  const { operator, quantifier, value } = condition;
  if (operator === 'is') return `(${column} is ${not}${value as string})`;
  if (operator === 'in') return `(${not}${column} = any (${bind(value)}::text[]))`;
  const symbol = symbols[operator];
  if (!symbol) throw new Error(`No SQL for ${operator}`);
  const text = /^i?like$/.test(operator) ? (value as string).replaceAll('*', '%') : (value as string);
  const operand = quantifier ? `${quantifier} (${bind(text)}::text[])` : bind(text);
  return `(${not}${column} ${symbol} ${operand})`;
}

const symbols: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
};
