import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartError } from 'local-supabase';
import { loadVapidKeys } from '../../scripts/vapid-keys.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'vapid-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test('generates the keys once per data folder, readable by their owner only', () => {
  const keys = loadVapidKeys(dataDir);
  // An uncompressed point of P-256 and its scalar.
  expect(Buffer.from(keys.publicKey, 'base64url')).toHaveLength(65);
  expect(Buffer.from(keys.privateKey, 'base64url')).toHaveLength(32);
  expect(loadVapidKeys(dataDir)).toEqual(keys);
  expect(statSync(join(dataDir, 'vapid-keys.json')).mode & 0o777).toBe(0o600);
});

test('refuses a corrupt file', () => {
  writeFileSync(join(dataDir, 'vapid-keys.json'), '{');
  expect(() => loadVapidKeys(dataDir)).toThrow(StartError);
});
