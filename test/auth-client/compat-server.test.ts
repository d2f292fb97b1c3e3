import { expect, test, vi } from 'vitest';
import { createClient } from '../../src/compat/index.ts';
import { sessionReply } from '../support/wire/replies.ts';

test('a server client with a memory store opens no channel', async () => {
  const opened = vi.fn<(name: string) => void>();
  class Channel extends EventTarget {
    constructor(name: string) {
      super();
      opened(name);
    }
    postMessage() {}
    close() {}
  }
  vi.stubGlobal('BroadcastChannel', Channel);
  try {
    const { auth } = createClient('https://project.test', 'anon-key', { auth: { persistSession: false } });
    expect((await auth.getSession()).data.session).toBeNull();
    expect(opened).not.toHaveBeenCalled();
    await auth.dispose();
  } finally {
    vi.unstubAllGlobals();
  }
});

test('two clients of a process have separate sessions, although Deno and Node have a localStorage', async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  try {
    const connect = () =>
      createClient('https://project.test', 'anon-key', {
        global: { fetch: async () => Response.json(sessionReply('ada', 1)) },
      });
    const [ada, stranger] = [connect(), connect()];
    await ada.auth.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    expect((await stranger.auth.getSession()).data.session).toBeNull();
    expect((await connect().auth.getSession()).data.session).toBeNull();
    expect(kept.size).toBe(0);
    await ada.auth.dispose();
  } finally {
    vi.unstubAllGlobals();
  }
});

test('a signed-in client lets its process end', async () => {
  const set = vi.spyOn(globalThis, 'setTimeout');
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  const { auth } = createClient('https://project.test', 'anon-key', {
    global: { fetch: async () => Response.json(sessionReply('ada', 1)) },
  });
  await auth.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
  const cleared = new Set<unknown>(clear.mock.calls.map(([timeout]) => timeout));
  const timeouts = set.mock.results.map(({ value }) => value as NodeJS.Timeout);
  vi.restoreAllMocks();
  expect(timeouts.filter((timeout) => !cleared.has(timeout)).map((timeout) => timeout.hasRef())).toEqual([
    false,
  ]);
  await auth.dispose();
});
