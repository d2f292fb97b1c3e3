import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importJWK, jwtVerify, type JWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runPrinting } from './run-printing.ts';

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'key-commands-'));
  await mkdir(join(project, 'supabase'));
});
afterAll(() => rm(project, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const run = (...words: readonly string[]) => runPrinting(project, words);

describe('gen signing-key', () => {
  it.each(['ES256', 'RS256'])(
    'prints a key of %s that signing_keys_path accepts and signs tokens',
    async (algorithm) => {
      const key = JSON.parse((await run('gen', 'signing-key', '--algorithm', algorithm)).text) as JWK;
      expect(key).toMatchObject({
        alg: algorithm,
        use: 'sig',
        key_ops: ['sign', 'verify'],
        d: expect.any(String) as string,
      });
      await writeFile(join(project, 'supabase/config.toml'), '[auth]\nsigning_keys_path = "./keys.json"');
      await writeFile(join(project, 'supabase/keys.json'), JSON.stringify([key]));
      const { code, text } = await run(
        'gen',
        'bearer-jwt',
        '--role',
        'authenticated',
        '--valid-for',
        '1h30m',
      );
      expect(code).toBe(0);
      const { kty, crv, x, y, n, e } = key;
      const publicKey = Object.fromEntries(
        Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined),
      );
      const { payload } = await jwtVerify(text, await importJWK(publicKey, algorithm));
      expect(payload).toEqual({
        role: 'authenticated',
        is_anonymous: true,
        iat: expect.any(Number) as number,
        exp: (payload.iat ?? 0) + 5400,
      });
    },
  );

  it('refuses other algorithms', async () => {
    expect(await run('gen', 'signing-key', '--algorithm', 'HS256')).toMatchObject({ code: 2 });
  });
});

describe('gen bearer-jwt', () => {
  it('takes a user, an expiry and further claims, and refuses what it cannot read', async () => {
    const key = JSON.parse((await run('gen', 'signing-key')).text) as JWK;
    await writeFile(join(project, 'supabase/keys.json'), JSON.stringify([key]));
    const token = (...words: readonly string[]) => run('gen', 'bearer-jwt', ...words);
    const { text } = await token(
      '--role=authenticated',
      '--sub=ada',
      '--exp=2030-01-01T00:00:00Z',
      '--payload={"email":"ada@example.com"}',
    );
    const claims: unknown = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
    const exp = Date.UTC(2030, 0, 1) / 1000;
    expect(claims).toEqual({
      sub: 'ada',
      role: 'authenticated',
      iat: exp - 1800,
      exp,
      email: 'ada@example.com',
    });
    for (const words of [
      [],
      ['--role=a', '--valid-for=x'],
      ['--role=a', '--exp=x'],
      ['--role=a', '--payload=[]'],
    ])
      expect(await token(...words)).toMatchObject({ code: 2 });
  });

  it('signs with the secret of the running instance where the project has no keys', async () => {
    await rm(join(project, 'supabase/config.toml'));
    expect((await run('gen', 'bearer-jwt', '--role', 'anon')).text).toContain('No local Supabase is running');
  });
});

describe('db dump', () => {
  it('runs pg_dump without the schemas of the services, or says where to get it', async () => {
    const [bin, out] = [join(project, 'bin'), join(project, 'args')];
    await mkdir(bin);
    await writeFile(join(bin, 'pg_dump'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${out}'\nexit 3\n`);
    await chmod(join(bin, 'pg_dump'), 0o755);
    vi.stubEnv('PATH', bin);
    const url = 'postgresql://postgres:postgres@127.0.0.1:1/postgres';
    expect((await run('db', 'dump', '--db-url', url)).code).toBe(3);
    const args = (await readFile(out, 'utf8')).trimEnd().split('\n');
    expect(args.slice(0, 3)).toEqual([`--dbname=${url}`, '--quote-all-identifiers', '--schema-only']);
    expect(args).toContain('--exclude-schema=auth');
    await run('db', 'dump', '--db-url', url, '--data-only', '-s', 'public,app', '-f', 'rows.sql');
    expect((await readFile(out, 'utf8')).trimEnd().split('\n').slice(2)).toEqual([
      '--data-only',
      '--schema=public',
      '--schema=app',
      '--file=rows.sql',
    ]);
    vi.stubEnv('PATH', project);
    expect(await run('db', 'dump', '--db-url', url)).toMatchObject({
      code: 1,
      text: expect.stringContaining('PostgreSQL 17') as string,
    });
  });
});
