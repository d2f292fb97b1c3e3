import { expect, test } from 'vitest';
import { createClient } from '../../src/compat/index.ts';

class PendingSocket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  readyState = 0;
  static last: PendingSocket | undefined;
  readonly url: string;
  constructor(url: string) {
    this.url = url;
    PendingSocket.last = this;
  }
  send() {}
  close() {}
}

test('the state of the connection has the vendor’s names', () => {
  const { realtime } = createClient('https://project.test', 'anon-key', {
    realtime: { transport: PendingSocket },
  });
  const states = () => [realtime.connectionState(), realtime.isConnecting(), realtime.isConnected()];
  expect(states()).toEqual(['closed', false, false]);
  realtime.channel('room').subscribe();
  expect(states()).toEqual(['connecting', true, false]);
  PendingSocket.last?.onopen?.();
  expect(states()).toEqual(['open', false, true]);
  realtime.teardown();
  expect([...states(), realtime.isDisconnecting()]).toEqual(['closed', false, false, false]);
});

test('a broadcast by HTTP without a payload is refused before the request', async () => {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(input);
    return new Response(null, { status: 202 });
  };
  const { realtime } = createClient('https://project.test', 'anon-key', { global: { fetch } });
  await expect(realtime.channel('room').httpSend('cursor', undefined)).rejects.toThrow('needs a payload');
  expect(sent).toEqual([]);
  realtime.teardown();
});
