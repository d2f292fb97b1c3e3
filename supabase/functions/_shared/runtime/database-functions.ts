import { requireSetting } from './runtime.ts';
import type { Runtime } from './runtime.ts';

/** The data service refused a call, or could not be reached. */
export class DatabaseFunctionError extends Error {
  override readonly name = 'DatabaseFunctionError';
}

/** Calls a function of the schema `public` with the service key. */
export type CallDatabase = (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

const timeoutMs = 20_000;

/** @throws {MissingSettingError} without SUPABASE_URL or SUPABASE_SERVICE_ROLE_KEY. */
export function createDatabaseCaller({ env, fetch }: Runtime): CallDatabase {
  const url = requireSetting(env, 'SUPABASE_URL');
  const key = requireSetting(env, 'SUPABASE_SERVICE_ROLE_KEY');
  return async (name, args) => {
    const response = await fetch(`${url}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new DatabaseFunctionError(`${name} answered ${response.status}: ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
}
