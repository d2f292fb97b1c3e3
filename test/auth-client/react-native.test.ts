import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type AuthStore,
  AuthError,
  createAuthClient,
  createMemoryStore,
} from '../../src/auth-client/index.ts';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { decodeJwtClaims } from '../../src/platform/jwt.ts';
import { sessionReply } from '../support/wire/replies.ts';
import { createScriptedWire } from '../support/wire/scripted-wire.ts';

/**
 * What React Native lacks: a document, `DOMException`, `TextDecoder`, locks, channels, `crypto.subtle`, and most of `AbortSignal`. An
 * application that Metro bundles is tested in `test/consumers/runtimes/react-native.runtime.ts`.
 */
const { crypto } = globalThis;
const lacking = [
  [AbortSignal, 'any'],
  [AbortSignal.prototype, 'throwIfAborted'],
] as const;
const descriptors = lacking.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name));
beforeEach(() => {
  vi.stubGlobal('document', undefined);
  vi.stubGlobal('navigator', { product: 'ReactNative' });
  vi.stubGlobal('BroadcastChannel', undefined);
  vi.stubGlobal('DOMException', undefined);
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  for (const [owner, name] of lacking) Reflect.deleteProperty(owner, name);
});
afterEach(() => {
  vi.unstubAllGlobals();
  lacking.forEach(([owner, name], index) => Object.defineProperty(owner, name, descriptors[index] ?? {}));
});

/** AsyncStorage: every method is asynchronous. */
function createAsyncStore(): AuthStore {
  const memory = createMemoryStore();
  return {
    get: async (key) => memory.get(key),
    set: async (key, value) => memory.set(key, value),
    remove: async (key) => memory.remove(key),
  };
}

function open(store: AuthStore) {
  const server = createScriptedWire('/auth/v1');
  const platform = createPlatform({ fetch: server.fetch });
  return { server, client: createAuthClient({ url: 'http://project.test', apiKey: 'k', platform, store }) };
}

it('signs in, restores, begins a PKCE flow and ends a call at its deadline', async () => {
  const store = createAsyncStore();
  const { server, client } = open(store);
  await client.start();
  server.next(Response.json(sessionReply('ada', 1, { expires_at: Math.floor(Date.now() / 1000) + 3600 })));
  await client.signInWithPassword({ email: 'ada@example.com', password: 'x' });
  client.close();
  const later = open(store);
  expect(await later.client.start()).toMatchObject({ status: 'signed-in', user: { id: 'ada' } });
  const { url } = await later.client.signInWithOAuth({ provider: 'github', redirectTo: 'app://callback' });
  expect(new URL(url).searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
  later.server.next(() => new Promise<Response>(() => {}));
  await expect(later.client.getUser({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' });
  // The response means that the session had ended already.
  later.server.next(new Response(null, { status: 404 }));
  await later.client.signOut();
  expect(later.client.getSnapshot().status).toBe('signed-out');
  later.client.close();
});

const claims = { aud: 'authenticated', sub: 'ada', name: 'Grüße 😀' };
const accessToken = [{ alg: 'ES256' }, claims, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

it('asks the server to verify a token', async () => {
  const { server, client } = open(createAsyncStore());
  server.next(Response.json({ id: 'ada' }));
  expect(await createClaims(client).getClaims({ accessToken })).toEqual(claims);
  expect(server.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/auth/v1/user']);
});

it('reads claims of any script without TextDecoder', () => {
  // Node's own fetch needs TextDecoder, so it is missing for this call alone.
  vi.stubGlobal('TextDecoder', undefined);
  expect(decodeJwtClaims(accessToken)).toEqual(claims);
});

it('names the function that is missing for random bytes', async () => {
  vi.stubGlobal('crypto', undefined);
  const { client } = open(createAsyncStore());
  const refusal = await client.signInWithOAuth({ provider: 'github' }).catch((problem: unknown) => problem);
  expect(refusal).toBeInstanceOf(AuthError);
  expect(refusal).toMatchObject({ code: 'unsupported-runtime' });
});
