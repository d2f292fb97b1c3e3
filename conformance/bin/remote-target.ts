import type { Pool } from 'pg';
import type { ConformanceTarget } from '../src/target.ts';
import type { CommandOptions } from './options.ts';

/** The server that the options describe. */
export function createRemoteTarget(
  url: string,
  options: CommandOptions,
  pool: Pool | null,
): ConformanceTarget {
  const root = url.replace(/\/$/, '');
  const isBareAuth = options.only?.startsWith('auth') === true && !options.project;
  const { 'jwt-secret': jwtSecret } = options;
  return {
    authUrl: isBareAuth ? root : `${root}/auth/v1`,
    restUrl: isBareAuth ? null : `${root}/rest/v1`,
    storageUrl: isBareAuth ? null : `${root}/storage/v1`,
    realtimeUrl: isBareAuth ? null : `${root.replace(/^http/, 'ws')}/realtime/v1/websocket`,
    anonKey: options['anon-key'],
    serviceKey: options['service-key'] ?? null,
    ...(jwtSecret !== undefined && { jwtSecret }),
    mailboxUrl: options.mailbox?.replace(/\/$/, '') ?? null,
    smsInMailbox: options['sms-in-mailbox'],
    redirectTo: options['redirect-to'],
    fetch: (input, init) => fetch(input, init),
    ...(pool && { query: async (text, values = []) => (await pool.query(text, [...values])).rows }),
  };
}
