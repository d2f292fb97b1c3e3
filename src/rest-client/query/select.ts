import type { Projection } from './plan.ts';
import { encodeColumn, encodeName, refuse } from './quoting.ts';

/** A select that this client neither writes nor checks. */
export interface RawSelect<out Row = unknown> extends Projection {
  /** Only for the type checker. */
  readonly row?: Row;
}

/** A select as PostgREST reads it: `rawSelect<{ n: number }>('n:amount.sum()')`. Never build it from foreign text. */
export function rawSelect<Row>(select: string): RawSelect<Row> {
  return { select, params: [] };
}

/** One column of a select: `alias:column::cast`. */
export interface Item {
  readonly alias: string;
  readonly column: string;
  /** With its colons, or empty. */
  readonly cast: string;
}

/** Encodes a list of columns: `'id, total:amount::text, data->>name'`. */
export const encodeList = (columns: string): string => splitList(columns).map(encodeItem).join();

export function splitList(columns: string): readonly Item[] {
  if (/[()]/.test(columns)) refuse('Columns only: see shape()');
  return columns.split(',').map(parseItem);
}

export function parseItem(text: string): Item {
  const [, alias = '', column = '', cast = ''] =
    /^\s*(?:([^:]*?)\s*:(?!:)\s*)?(.*?)(::\w[\w ]*?)?\s*$/s.exec(text) ?? [];
  return { alias, column, cast };
}

export function encodeItem({ alias, column, cast }: Item): string {
  return `${alias && `${encodeName(alias)}:`}${column === '*' ? column : encodeColumn(column)}${cast}`;
}
