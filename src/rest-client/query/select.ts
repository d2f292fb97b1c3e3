import type { Projection } from './plan.ts';
import { castPositionAtEnd, encodeName, encodePath, refuse } from './quoting.ts';

/** A select that this client neither writes nor checks. */
export interface RawSelect<out Row = unknown> extends Projection {
  /** Present for the type checker only. */
  readonly row?: Row;
}

/** A select as PostgREST reads it: `rawSelect<{ n: number }>('n:amount.sum()')`. Never build it from untrusted text. */
export function rawSelect<Row>(select: string): RawSelect<Row> {
  return { select, params: [] };
}

/** One column of a select: `alias:column::cast`, where the column may be a JSON path or an aggregate (`amount.sum()`). */
export interface SelectColumn {
  /** Discriminates columns from related rows. */
  readonly type: 'column';
  /** The name in the row, or empty. */
  readonly alias: string;
  /** Column, JSON path or aggregate. */
  readonly column: string;
  /** The cast with its colons, or empty. */
  readonly cast: string;
}

/** Related rows in a select: `alias:relation!hint!inner(…)`, or spread into the row: `...relation(…)`. */
export interface SelectEmbed {
  /** Discriminates related rows from columns. */
  readonly type: 'embed';
  /** The name in the row, or empty. */
  readonly alias: string;
  /** A table, view, foreign key, or column of a foreign key. */
  readonly relation: string;
  /** The foreign key to follow, or empty. */
  readonly hint: string;
  /** `inner` leaves out rows without related rows. */
  readonly join: '' | 'inner' | 'left';
  /** Whether the columns go into the row itself. */
  readonly isSpread: boolean;
  /** What is selected of the related rows; empty where they serve as a filter only. */
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectColumn | SelectEmbed;

/**
 * Encodes a select: `'id, total:amount::text, data->>name, author:people!owner_id(name)'`. A name in double quotes stays
 * unchanged; any other is quoted where the server's grammar needs it.
 *
 * @throws {RestError} `invalid-query` if parentheses or quotes do not match, or something is empty.
 */
export function encodeSelect(text: string): string {
  // Names alone need no parser.
  if (plainList.test(text))
    return text
      .split(',')
      .map((part) => encodePlainName(part.trim()))
      .join();
  return parseSelect(text).map(encodeSelectItem).join();
}

const encodePlainName = (name: string) => (name === '*' ? name : encodeName(name));

const plainList = /^\s*(?:\*|\w+)\s*(?:,\s*(?:\*|\w+)\s*)*$/;

/** Splits a select into its parts. */
export function parseSelect(text: string): readonly SelectItem[] {
  return splitTopLevel(text, ',').map(parseItem);
}

/** A column without related rows, such as the value of a shape. */
export function parseColumn(text: string): SelectColumn {
  // Split off the casts first, so that a remaining colon separates the alias.
  const [beforeCast = '', ...casts] = splitTopLevel(text, '::');
  const [first = '', ...others] = splitTopLevel(beforeCast, ':');
  return {
    type: 'column',
    alias: others.length ? first.trim() : '',
    column: (others.length ? others.join(':') : first).trim(),
    cast: casts.map((type) => `::${type.trim()}`).join(''),
  };
}

/** One part in its wire form. */
export function encodeSelectItem(item: SelectItem): string {
  const alias = item.alias && `${quoteUnlessQuoted(item.alias)}:`;
  if (item.type === 'column') return `${alias}${encodeSelectColumn(item.column)}${item.cast}`;
  const { relation, hint, join, isSpread, items } = item;
  const path = (hint ? [relation, hint] : [relation]).map(quoteUnlessQuoted).join('!');
  const inside = castPositionAtEnd(items.map(encodeSelectItem).join());
  return `${isSpread ? '...' : ''}${alias}${path}${join && `!${join}`}(${inside})`;
}

const aggregate = /^(?:(.*)\.)?(count|sum|avg|min|max)$/s;

function parseItem(text: string): SelectItem {
  const [head = '', ...others] = splitTopLevel(text, '(');
  if (!others.length) return parseColumn(text);
  const rest = others.join('(');
  const end = rest.lastIndexOf(')');
  const [inside, after] = [rest.slice(0, end), rest.slice(end + 1).trim()];
  const column = parseColumn(`${head}${after}`);
  if (!inside.trim() && aggregate.test(column.column)) return { ...column, column: `${column.column}()` };
  if (after) refuse(`"${after}" after related rows`);
  const isSpread = head.trim().startsWith('...');
  const { alias, column: path } = parseColumn(isSpread ? head.trim().slice('...'.length) : head);
  const [relation = '', ...modifiers] = splitTopLevel(path, '!').map((part) => part.trim());
  const join = modifiers.find((modifier) => modifier === 'inner' || modifier === 'left') ?? '';
  const hint = modifiers.find((modifier) => modifier !== join) ?? '';
  const items = inside.trim() ? parseSelect(inside) : [];
  return { type: 'embed', alias, relation, hint, join, isSpread, items };
}

/**
 * Splits at a separator outside of parentheses and double quotes. For `(` itself that is the first one, because the text after it
 * is inside.
 */
function splitTopLevel(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted) {
      if (depth === 0 && text.startsWith(separator, at)) {
        parts.push(text.slice(start, at));
        start = at + separator.length;
        at = start - 1;
      }
      if (character === '(') depth += 1;
      if (character === ')') depth -= 1;
      if (depth < 0) break;
    }
  }
  if (depth !== 0 || isQuoted) refuse(`Parentheses or quotes do not match in "${text}"`);
  return [...parts, text.slice(start)];
}

/** A column, or a JSON path whose steps are quoted separately. */
function encodeSelectColumn(column: string): string {
  if (column === '*') return column;
  const [, target = '', name] = column.endsWith('()') ? (aggregate.exec(column.slice(0, -2)) ?? []) : [];
  if (name) return `${target && `${encodeSelectColumn(target)}.`}${name}()`;
  return encodePath(splitArrows(column), quoteUnlessQuoted);
}

/** Steps of a path with the arrows between them, quoted names whole. */
const splitArrows = (column: string): string[] => column.split(/(->>?)(?=(?:[^"]*"[^"]*")*[^"]*$)/);

const quoteUnlessQuoted = (name: string): string =>
  /^"(?:[^"\\]|\\.)+"$/s.test(name) ? name : encodeName(name || refuse('An empty name in a select'));
