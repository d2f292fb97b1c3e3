import { filterExpression, logicTree } from '../grammar/filter.ts';
import { columnNames, delimiter, fieldName, treePath } from '../grammar/names.ts';
import { orderTerms } from '../grammar/order.ts';
import { separatedBy1 } from '../grammar/parser.ts';
import { runParser } from '../grammar/run-parser.ts';
import type { Parsed } from '../grammar/run-parser.ts';
import { selectItems } from '../grammar/select.ts';
import type { EmbedPath, Filter, LogicTree, OrderTerm, SelectItem } from '../grammar/syntax.ts';
import { queryParamError } from './errors.ts';
import { ALL_ROWS, limitOf, readInteger, restrict } from './row-range.ts';
import type { RowRange } from './row-range.ts';
import { canonicalQuery } from './query-string.ts';
import type { QueryParameter } from './query-string.ts';

/** A part of the URL, with the path of its embedded relation. */
export interface AtPath<T> {
  readonly path: EmbedPath;
  readonly value: T;
}

export interface QueryParams {
  readonly canonical: string;
  readonly select: readonly SelectItem[];
  readonly filters: readonly AtPath<Filter>[];
  /** The names of all filters or arguments. */
  readonly filterNames: ReadonlySet<string>;
  /** The arguments of a function that is called with GET. */
  readonly callArguments: readonly (readonly [string, string])[];
  readonly logic: readonly AtPath<LogicTree>[];
  readonly order: readonly AtPath<readonly OrderTerm[]>[];
  /** By parameter name; `offset` is stored under `limit`. */
  readonly ranges: ReadonlyMap<string, RowRange>;
  readonly columns: ReadonlySet<string> | undefined;
  readonly onConflict: readonly string[] | undefined;
}

const RESERVED = new Set(['select', 'columns', 'on_conflict']);
const EMBEDDABLE = new Set(['order', 'limit', 'offset', 'and', 'or']);

const lastPart = (name: string): string => name.replace(/^.*\./s, '');

type Pair = readonly [name: string, value: string];

/**
 * @param isCall whether a value without an operator is a function argument.
 * @throws {RestError} PGRST100 for a syntax error in a parameter.
 */
export function parseQueryParams(parameters: readonly QueryParameter[], isCall: boolean): QueryParams {
  const pairs = parameters.filter((parameter): parameter is Pair => parameter[1] !== undefined);
  const first = (wanted: string) => parameters.find(([name]) => name === wanted)?.[1];
  const endingIn = (...endings: string[]) => pairs.filter(([name]) => endings.includes(lastPart(name)));
  const order = endingIn('order').map(([name, value]) => ({
    path: parseTreePath(name).path,
    value: demand(runParser(orderTerms, `failed to parse order (${value})`, value)),
  }));
  const logic = endingIn('and', 'or').map(parseLogic);
  const columns = parseColumns('columns', first('columns'));
  const select = first('select') ?? '*';
  const selected = demand(runParser(selectItems, `failed to parse select parameter (${select})`, select));
  const candidates = pairs.filter(([name]) => !EMBEDDABLE.has(lastPart(name)) && !RESERVED.has(name));
  const parsed = candidates.map(([name, value]) => parseFilter(name, value, isCall));
  return {
    canonical: canonicalQuery(parameters),
    select: selected,
    filters: parsed.flatMap((one) => ('filter' in one ? [one.filter] : [])),
    filterNames: new Set(candidates.map(([name]) => name)),
    callArguments: parsed.flatMap((one) => ('argument' in one ? [one.argument] : [])),
    logic,
    order,
    ranges: parseRanges(endingIn('limit'), endingIn('offset')),
    columns: columns && new Set(columns),
    onConflict: parseColumns('on_conflict', first('on_conflict')),
  };
}

export function parseTreePath(name: string) {
  return demand(runParser(treePath, `failed to parse tree path (${name})`, name));
}

function parseFilter(
  name: string,
  source: string,
  isCall: boolean,
): { readonly filter: AtPath<Filter> } | { readonly argument: Pair } {
  const { path, field } = parseTreePath(name);
  const parsed = runParser(filterExpression, `failed to parse filter (${source})`, source);
  if (!parsed.ok && isCall && isArgument(source)) return { argument: [field.name, source] };
  return { filter: { path, value: { type: 'filter', field, expression: demand(parsed) } } };
}

/** The value is an argument if the operator's parser fails without consuming input. */
function isArgument(source: string): boolean {
  const reply = filterExpression(Array.from(source), 0);
  return !reply.ok && !reply.consumed;
}

function parseLogic([name, source]: Pair): AtPath<LogicTree> {
  const names = demand(
    runParser(separatedBy1(fieldName, delimiter), `failed to parse logic path (${name})`, name),
  );
  const prefix = names.includes('not') ? 'not.' : '';
  return {
    path: names.slice(0, -1).filter((part) => part !== 'not'),
    value: demand(
      runParser(logicTree, `failed to parse logic tree (${source})`, prefix + lastPart(name) + source),
    ),
  };
}

function parseColumns(parameter: string, source: string | undefined): readonly string[] | undefined {
  if (source === undefined) return undefined;
  return demand(runParser(columnNames, `failed to parse ${parameter} parameter (${source})`, source));
}

function parseRanges(limits: readonly Pair[], offsets: readonly Pair[]): ReadonlyMap<string, RowRange> {
  const ranges = new Map<string, RowRange>();
  for (const [name, value] of limits) {
    ranges.set(name, restrict(ALL_ROWS, readInteger(value) ?? null));
  }
  const firsts = new Map(
    offsets.map(([name, value]) => [name.replace(/offset$/, 'limit'), readInteger(value) ?? 0n]),
  );
  for (const [name, first] of firsts) {
    const limited = ranges.get(name);
    // An invalid limit together with an offset counts as zero.
    ranges.set(
      name,
      limited ? { first, last: first + (limitOf(limited) ?? 0n) - 1n } : { first, last: null },
    );
  }
  return ranges;
}

function demand<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  throw queryParamError(parsed.problem);
}
