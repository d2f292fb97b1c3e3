import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalSupabase } from 'local-supabase';
import { startLocalSupabase } from '../bin/local-target.ts';
import { parseOptions } from '../bin/options.ts';
import { createRemoteTarget } from '../bin/remote-target.ts';

describe('the target of --url', () => {
  let supabase: LocalSupabase;
  const targetOf = (url: string, ...args: readonly string[]) =>
    createRemoteTarget(url, parseOptions(['--anon-key', supabase.anonKey, ...args]).values, null);

  beforeAll(async () => {
    supabase = await startLocalSupabase();
  }, 60_000);

  afterAll(() => supabase.close());

  it.each([[], ['--only', 'auth'], ['--only', 'rest']])('is a project, with %s %s', async (...args) => {
    const { authUrl, restUrl } = await targetOf(`${supabase.url}/`, ...args);
    expect([authUrl, restUrl]).toEqual([`${supabase.url}/auth/v1`, `${supabase.url}/rest/v1`]);
  });

  it.each([[], ['--only', 'auth']])('is an auth service alone, with %s %s', async (...args) => {
    const url = `${supabase.url}/auth/v1`;
    const { authUrl, restUrl, realtimeUrl } = await targetOf(url, ...args);
    expect([authUrl, restUrl, realtimeUrl]).toEqual([url, null, null]);
  });

  it.each([
    [[], false],
    [['--apply-schema'], true],
  ] as const)('is a database where audits may create tables, with %j: %s', async (args, createsTables) => {
    expect(await targetOf(supabase.url, ...args)).toMatchObject({ createsTables });
  });

  it('is refused if no auth service responds', async () => {
    await expect(targetOf(`${supabase.url}/rest/v1`)).rejects.toThrow(
      /--url names neither a project nor an auth service.*GET \/auth\/v1\/health responded with 404/,
    );
  });

  it('is refused if the server does not respond in time', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { values } = parseOptions(['--anon-key', 'key']);
    await expect(createRemoteTarget(url, values, null, 50)).rejects.toThrow(
      `The server did not respond to GET ${url}/auth/v1/health within 0.05 s.`,
    );
    silent.closeAllConnections();
    silent.close();
  });
});
