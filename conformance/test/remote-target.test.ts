import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseOptions } from '../bin/options.ts';
import { createRemoteTarget } from '../bin/remote-target.ts';

const project = 'http://project.test';
const targetOf = (url: string, ...args: readonly string[]) =>
  createRemoteTarget(url, parseOptions(['--anon-key', 'key', ...args]).values, null);

describe('the target of --url', () => {
  beforeEach(() =>
    vi.stubGlobal('fetch', (url: string) =>
      Promise.resolve(
        url === `${project}/auth/v1/health`
          ? Response.json({ name: 'GoTrue' })
          : Response.json({ message: 'not found' }, { status: 404 }),
      ),
    ),
  );
  afterEach(() => vi.unstubAllGlobals());

  it.each([[], ['--only', 'auth'], ['--only', 'rest']])('is a project, with %s %s', async (...args) => {
    const { authUrl, restUrl } = await targetOf(`${project}/`, ...args);
    expect([authUrl, restUrl]).toEqual([`${project}/auth/v1`, `${project}/rest/v1`]);
  });

  it.each([[], ['--only', 'auth']])('is an auth service alone, with %s %s', async (...args) => {
    const url = `${project}/auth/v1`;
    const { authUrl, restUrl, realtimeUrl } = await targetOf(url, ...args);
    expect([authUrl, restUrl, realtimeUrl]).toEqual([url, null, null]);
  });

  it('is refused if no auth service responds', async () => {
    await expect(targetOf(`${project}/rest/v1`)).rejects.toThrow(
      /--url names neither a project nor an auth service.*GET \/auth\/v1\/health responded with 404/,
    );
  });
});
