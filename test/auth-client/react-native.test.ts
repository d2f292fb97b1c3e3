import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Store, AuthError, createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import { sessionReply } from '../support/wire/replies.ts';
import { createScriptedWire } from '../support/wire/scripted-wire.ts';

/** What React Native lacks: a document, `AbortSignal.any`, `DOMException`, locks, channels, and `crypto.subtle`. */
const { crypto } = globalThis;
const anySignal = Object.getOwnPropertyDescriptor(AbortSignal, 'any');
beforeEach(() => {
  vi.stubGlobal('document', undefined);
  vi.stubGlobal('navigator', { product: 'ReactNative' });
  vi.stubGlobal('BroadcastChannel', undefined);
  vi.stubGlobal('DOMException', undefined);
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  Reflect.deleteProperty(AbortSignal, 'any');
});
afterEach(() => {
  vi.unstubAllGlobals();
  if (anySignal) Object.defineProperty(AbortSignal, 'any', anySignal);
});

/** AsyncStorage: every method is asynchronous. */
function createAsyncStore(): Store {
  const memory = createMemoryStore();
  return {
    get: async (key) => memory.get(key),
    set: async (key, value) => memory.set(key, value),
    remove: async (key) => memory.remove(key),
  };
}

function open(store: Store) {
  const server = createScriptedWire('/auth/v1');
  const platform = createBrowserPlatform({ fetch: server.fetch });
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
  later.client.close();
});

it('names the missing function without random bytes', async () => {
  vi.stubGlobal('crypto', undefined);
  const { client } = open(createAsyncStore());
  const refusal = await client.signInWithOAuth({ provider: 'github' }).catch((problem: unknown) => problem);
  expect(refusal).toBeInstanceOf(AuthError);
  expect(refusal).toMatchObject({ code: 'unsupported-runtime' });
});
