import { type ColumnPath, encodeColumn } from './quoting.ts';

/** The direction of an order. */
export interface OrderOptions {
  /** Smallest first. Default true. */
  readonly ascending?: boolean;
  /** Where rows with null come. Default: PostgreSQL's own, last when ascending and first when descending. */
  readonly nulls?: 'first' | 'last';
}

/** An order of embedded rows: `embed({ … }, { order: [by('name'), by('age', { ascending: false })] })`. */
export function by(column: string | ColumnPath, { ascending = true, nulls }: OrderOptions = {}): string {
  return `${encodeColumn(column)}.${ascending ? 'asc' : 'desc'}${nulls ? `.nulls${nulls}` : ''}`;
}
