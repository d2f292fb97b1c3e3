import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { MissingSettingError } from './runtime.ts';
import type { Environment } from './runtime.ts';

/**
 * The project's secret keys (`sb_secret_…`), the default one first, and its older service key, where the project still has it.
 *
 * @throws {MissingSettingError} without any.
 */
export function readServiceKeys(env: Environment): readonly [string, ...string[]] {
  const { default: usual, ...others } = JSON.parse(env['SUPABASE_SECRET_KEYS'] || '{}') as Readonly<
    Record<string, string>
  >;
  const [first, ...rest] = [usual, ...Object.values(others), env['SUPABASE_SERVICE_ROLE_KEY']].filter(
    (key) => key !== undefined && key !== '',
  );
  if (first === undefined) throw new MissingSettingError('SUPABASE_SECRET_KEYS');
  return [first, ...rest.filter((key) => key !== undefined)];
}

/** The headers of a request with a key. A key of the newer form is not a token, and is refused as a bearer. */
export function serviceHeaders(key: string): Readonly<Record<string, string>> {
  return key.startsWith('sb_') ? { apikey: key } : { apikey: key, authorization: `Bearer ${key}` };
}

/**
 * Whether a worker may run: the scheduler knows the worker's own secret (the header `x-worker-secret`; WORKER_SECRET has one, or while it is changed
 * the new and the old one with a space between them), and a backend has a service key (the header `apikey`).
 *
 * @throws {MissingSettingError} without any service key.
 */
export function isWorkerCall({ headers }: Request, env: Environment): boolean {
  const secrets = (env['WORKER_SECRET'] ?? '').split(/\s+/).filter(Boolean);
  if (secrets.some((secret) => isEqual(headers.get('x-worker-secret') ?? '', secret))) return true;
  return readServiceKeys(env).some((key) => isEqual(headers.get('apikey') ?? '', key));
}

/** Takes the same time for equal and different texts, so that timing reveals nothing about a key. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(Buffer.from(text)).digest();
  return timingSafeEqual(digest(one), digest(other));
}
