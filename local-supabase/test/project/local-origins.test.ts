import { describe, expect, it } from 'vitest';
import { moveToLocalPort } from '../../src/project/local-origins.ts';

describe('an application on another port of this machine', () => {
  const move = (siteUrl?: string) => moveToLocalPort({ ...(siteUrl && { siteUrl }) }, 6173).siteUrl;

  it.each([undefined, 'http://localhost:5173', 'https://127.0.0.1:5173/app', 'not a URL'])(
    'is the site instead of %s',
    (configured) => expect(move(configured)).toBe('http://localhost:6173'),
  );

  it.each(['https://app.example.com', 'https://localhost.example.com', 'app://home'])(
    'keeps the site %s',
    (configured) => expect(move(configured)).toBe(configured),
  );

  it('replaces the local origins of passkeys, and keeps those of other hosts', () => {
    const webauthnRpOrigins = [
      'http://localhost:5173',
      'https://app.example.com',
      'android:apk-key-hash:abc',
    ];
    const auth = { webauthnRpOrigins, passkeysEnabled: true };
    expect(moveToLocalPort({ auth }, 6173).auth).toEqual({
      webauthnRpOrigins: ['http://localhost:6173', 'https://app.example.com', 'android:apk-key-hash:abc'],
      passkeysEnabled: true,
    });
  });

  it('keeps the default origin of passkeys, which is that of the site, and the other options', () => {
    const options = { auth: { passkeysEnabled: true }, redirectUrls: ['http://localhost:5173/**'] };
    expect(moveToLocalPort(options, 6173)).toEqual({ ...options, siteUrl: 'http://localhost:6173' });
  });
});
