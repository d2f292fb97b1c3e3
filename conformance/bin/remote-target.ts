import type { Pool } from 'pg';
import type { ConformanceTarget } from '../src/target/target.ts';
import { at, createWire } from '../src/target/wire.ts';
import type { CommandOptions } from './options.ts';

/** A server without a response would otherwise keep the command for the five minutes of Node's fetch. */
const HEALTH_MS = 30_000;

/**
 * The server of the options: a project, or an auth service alone.
 *
 * @param healthMs the maximum wait for its health. Default 30 s.
 * @throws {Error} if neither responds. @throws {TypeError} if the server is unreachable.
 */
export async function createRemoteTarget(
  url: string,
  options: CommandOptions,
  pool: Pool | null,
  healthMs = HEALTH_MS,
): Promise<ConformanceTarget> {
  const root = url.replace(/\/$/, '');
  const isProject = await isProjectUrl(root, options['anon-key'], healthMs);
  const { 'jwt-secret': jwtSecret } = options;
  return {
    authUrl: isProject ? `${root}/auth/v1` : root,
    restUrl: isProject ? `${root}/rest/v1` : null,
    storageUrl: isProject ? `${root}/storage/v1` : null,
    realtimeUrl: isProject ? `${root.replace(/^http/, 'ws')}/realtime/v1/websocket` : null,
    anonKey: options['anon-key'],
    serviceKey: options['service-key'] ?? null,
    ...(jwtSecret !== undefined && { jwtSecret }),
    mailboxUrl: options.mailbox?.replace(/\/$/, '') ?? null,
    smsInMailbox: options['sms-in-mailbox'],
    redirectTo: options['redirect-to'],
    fetch: (input, init) => fetch(input, init),
    ...(pool && { query: async (text, values = []) => (await pool.query(text, [...values])).rows }),
    createsTables: options['apply-schema'],
  };
}

/** Whether the auth service's health is found at a project's path instead of the URL itself. */
async function isProjectUrl(root: string, anonKey: string, healthMs: number): Promise<boolean> {
  const refusals: string[] = [];
  for (const path of ['/auth/v1/health', '/health']) {
    const wire = createWire(root, anonKey, (url, init) =>
      fetch(url, { ...init, signal: AbortSignal.timeout(healthMs) }),
    );
    const { status, json } = await wire.send('GET', path).catch((problem: unknown) => {
      if (!(problem instanceof DOMException)) throw problem;
      throw new Error(`The server did not respond to GET ${root}${path} within ${healthMs / 1_000} s.`);
    });
    if (status === 200 && at(json, 'name') === 'GoTrue') return path !== '/health';
    refusals.push(`GET ${path} responded with ${status}${status === 200 ? " and not auth's health" : ''}`);
  }
  throw new Error(
    `--url names neither a project nor an auth service, or --anon-key is not its key: ${refusals.join(', ')}.`,
  );
}
