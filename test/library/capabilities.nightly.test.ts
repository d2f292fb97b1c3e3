import { expect, it } from 'vitest';
import { readCapabilities } from '../../scripts/library/capabilities.ts';
import { readVendorMethods, readVendorVersions } from './vendor-methods.ts';

it('lists each public method of the vendor’s installed packages, and no other', async () => {
  const { methods } = await readCapabilities();
  const theirs = readVendorMethods();
  expect(theirs).toContain('auth-js GoTrueClient.signInWithPassword');
  expect(theirs).toContain('storage-js StorageFileApi.createSignedUploadUrl');
  expect(theirs.length).toBeGreaterThan(200);
  expect(methods.map(({ vendor }) => vendor)).toEqual(theirs);
});

it('describes the versions of the lock file', async () => {
  expect((await readCapabilities()).vendor).toEqual(readVendorVersions());
});
