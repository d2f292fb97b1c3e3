import type { Routine } from '../catalog/catalog.ts';
import type { Claims } from '../../../keys/keys.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { join, sql, toStatement, value } from './fragment.ts';
import type { Statement } from './fragment.ts';

export interface TransactionSettings {
  readonly request: ApiRequest;
  readonly claims: Claims;
  readonly role: string;
  readonly roleSettings: readonly (readonly [string, string])[];
  readonly routine: Routine | undefined;
  readonly extraSearchPath: readonly string[];
}

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Sets the initial state of a transaction. The settings of the role come before the role itself. */
export function settingsStatement(settings: TransactionSettings): Statement {
  const { request, claims, role, roleSettings, routine, extraSearchPath } = settings;
  const headers = Object.fromEntries(request.headers.filter(([name]) => name !== 'cookie'));
  const cookies = parseCookies(request.headers.find(([name]) => name === 'cookie')?.[1]);
  const { timezone } = request.preferences;
  const all: readonly (readonly [string, string])[] = [
    ['search_path', [request.schema, ...extraSearchPath].map(quote).join(', ')],
    ...roleSettings,
    ['role', role],
    ['request.jwt.claims', JSON.stringify({ ...claims, role })],
    ['request.method', request.method],
    ['request.path', request.path],
    ['request.headers', JSON.stringify(headers)],
    ['request.cookies', JSON.stringify(cookies)],
    ...(timezone === undefined ? [] : [['timezone', timezone] as const]),
    ...(routine?.settings ?? []),
  ];
  const calls = all.map(([name, setting]) => sql`set_config(${value(name)}, ${value(setting)}, true)`);
  return toStatement(sql`select ${join(calls, ', ')}`);
}

function parseCookies(header: string | undefined): Readonly<Record<string, string>> {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? [];
  return Object.fromEntries(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const equals = pair.indexOf('=');
        return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      }),
  );
}
