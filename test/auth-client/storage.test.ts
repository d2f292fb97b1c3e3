import 'fake-indexeddb/auto';
import { describe, expect, it, vi } from 'vitest';
import {
  type AuthStore,
  createCookieStore,
  createIndexedDbStore,
  createMemoryStore,
  createWebStorageStore,
} from '../../src/auth-client/index.ts';
import { createCookieJar } from './support/cookie-jar.ts';
import { createHarness } from './support/harness.ts';
import { sessionReply, tokenOf, userOf } from '../support/wire/replies.ts';

const KEY = 'sb-project-auth-token';
const ADA = { email: 'ada@example.com', password: 'correct horse' };

function webStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

let databases = 0;
const stores: readonly (readonly [string, () => AuthStore])[] = [
  ['memory', createMemoryStore],
  [
    'web storage',
    () => {
      const storage = webStorage();
      return createWebStorageStore(() => storage);
    },
  ],
  ['cookies', () => createCookieStore({ jar: createCookieJar(), secure: false })],
  ['IndexedDB', () => createIndexedDbStore(() => indexedDB, `auth-${(databases += 1)}`)],
];

describe.each(stores)('%s', (_name, create) => {
  it('returns the last value, and null after a removal', async () => {
    const store = create();
    expect(await store.get('k')).toBeNull();
    await store.set('k', '"one"');
    await store.set('k', '"two"');
    await store.set('other', '"three"');
    expect(await store.get('k')).toBe('"two"');
    await store.remove('k');
    expect(await store.get('k')).toBeNull();
    expect(await store.get('other')).toBe('"three"');
  });

  it('restores a session after a reload', async () => {
    const harness = createHarness(create());
    const first = await harness.signedIn();
    first.client.close();
    const { client, events } = harness.open();
    expect(client.getSnapshot().status).toBe('loading');
    await client.start();
    await harness.world.settle();
    expect(client.getSnapshot()).toMatchObject({
      status: 'signed-in',
      user: { id: 'ada' },
      storageProblem: null,
    });
    expect(events).toEqual(['INITIAL_SESSION']);
  });
});

const broken: readonly (readonly [string, () => AuthStore])[] = [
  [
    'blocked at the mere access',
    () =>
      createWebStorageStore(() => {
        throw new DOMException('Denied', 'SecurityError');
      }),
  ],
  [
    'full',
    () =>
      createWebStorageStore(() => ({
        ...webStorage(),
        setItem: () => {
          throw new DOMException('Full', 'QuotaExceededError');
        },
      })),
  ],
  [
    'silent about cookies that it refuses',
    () => createCookieStore({ jar: createCookieJar('', { limit: 0 }), secure: false }),
  ],
  [
    'never settling',
    () => ({
      get: () => new Promise(() => {}),
      set: () => new Promise(() => {}),
      remove: () => new Promise(() => {}),
    }),
  ],
];

describe.each(broken)('storage that is %s', (_name, create) => {
  it('falls back to memory and reports it: sign-in, refresh and sign-out work', async () => {
    const { open, server, world } = createHarness(create());
    const { client, tab } = open();
    const run = async <T>(call: Promise<T>): Promise<T> => {
      await world.clock.advance(60_000);
      return call;
    };
    await run(client.start());
    server.next(Response.json(sessionReply('ada', 1)));
    await run(client.signInWithPassword(ADA));
    expect(client.getSnapshot()).toMatchObject({
      status: 'signed-in',
      storageProblem: { code: 'storage-unavailable', cause: expect.anything() },
    });
    server.next(Response.json(sessionReply('ada', 2)), Response.json(userOf('ada', { role: 'b' })));
    await run(client.refreshSession());
    await run(client.updateUser({ data: {} }));
    expect(await run(client.getAccessToken())).toBe(sessionReply('ada', 2).access_token);
    expect(client.getSnapshot().user?.role).toBe('b');
    expect(tab.reported).toHaveLength(1);
    server.next(new Response(null, { status: 204 }));
    await run(client.signOut());
    expect(await run(client.getAccessToken())).toBeNull();
  });
});

