import { sha256 } from '@noble/hashes/sha2.js';
import { createView } from '@noble/hashes/utils.js';
import { encodeUtf8 } from '../../../platform/bytes.ts';
import { FilterError, parseFilters } from './filters.ts';
import type { Filter } from './filters.ts';
import { inspectTerm } from './term.ts';

export type ChangeAction = 'INSERT' | 'UPDATE' | 'DELETE';

/** One parsed entry of `postgres_changes`. */
export interface Binding {
  readonly id: number;
  readonly action: ChangeAction | '*';
  readonly schema: string;
  /** `*` matches all tables. */
  readonly table: string;
  readonly filters: readonly Filter[];
  /** The columns to send, always including the primary key; null for all. */
  readonly select: readonly string[] | null;
}

/** A binding that cannot be subscribed to; the client receives the message. */
export class SubscriptionRefused extends Error {
  override name = 'SubscriptionRefused';
}

/** A number below 2^27 that is equal for equal parameters, regardless of the order of keys. */
export function bindingId(params: Record<string, unknown>): number {
  return createView(sha256(encodeUtf8(inspectTerm(params)))).getUint32(0) >>> 5;
}

/** Parses the parameters of a binding. @throws {SubscriptionRefused} with the real server's message. */
export function parseBinding(params: Record<string, unknown>): Binding {
  const select = parseSelect(params['select']);
  const { schema, table } = targetOf(params);
  const filters = typeof params['filter'] === 'string' ? filtersOf(params['filter']) : [];
  if (select && (schema === '*' || table === '*')) {
    throw new SubscriptionRefused(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    );
  }
  return { id: bindingId(params), action: actionOf(params['event']), schema, table, filters, select };
}

function parseSelect(select: unknown): readonly string[] | null {
  if (typeof select === 'string') {
    throw new SubscriptionRefused(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  }
  if (!Array.isArray(select)) return null;
  const columns = select.filter((column): column is string => typeof column === 'string');
  return columns.length > 0 ? columns : null;
}

function targetOf(params: Record<string, unknown>): { schema: string; table: string } {
  const { schema, table, filter } = params;
  const has = (key: string) => key in params;
  if (
    typeof schema === 'string' &&
    typeof table === 'string' &&
    (!has('filter') || typeof filter === 'string')
  ) {
    return { schema, table };
  }
  if (typeof schema === 'string' && !has('table') && !has('filter')) return { schema, table: '*' };
  if (typeof table === 'string' && !has('schema') && !has('filter')) return { schema: 'public', table };
  const shown = has('user_token') || has('auth_token') ? '<redacted>' : inspectTerm(params);
  throw new SubscriptionRefused(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${shown}`,
  );
}

function filtersOf(text: string): Filter[] {
  try {
    return parseFilters(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new SubscriptionRefused(`Error parsing \`filter\` params: ${error.message}`, { cause: error });
  }
}

function actionOf(event: unknown): Binding['action'] {
  const action = typeof event === 'string' ? event.toUpperCase() : '*';
  return action === 'INSERT' || action === 'UPDATE' || action === 'DELETE' ? action : '*';
}
