import { expect, it } from 'vitest';
import { readCapabilities } from '../../scripts/library/capabilities.ts';
import { readExportedNames, readVendorMethods, readVendorVersions } from './vendor-methods.ts';

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

it('exports from ./compat each name of the vendor’s package except the listed ones', () => {
  const [theirs, ours] = readExportedNames();
  const missing = theirs.filter((name) => !ours.includes(name));
  expect(theirs.length).toBeGreaterThan(200);
  expect(missing).toEqual(absent.toSorted());
});

const absent = [
  // Classes that `createClient` constructs.
  'AuthAdminApi',
  'AuthClient',
  'GoTrueAdminApi',
  'GoTrueClient',
  'PostgrestBuilder',
  'PostgrestTransformBuilder',
  'RealtimePresence',
  'WebSocketFactory',
  // Errors that have other names here.
  'AuthInvalidTokenResponseError',
  'AuthPKCEGrantCodeExchangeError',
  'CustomAuthError',
  // Types of options that this library lacks.
  'ExperimentalFeatureFlags',
  'TracePropagationOptions',
  'lockInternals',
  // Parts of other types, and helpers.
  'DatabaseWithoutInternals',
  'JWK',
  'MFATOTPChannel',
  'MFAVerifyWebauthnParamFields',
  'OAuthClientRegistrationType',
  'OAuthClientResponseType',
  'OAuthClientType',
  'OIDCDiscoveryDocument',
  'Pagination',
  'PostgrestOpenApiSpec',
  'Prettify',
  'RequestResultSafeDestructure',
  'RequiredClaims',
  'StrictOmit',
  'WebSocketLike',
  // Wire forms of Web Authentication.
  'AuthMFAChallengeWebauthnResponseDataJSON',
  'AuthMFAChallengeWebauthnServerResponse',
  'MFAChallengeWebauthnParams',
  'PasskeyAuthenticationVerifyParams',
  'PasskeyRegistrationVerifyParams',
];
