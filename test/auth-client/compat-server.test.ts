import { expect, test, vi } from 'vitest';
import { createClient } from '../../src/compat/index.ts';

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
