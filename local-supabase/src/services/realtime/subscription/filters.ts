import { inspectTerm } from './term.ts';

const operators = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'like',
  'ilike',
  'is',
  'match',
  'imatch',
  'isdistinct',
] as const;

export type FilterOperator = (typeof operators)[number];

/** One condition on a column. The value of `in` is a PostgreSQL array literal. */
export interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: string;
  readonly negated: boolean;
}

/** Parses `col=[not.]op.value[,…]`. @throws {FilterError} with the real server's message. */
export function parseFilters(text: string): Filter[] {
  const trimmed = text.trim();
  return trimmed === '' ? [] : splitTopLevel(trimmed).map(parseFilter);
}

export class FilterError extends Error {
  override name = 'FilterError';
}

/** Splits at commas outside of parentheses and double quotes. Quotes open only where a value can begin. */
function splitTopLevel(text: string): string[] {
  const segments: string[] = [];
  let [current, depth, quoted, previous] = ['', 0, false, '='];
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (char === ',' && depth === 0 && !quoted) {
      segments.push(current);
      [current, previous] = ['', '='];
      continue;
    }
    if (quoted && char === '\\') {
      current += char + text.charAt((index += 1));
      continue;
    }
    if (char === '"') quoted = !quoted && '.(,'.includes(previous);
    else if (!quoted && char === '(') depth += 1;
    else if (!quoted && char === ')') depth = Math.max(0, depth - 1);
    current += char;
    previous = char;
  }
  return [...segments, current];
}

function parseFilter(segment: string): Filter {
  const trimmed = segment.trim();
  if (trimmed === '') {
    throw new FilterError('filter must not contain empty segments (check for extra commas)');
  }
  const [column, rest] = cut(trimmed, '=');
  if (rest === null) throw new FilterError(inspectTerm([trimmed]));
  const negated = rest.startsWith('not.');
  const [operator, value] = cut(negated ? rest.slice(4) : rest, '.');
  if (value === null) throw new FilterError(inspectTerm([operator]));
  if (!isOperator(operator)) throw new FilterError(inspectTerm([operator, value]));
  return { column, operator, negated, value: operator === 'in' ? arrayLiteral(value) : unquote(value) };
}

const isOperator = (text: string): text is FilterOperator => operators.some((known) => known === text);

function arrayLiteral(value: string): string {
  if (!/^\(.*\)$/s.test(value)) throw new FilterError('`in` filter value must be wrapped by parentheses');
  return `{${value.slice(1, -1)}}`;
}

/** Removes PostgREST's double quotes around a whole value. */
function unquote(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(value);
  return quoted?.[1] === undefined ? value : quoted[1].replaceAll(/\\(.)/gs, '$1');
}

function cut(text: string, separator: string): [string, string | null] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, null] : [text.slice(0, index), text.slice(index + 1)];
}
