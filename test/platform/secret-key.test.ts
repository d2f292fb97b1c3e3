import { createSender } from 'inbox-sender';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAdminClient } from '../../src/auth-client/admin/admin.ts';

const secretKey = 'sb_secret_0123456789';
const legacy = (role: string) =>
  `e30.${Buffer.from(JSON.stringify({ role })).toString('base64url')}.c2lnbmF0dXJl`;
const creators = [
  ['createAdminClient', createAdminClient],
  ['createSender', createSender],
] as const;

describe.each(creators)('%s', (_, create) => {
  const codeOf = (options: { readonly url?: string; readonly secretKey?: string } = {}) => {
    try {
      create({ url: 'https://ref.supabase.co', secretKey, ...options });
      return 'created';
    } catch (problem) {
      return (problem as { readonly code: string }).code;
    }
  };
  afterEach(() => vi.unstubAllGlobals());

  it('takes the secret key of either form', () => {
    expect([codeOf(), codeOf({ secretKey: legacy('service_role') })]).toEqual(['created', 'created']);
  });

  it.each(['sb_publishable_0123456789', legacy('anon'), ''])(
    'refuses the key %j, which is not secret',
    (key) => {
      expect(codeOf({ secretKey: key })).toBe('invalid-options');
    },
  );

  it.each([
    'http://ref.supabase.co',
    'http://10.0.0.7:8000',
    'http://127.0.0.1.example.com',
    'http://[::2]',
    'http://nas.local',
    'http://db.eu.internal',
    'ftp://localhost',
  ])('refuses %s, to which the key would be sent unencrypted', (url) =>
    expect(codeOf({ url })).toBe('invalid-options'),
  );

  it.each([
    'http://127.0.0.1:54321',
    'http://localhost:54321',
    'http://[::1]:54321',
    'http://kong:8000',
    'http://host.docker.internal:54321',
  ])('takes %s, a host of this machine or of its container network', (url) =>
    expect(codeOf({ url })).toBe('created'),
  );

  it.each([
    ['a page', { document: {} }],
    [
      'a worker of a page',
      { WorkerGlobalScope: Object, navigator: { userAgent: 'Mozilla/5.0 (X11) Chrome/140' } },
    ],
    ['an app of React Native', { navigator: { product: 'ReactNative' } }],
  ])('refuses %s, whose users could read the key', (_runtime, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect(['unsupported-runtime', 'invalid-options']).toContain(codeOf());
  });

  it.each(['Deno/2.5', 'Cloudflare-Workers'])('runs in a worker of %s', (userAgent) => {
    vi.stubGlobal('WorkerGlobalScope', Object);
    vi.stubGlobal('navigator', { userAgent });
    expect(codeOf()).toBe('created');
  });
});
