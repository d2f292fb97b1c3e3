import { createClient } from '@supabase/supabase-js';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import { createRecoveryCodes } from '../../src/auth-client/features/recovery-codes.ts';
import { createWebAuthnFactors } from '../../src/auth-client/features/webauthn-factors.ts';
import { type AuthClient, createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createClient as createCompatClient } from '../../src/compat/index.ts';
import { createPlatform } from '../../src/platform/index.ts';
import { createUser, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { createAuthenticator } from '../support/second-factor.ts';
import { createSoftwareAuthenticator } from '../support/software-authenticator.ts';
import { createSoftwareWebAuthn } from '../support/software-web-authn.ts';

const supabase = useLocalSupabase();
let people = 0;

async function signIn(email: string): Promise<AuthClient> {
  const auth = createAuthClient({
    url: supabase().url,
    apiKey: supabase().publishableKey,
    platform: createPlatform({ fetch: supabase().fetch }),
    store: createMemoryStore(),
    autoRefresh: false,
  });
  await auth.start();
  await auth.signInWithPassword({ email, password: seedPassword });
  return auth;
}

async function createPerson(): Promise<{ email: string; auth: AuthClient }> {
  people += 1;
  const { email } = await createUser(supabase(), `factors-${people}@example.com`);
  return { email, auth: await signIn(email) };
}

const enrollApp = (auth: AuthClient) => createAuthenticator(createMfa(auth), supabase().clock.now);

const levelOf = async (auth: AuthClient) =>
  (await createMfa(auth).getAuthenticatorAssuranceLevel()).currentLevel;

describe('recovery codes of the service', () => {
  it('raise a session once each, as the person types them', async () => {
    const { email, auth } = await createPerson();
    await enrollApp(auth);
    const { codes, friendlyName } = await createRecoveryCodes(auth).generate({ friendlyName: 'On paper' });
    expect([codes.length, new Set(codes).size, friendlyName]).toEqual([10, 10, 'On paper']);
    const low = await signIn(email);
    expect(await levelOf(low)).toBe('aal1');
    const recovery = createRecoveryCodes(low);
    const typed = ` ${codes[0]?.slice(0, 4).toUpperCase()}-${codes[0]?.slice(4)} `;
    await recovery.verify({ code: typed });
    expect(await levelOf(low)).toBe('aal2');
    expect(await recovery.getStatus()).toMatchObject({ total: 10, remaining: 9 });
    expect((await createMfa(low).listFactors()).recoveryCodes).toHaveLength(1);
    await expect(recovery.verify({ code: codes[0] ?? '' })).rejects.toMatchObject({
      code: 'mfa_verification_failed',
    });
  });

  it('are those of the vendor’s client', async () => {
    const { email, auth } = await createPerson();
    await enrollApp(auth);
    const { codes } = await createRecoveryCodes(auth).generate();
    const vendor = createClient(supabase().url, supabase().anonKey, {
      global: { fetch: supabase().fetch },
      realtime: { transport: WebSocket as never },
      auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
    });
    await vendor.auth.signInWithPassword({ email, password: seedPassword });
    const { mfa } = vendor.auth;
    expect((await mfa.recoveryCodes.verify({ code: codes[3] ?? '' })).error).toBeNull();
    expect((await mfa.recoveryCodes.getStatus()).data).toMatchObject({ type: 'recovery_code', remaining: 9 });
    expect((await mfa.recoveryCodes.regenerate()).data?.codes).toHaveLength(10);
    expect((await mfa.recoveryCodes.unenroll()).error).toBeNull();
  });
});

describe('security keys as second factors', () => {
  const createKeys = (auth: AuthClient) => {
    const authenticator = createSoftwareAuthenticator('http://localhost:5173');
    const webAuthn = createSoftwareWebAuthn(authenticator);
    return { webAuthn, keys: createWebAuthnFactors(auth, { webAuthn }) };
  };

  it('are registered and proved in one call each', async () => {
    const { email, auth } = await createPerson();
    const { keys, webAuthn } = createKeys(auth);
    expect(keys.isSupported()).toBe(true);
    await keys.register({ friendlyName: 'Key' });
    expect(await levelOf(auth)).toBe('aal2');
    const low = await signIn(email);
    const [factor] = (await createMfa(low).listFactors()).webauthn;
    expect(await levelOf(low)).toBe('aal1');
    await createWebAuthnFactors(low, { webAuthn }).authenticate({ factorId: factor?.id ?? '' });
    expect(await levelOf(low)).toBe('aal2');
  });

  it('are registered and proved step by step by the vendor’s names', async () => {
    const { email } = await createPerson();
    const { publicKeyCredential, credentials } = createKeys(await signIn(email)).webAuthn;
    vi.stubGlobal('PublicKeyCredential', publicKeyCredential);
    vi.stubGlobal('navigator', { credentials });
    const { auth } = createCompatClient(supabase().url, supabase().publishableKey, {
      global: { fetch: supabase().fetch },
      auth: { persistSession: false, autoRefreshToken: false },
    });
    await auth.signInWithPassword({ email, password: seedPassword });
    const { webauthn } = auth.mfa;
    const { data: enrolled } = await webauthn.enroll({ friendlyName: 'Key' });
    for (const type of ['create', 'request']) {
      const { data: challenge } = await webauthn.challenge({ factorId: enrolled?.id ?? '' });
      expect(challenge?.webauthn.type).toBe(type);
      const { data: session } = challenge ? await webauthn.verify(challenge) : { data: null };
      expect(session?.user.email).toBe(email);
    }
    const { data: level } = await auth.mfa.getAuthenticatorAssuranceLevel();
    expect(level?.currentLevel).toBe('aal2');
    vi.unstubAllGlobals();
    expect((await webauthn.challenge({ factorId: enrolled?.id ?? '' })).error?.message).toBe(
      'Web Authentication is missing here',
    );
  });

  it('leave no factor behind when the person cancels', async () => {
    const { auth } = await createPerson();
    const { webAuthn } = createKeys(auth);
    const canceling = {
      ...webAuthn,
      credentials: {
        ...webAuthn.credentials,
        create: async () => Promise.reject(new DOMException('Canceled', 'NotAllowedError')),
      },
    };
    const keys = createWebAuthnFactors(auth, { webAuthn: canceling });
    await expect(keys.register({ friendlyName: 'Key' })).rejects.toMatchObject({ code: 'passkey-canceled' });
    expect((await createMfa(auth).listFactors()).all).toEqual([]);
    expect(createWebAuthnFactors(auth).isSupported()).toBe(false);
    await expect(createWebAuthnFactors(auth).register({ friendlyName: 'Key' })).rejects.toMatchObject({
      code: 'unsupported-runtime',
    });
  });
});
