import { expect, test, vi } from 'vitest';
import { createClient } from '../../src/compat/index.ts';

class PendingSocket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  bufferedAmount = 0;
  readyState = 0;
  static last: PendingSocket | undefined;
  readonly url: string;
  constructor(url: string) {
    this.url = url;
    PendingSocket.last = this;
  }
  readonly sent: string[] = [];
  send(frame: string) {
    this.sent.push(frame);
  }
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
  await expect(realtime.channel('room').httpSend('cursor', undefined)).rejects.toThrow('Payload is required');
  expect(sent).toEqual([]);
  realtime.teardown();
});

test('the socket is opened without a channel, and closed until it is opened again with its channels', async () => {
  const clock = vi.useFakeTimers();
  try {
    const { realtime } = createClient('https://project.test', 'anon-key', {
      realtime: { transport: PendingSocket, vsn: '1.0.0' },
    });
    const joins = () => PendingSocket.last?.sent.filter((frame) => frame.includes('phx_join')) ?? [];
    realtime.connect();
    expect(realtime.connectionState()).toBe('connecting');
    PendingSocket.last?.onopen?.();
    await clock.advanceTimersByTimeAsync(5_000);
    expect(realtime.isConnected()).toBe(true);
    realtime.channel('room').subscribe();
    await clock.advanceTimersByTimeAsync(0);
    expect(joins()).toHaveLength(1);
    await realtime.disconnect();
    expect(realtime.connectionState()).toBe('closed');
    realtime.connect();
    PendingSocket.last?.onopen?.();
    await clock.advanceTimersByTimeAsync(0);
    expect([realtime.isConnected(), joins().length]).toEqual([true, 1]);
    await realtime.removeAllChannels();
    expect([realtime.isConnected(), realtime.getChannels()]).toEqual([false, []]);
    realtime.teardown();
  } finally {
    vi.useRealTimers();
  }
});

test('a channel shows how it joins, with the vendor’s defaults', () => {
  const { realtime } = createClient('https://project.test', 'anon-key');
  expect(realtime.channel('room', { config: { private: true } }).params).toEqual({
    config: { broadcast: { ack: false, self: false }, presence: { key: '', enabled: false }, private: true },
  });
  expect(realtime.endpointURL()).toBe('wss://project.test/realtime/v1/websocket?apikey=anon-key&vsn=2.0.0');
});

test('a broadcast by HTTP that its fetch ended has timed out', async () => {
  const fetch = () => Promise.reject(Object.assign(new Error('Aborted'), { name: 'AbortError' }));
  const { realtime } = createClient('https://project.test', 'anon-key', { global: { fetch } });
  const sent = await realtime.channel('room').send({ type: 'broadcast', event: 'cursor', payload: {} });
  expect(sent).toBe('timed out');
  await expect(realtime.channel('room').httpSend('cursor', {})).rejects.toThrow('Aborted');
});
