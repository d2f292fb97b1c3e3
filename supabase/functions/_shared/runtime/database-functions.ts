import { Buffer } from 'node:buffer';
import type * as z from 'zod/mini';
import { parseResponse } from './parse.ts';
import { requireSetting } from './runtime.ts';
import type { Runtime } from './runtime.ts';
import { readServiceKeys, serviceHeaders } from './service-keys.ts';

/** The data service refused a call. */
export class DatabaseFunctionError extends Error {
  override readonly name = 'DatabaseFunctionError';
  /** The HTTP status of the response. */
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Calls a function of the schema `public` with the service key.
 *
 * @param result the shape of the result. @throws {DatabaseFunctionError | UnexpectedResponseError}, or what fetch throws
 */
export type CallDatabase = <Schema extends z.ZodMiniType>(
  name: string,
  args: Readonly<Record<string, unknown>>,
  result: Schema,
) => Promise<z.output<Schema>>;

const timeoutMs = 20_000;

/** @throws {MissingSettingError} without SUPABASE_URL or a service key. */
export function createDatabaseCaller({ env, fetch }: Runtime, traceparent?: string): CallDatabase {
  const url = requireSetting(env, 'SUPABASE_URL');
  const [key] = readServiceKeys(env);
  return async (name, args, result) => {
    const response = await fetch(`${url}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: {
        ...serviceHeaders(key),
        'content-type': 'application/json',
        ...(traceparent !== undefined && { traceparent }),
      },
      body: JSON.stringify(args, (_, value: unknown) =>
        typeof value === 'string' ? storable(value) : value,
      ),
      // The target of a redirect would receive the service's key.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok)
      throw new DatabaseFunctionError(`${name} responded with ${response.status}: ${text}`, response.status);
    return parseResponse(result, name, text === '' ? null : JSON.parse(text));
  };
}

/**
 * PostgreSQL refuses a call whose text has NUL or an unpaired surrogate; the text of another service must not stop a queue.
 */
const storable = (text: string): string => Buffer.from(text).toString().replaceAll('\0', '\uFFFD');