describe('a stored value', () => {
  it.each(['', 'null', '{', '{"access_token":"a"}', '[]', '"text"'])('%j is not a session', async (text) => {
    const { store, open } = createHarness();
    await store.set(KEY, text);
    const { client } = open();
    await client.start();
    expect(client.getSnapshot().status).toBe('signed-out');
  });

  it('leaves the memory fallback when another program writes the key', async () => {
    let isFull = true;
    const inner = createMemoryStore();
    const { open, server, store } = createHarness({
      ...inner,
      set(key, value) {
        if (isFull) throw new DOMException('Full', 'QuotaExceededError');
        return inner.set(key, value);
      },
    });
    const { client, tab } = open();
    await client.start();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.signInWithPassword(ADA);
    isFull = false;
    await store.set(KEY, JSON.stringify(sessionReply('bob', 1)));
    tab.setVisible(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.getSnapshot().user?.id).toBe('bob');
  });

  it('an invalid stored verifier does not prevent a new flow', async () => {
    const { store, open, server } = createHarness();
    await store.set(`${KEY}-flows-code-verifier`, '{"not":"a list"}');
    await store.set(`${KEY}-code-verifier`, '{');
    const { client } = open();
    server.next(Response.json({}), Response.json(sessionReply('ada', 1)));
    await client.signInWithOtp({ email: ADA.email });
    expect((await client.exchangeCodeForSession({ code: 'c' })).user.id).toBe('ada');
  });
});

describe('a record without its user', () => {
  it("is a session of the token's user", async () => {
    const store = createMemoryStore();
    const { user: _elsewhere, ...record } = sessionReply('ada', 1, {
      access_token: tokenOf('ada', 1, { email: 'ada@example.com', user_metadata: { name: 'Ada' } }),
    });
    store.set(KEY, JSON.stringify(record));
    const { client } = createHarness(store).open();
    const { status, user } = await client.start();
    expect(status).toBe('signed-in');
    expect(user).toMatchObject({ id: 'ada', email: 'ada@example.com', user_metadata: { name: 'Ada' } });
    expect(store.get(KEY)).toBe(JSON.stringify(record));
    client.close();
  });
});

describe('a connection of IndexedDB that the browser has ended without an event', () => {
  /** A store whose connections a test can end, as iOS does with a suspended page. */
  function openEnded() {
    const connections: IDBDatabase[] = [];
    const factory = {
      open(name: string, version: number) {
        const request = indexedDB.open(name, version);
        request.addEventListener('success', () => connections.push(request.result));
        return request;
      },
    } as IDBFactory;
    const store = createIndexedDbStore(() => factory, `auth-${(databases += 1)}`);
    const end = () => connections.at(-1)?.close();
    return { store, connections, end };
  }

  it('is opened again by the next operation: a write, a read or a removal', async () => {
    const { store, connections, end } = openEnded();
    await store.set('k', '1');
    end();
    await store.set('k', '2');
    end();
    expect(await store.get('k')).toBe('2');
    end();
    await store.remove('k');
    expect(await store.get('k')).toBeNull();
    expect(connections).toHaveLength(4);
  });

  it('is opened again once for operations that run together', async () => {
    const { store, connections, end } = openEnded();
    await store.set('k', '1');
    end();
    await Promise.all([store.set('a', '1'), store.get('k'), store.set('b', '2')]);
    expect([await store.get('a'), await store.get('b')]).toEqual(['1', '2']);
    expect(connections).toHaveLength(2);
  });

  it('keeps the renewed tokens of a sign-in', async () => {
    const { store, end } = openEnded();
    const { signedIn, server, stored, world } = createHarness(store);
    const { client } = await signedIn();
    end();
    server.next(Response.json(sessionReply('ada', 2)));
    await client.refreshSession();
    await world.settle();
    expect(await stored()).toMatchObject({ refresh_token: 'refresh-ada-2' });
    expect(client.getSnapshot().storageProblem).toBeNull();
  });

  it('is kept where the quota is exceeded, and the write is not repeated', async () => {
    const { store, connections } = openEnded();
    await store.set('k', '1');
    const exceeded = new DOMException('Full', 'QuotaExceededError');
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore) {
      const request = this.get('k');
      Object.defineProperty(this.transaction, 'error', { value: exceeded });
      this.transaction.abort();
      return request;
    });
    await expect(store.set('k', '2')).rejects.toBe(exceeded);
    expect(put).toHaveBeenCalledTimes(1);
    put.mockRestore();
    expect(await store.get('k')).toBe('1');
    expect(connections).toHaveLength(1);
  });

  it('fails where it cannot be opened again, and works when it can', async () => {
    const { store, connections, end } = openEnded();
    await store.set('k', '1');
    end();
    const open = vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
      throw new DOMException('Denied', 'SecurityError');
    });
    await expect(store.get('k')).rejects.toMatchObject({ name: 'SecurityError' });
    open.mockRestore();
    expect(await store.get('k')).toBe('1');
    expect(connections).toHaveLength(2);
  });
});
