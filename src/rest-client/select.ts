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

/** Encodes a list of columns: `'id, total:amount::text, data->>name'`. */
export function encodeList(columns: string): string {
  return splitList(columns)
    .map(({ alias, column }) => encodeItem(alias, column))
    .join();
}

export function splitList(columns: string): { readonly alias: string; readonly column: string }[] {
  if (/[()]/.test(columns)) refuse('Columns only: use shape() or rawSelect()');
  return columns.split(',').map((item) => {
    const [, alias = '', column = ''] = /^(?:([^:]*):(?!:))?(.*)$/s.exec(item.trim()) ?? [];
    return { alias: alias.trim(), column: column.trim() };
  });
}

/** `column`, `column::type` or `*`, with its alias, if any. */
export function encodeItem(alias: string, column: string): string {
  const [, name = '', cast = ''] = /^(.*?)(::\w+)?$/s.exec(column) ?? [];
  return `${alias && `${encodeName(alias)}:`}${name === '*' ? name : encodeColumn(name)}${cast}`;
}
