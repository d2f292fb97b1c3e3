import { readProjectConfig } from 'local-supabase';
import { describe, expect, it } from 'vitest';
import { readSignInWays } from '../../scripts/sign-in-ways.ts';
import { minPasswordLength } from '../../src/inbox/ui/form/credential-rules.ts';

describe('the config.toml of this repository', () => {
  const { options, withoutEffect } = readProjectConfig();

  it('configures the deployed services', () => {
    expect(options).toMatchObject({
      siteUrl: 'http://localhost:5173',
      redirectUrls: ['http://localhost:5173/**', 'http://127.0.0.1:5173/**'],
      auth: {
        anonymousEnabled: false,
        emailMaxFrequencySeconds: 60,
        mailerAutoconfirm: false,
        passwordUpdateRequiresReauthentication: true,
        secureEmailChange: true,
        externalProviders: ['google', 'github', 'apple'],
        rateLimits: { tokenRefresh: 150, verify: 30, otp: 30 },
      },
      rest: { schemas: ['public'], extraSearchPath: ['public', 'extensions'], maxRows: 1000 },
      storage: { fileSizeLimitBytes: 52_428_800 },
      mailTemplates: { recovery: { subject: expect.stringContaining('Reset your password') } },
    });
    expect(options.smtp).toBeUndefined();
  });

  it('has no setting that the embedded server ignores', () => expect(withoutEffect).toEqual([]));

  it('requires the same password length as the forms', () => {
    expect(options.auth?.passwordMinLength).toBe(minPasswordLength);
  });
});

describe('the ways to sign in, for the build', () => {
  it('are those of this repository', () => {
    const { auth } = readProjectConfig().options;
    expect(readSignInWays()).toEqual({
      providerCount: auth?.externalProviders?.length,
      passkeys: auth?.passkeysEnabled,
    });
  });

  it('are only the enabled ones', () => {
    const text = `
      [auth.external.google]
      enabled = true
      [auth.external.azure]
      enabled = false
      [auth.passkey]
      enabled = false
    `;
    expect(readSignInWays(undefined, text)).toEqual({ providerCount: 1, passkeys: false });
    expect(readSignInWays(undefined, '')).toEqual({ providerCount: 0, passkeys: false });
  });

  it('are those of VITE_SIGN_IN_WAYS where the project differs from the file', () => {
    expect(readSignInWays('google, github,passkey')).toEqual({ providerCount: 2, passkeys: true });
    expect(readSignInWays('passkey')).toEqual({ providerCount: 0, passkeys: true });
    expect(readSignInWays('none')).toEqual({ providerCount: 0, passkeys: false });
    for (const list of ['google;github', 'Google', 'google,,github'])
      expect(() => readSignInWays(list)).toThrow('VITE_SIGN_IN_WAYS');
  });
});
