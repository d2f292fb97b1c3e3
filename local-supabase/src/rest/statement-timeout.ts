import type { Catalog, Routine } from './catalog/catalog.ts';
import { LOGIN_ROLE } from './catalog/routine-queries.ts';
import { RestError } from './request/errors.ts';

type Settings = readonly (readonly [string, string])[];

const unitMs: Readonly<Record<string, number>> = {
  '': 1,
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const timeoutOf = (settings: Settings | undefined): string | undefined =>
  settings?.findLast(([name]) => name === 'statement_timeout')?.[1];

/** Reads a time as PostgreSQL writes it (`8s`); a text that is none counts as no limit. */
function parseDurationMs(duration: string): number {
  const [, count, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(duration) ?? [];
  return Number(count ?? 0) * (unitMs[unit] ?? 1);
}

/**
 * The `statement_timeout` of a request in milliseconds: the function's, else the role's, else the login role's.
 * 0 for no limit.
 */
export function statementTimeoutMs(
  { roleSettings }: Catalog,
  role: string,
  routine: Routine | undefined,
): number {
  const found =
    timeoutOf(routine?.settings) ??
    timeoutOf(roleSettings.get(role)) ??
    timeoutOf(roleSettings.get(LOGIN_ROLE));
  return found === undefined ? 0 : parseDurationMs(found);
}

/** PostgreSQL's error for a statement that took longer than `statement_timeout`. */
export const statementTimedOut = (): RestError =>
  new RestError(500, { code: '57014', message: 'canceling statement due to statement timeout' });
