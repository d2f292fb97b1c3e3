import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import type { JWK } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTokenKeys } from '../src/keys/keys.ts';
import { readProjectConfig } from '../src/project/project-config.ts';

const project = mkdtempSync(join(tmpdir(), 'signing-keys-'));
const text = '[auth]\nsigning_keys_path = "./signing_keys.json"\n';

/** Creates a key in the format of `supabase gen signing-key`. */
async function makeKey(alg: 'ES256' | 'RS256', kid: string, keyOps = ['sign', 'verify']): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig', key_ops: keyOps, ext: true };
}

function read(keys: unknown) {
  writeFileSync(join(project, 'supabase/signing_keys.json'), JSON.stringify(keys));
  return readProjectConfig({ project, text });
}

beforeAll(() => mkdirSync(join(project, 'supabase')));
afterAll(() => rmSync(project, { recursive: true }));

it.each(['ES256', 'RS256'] as const)(
  'a key of %s signs tokens and API keys, and is published',
  async (alg) => {
    const old = await makeKey('ES256', 'old', ['verify']);
    const { options, withoutEffect } = read([old, await makeKey(alg, 'mine')]);
    expect(withoutEffect).toEqual([]);
    const keys = await createTokenKeys({ apiKeys: options.apiKeys });
    const published = await keys.jwks();
    expect(published.keys.map(({ kid }) => kid)).toEqual(['mine', 'old']);
    expect(published.keys.flatMap(Object.keys)).not.toContain('d');
    const user = await keys.sign({ sub: 'ada', role: 'authenticated' });
    for (const [token, role] of [
      [user, 'authenticated'],
      [keys.anonKey, 'anon'],
      [keys.serviceRoleKey, 'service_role'],
    ] as const) {
      expect(decodeProtectedHeader(token)).toMatchObject({ alg, kid: 'mine' });
      const { payload } = await jwtVerify(token, createLocalJWKSet(published));
      expect(payload['role']).toBe(role);
      expect((await keys.verify(token)).ok).toBe(true);
    }
  },
);

it('a saved key stays published, and a rotated one signs until the next start', async () => {
  const { apiKeys } = read([await makeKey('ES256', 'mine')]).options;
  const before = await createTokenKeys();
  const earlier = await before.sign({ role: 'authenticated' });
  const keys = await createTokenKeys({ apiKeys, saved: await before.export() });
  expect((await keys.verify(earlier)).ok).toBe(true);
  await keys.rotate();
  expect(decodeProtectedHeader(await keys.sign({})).kid).not.toBe('mine');
  const again = await createTokenKeys({ apiKeys, saved: await keys.export() });
  expect(decodeProtectedHeader(await again.sign({})).kid).toBe('mine');
});

it('an empty list counts as unset, and invalid files are reported with the setting', async () => {
  expect(read([]).options.apiKeys).toEqual({});
  const { d: _, ...publicHalf } = await makeKey('ES256', 'mine');
  for (const keys of [{}, [publicHalf], [{ ...publicHalf, d: 'x', alg: 'HS256' }], [null]])
    expect(() => read(keys)).toThrow(
      'auth.signing_keys_path: ./signing_keys.json is not a list of private keys',
    );
  rmSync(join(project, 'supabase/signing_keys.json'));
  expect(() => readProjectConfig({ project, text })).toThrow('is not a JSON file');
});
