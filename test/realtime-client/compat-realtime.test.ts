import { expect, test, vi } from 'vitest';
import { createClient, postgresChangesFilter, type RealtimeChannel } from '../../src/compat/index.ts';
import type { Untyped } from '../../src/compat/untyped.ts';

class PendingSocket {
  onopen: (() => void) | null = null;
  onclose: ((event: object) => void) | null = null;
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

test('a filter of changes quotes reserved characters and combines conditions', () => {
  const filter = postgresChangesFilter()
    .eq('owner', 'Smith, "J"')
    .in('state', ['a', 'b,c', 'a'])
    .gt('rank', 3);
  expect(filter.not('deleted_at', 'is', null).toString()).toBe(
    String.raw`owner=eq."Smith, \"J\"",state=in.(a,"b,c"),rank=gt.3,deleted_at=not.is.null`,
  );
  expect(() => postgresChangesFilter().in('state', [])).toThrow('at least one value');
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

/** A socket whose server accepts every join and leave. */
class AcceptingSocket extends PendingSocket {
  static frames: (readonly [joinRef: string, ref: string, topic: string, event: string, payload: Untyped])[] =
    [];
  constructor(url: string) {
    super(url);
    queueMicrotask(() => this.onopen?.());
  }
  override send(frame: string) {
    const sent = JSON.parse(frame) as (typeof AcceptingSocket.frames)[number];
    AcceptingSocket.frames.push(sent);
    const [joinRef, ref, topic] = sent;
    const reply = [joinRef, ref, topic, 'phx_reply', { status: 'ok', response: {} }];
    if (ref !== null) queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(reply) }));
  }
}

const tokenOf = (sub: string) =>
  `${btoa('{"alg":"HS256"}')}.${btoa(JSON.stringify({ sub, exp: 4e9 }))}.c2ln`.replaceAll('=', '');

/** A client that ada has signed in to, with a subscribed channel and the statuses that it reports. */
async function subscribeAda(listen: (channel: RealtimeChannel) => void = () => undefined) {
  AcceptingSocket.frames = [];
  const user = { id: 'ada', aud: 'authenticated', app_metadata: {}, user_metadata: {}, created_at: '' };
  const session = {
    access_token: tokenOf('ada'),
    refresh_token: 'r',
    expires_at: 4e9,
    expires_in: 3e9,
    user,
  };
  const values = new Map([['sb-project-auth-token', JSON.stringify({ ...session, token_type: 'bearer' })]]);
  const client = createClient('https://project.test', 'anon-key', {
    realtime: { transport: AcceptingSocket },
    global: { fetch: async () => new Response(null, { status: 204 }) },
    auth: {
      storage: {
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => void values.set(key, value),
        removeItem: (key) => void values.delete(key),
      },
    },
  });
  const statuses: string[] = [];
  const channel = client.channel('room');
  listen(channel);
  channel.subscribe((status) => void statuses.push(status));
  await vi.waitFor(() => expect(statuses).toEqual(['SUBSCRIBED']), 60_000);
  const tokens = () =>
    AcceptingSocket.frames.flatMap(([, , , event, payload]) =>
      event === 'phx_join' || event === 'access_token' ? [payload.access_token] : [],
    );
  return { client, channel, statuses, tokens };
}

test('the first entry of presence joins the channel with presence, and reports no error', async () => {
  const { client, channel, statuses } = await subscribeAda();
  expect(await channel.track({ typing: true })).toBe('ok');
  const tracked = () => AcceptingSocket.frames.filter(([, , , event]) => event === 'presence');
  await vi.waitFor(() => expect(tracked()).toHaveLength(1), 60_000);
  expect(tracked()[0]?.[4]).toMatchObject({ event: 'track', payload: { typing: true } });
  expect(statuses).toEqual(['SUBSCRIBED']);
  client.realtime.teardown();
});

test('a channel stays subscribed after sign-out, without the user’s token', async () => {
  const { client, channel, statuses, tokens } = await subscribeAda();
  expect(tokens()).toEqual([tokenOf('ada')]);
  await client.auth.signOut({ scope: 'local' });
  await vi.waitFor(() => expect(tokens()).toEqual([tokenOf('ada'), undefined]), 60_000);
  await vi.waitFor(() => expect(channel.state).toBe('joined'), 60_000);
  expect(statuses).toEqual(['SUBSCRIBED']);
  client.realtime.teardown();
});

test('setAuth() returns to the token of the session', async () => {
  const { client, statuses, tokens } = await subscribeAda();
  await client.realtime.setAuth(tokenOf('service'));
  await vi.waitFor(() => expect(tokens()).toEqual([tokenOf('ada'), tokenOf('service')]), 60_000);
  await client.realtime.setAuth();
  await vi.waitFor(() => expect(tokens().at(-1)).toBe(tokenOf('ada')), 60_000);
  expect(statuses).toEqual(['SUBSCRIBED']);
  client.realtime.teardown();
});

test('a token that is set later supersedes one that waits for its callback', async () => {
  AcceptingSocket.frames = [];
  const lookups: ((token: string) => void)[] = [];
  const { realtime } = createClient('https://project.test', 'anon-key', {
    realtime: { transport: AcceptingSocket },
    accessToken: () => new Promise((resolve) => lookups.push(resolve)),
  });
  const tokens = () =>
    AcceptingSocket.frames.flatMap(([, , , event, payload]) =>
      event === 'phx_join' || event === 'access_token' ? [payload.access_token] : [],
    );
  const channel = realtime.channel('room');
  channel.subscribe();
  await vi.waitFor(() => expect(lookups).toHaveLength(1), 60_000);
  const waiting = realtime.setAuth();
  await realtime.setAuth(tokenOf('later'));
  for (const resolve of lookups) resolve(tokenOf('earlier'));
  await waiting;
  await vi.waitFor(() => expect(channel.state).toBe('joined'), 60_000);
  expect(tokens().at(-1)).toBe(tokenOf('later'));
  expect(tokens()).not.toContain(tokenOf('earlier'));
  realtime.teardown();
});

test('a listener that throws silences no other', async () => {
  const received: string[] = [];
  const { client } = await subscribeAda((channel) =>
    channel
      .on('broadcast', { event: 'a' }, () => {
        throw new Error('of a program');
      })
      .on('broadcast', { event: 'a' }, ({ event }) => void received.push(event)),
  );
  const [joinRef] = AcceptingSocket.frames.find(([, , , event]) => event === 'phx_join') ?? [];
  const frame = [joinRef, null, 'realtime:room', 'broadcast', { type: 'broadcast', event: 'a', payload: {} }];
  PendingSocket.last?.onmessage?.({ data: JSON.stringify(frame) });
  await vi.waitFor(() => expect(received).toEqual(['a']), 60_000);
  client.realtime.teardown();
});

test('reports each heartbeat that is sent, acknowledged or missed, and a lost socket', async () => {
  const clock = vi.useFakeTimers();
  try {
    const statuses: string[] = [];
    const { realtime } = createClient('https://project.test', 'anon-key', {
      realtime: {
        transport: PendingSocket,
        heartbeatIntervalMs: 1_000,
        timeout: 500,
        reconnectAfterMs: () => 100,
        heartbeatCallback: (status, latency) =>
          statuses.push(latency === undefined ? status : `${status} ${latency}`),
      },
    });
    realtime.connect();
    PendingSocket.last?.onopen?.();
    await clock.advanceTimersByTimeAsync(1_000);
    const [, ref] = JSON.parse(PendingSocket.last?.sent.at(-1) ?? '[]') as string[];
    const reply = [null, ref, 'phoenix', 'phx_reply', { status: 'ok', response: {} }];
    PendingSocket.last?.onmessage?.({ data: JSON.stringify(reply) });
    await clock.advanceTimersByTimeAsync(1_500);
    expect(statuses).toEqual(['sent', 'ok 0', 'sent', 'timeout']);
    await clock.advanceTimersByTimeAsync(200);
    PendingSocket.last?.onopen?.();
    PendingSocket.last?.onclose?.({});
    expect(statuses.at(-1)).toBe('disconnected');
    realtime.teardown();
  } finally {
    vi.useRealTimers();
  }
});

test('the log level of the server is a parameter of the address', () => {
  for (const level of [{ logLevel: 'warn' }, { log_level: 'warn' }]) {
    const { realtime } = createClient('https://project.test', 'anon-key', { realtime: level });
    expect(new URL(realtime.endpointURL()).searchParams.get('log_level')).toBe('warn');
  }
});

test('an ArrayBuffer is sent and received as bytes', async () => {
  const bodies: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    bodies.push(init?.body);
    return new Response(null, { status: 202 });
  };
  const client = createClient('https://project.test', 'anon-key', { global: { fetch } });
  await client.channel('room').httpSend('photo', Uint8Array.of(1, 2).buffer);
  await client.channel('room').httpSend('photo', new DataView(Uint8Array.of(0, 1, 2).buffer, 1));
  expect(bodies).toEqual([Uint8Array.of(1, 2), Uint8Array.of(1, 2)]);

  const received: unknown[] = [];
  const { client: joined } = await subscribeAda((channel) =>
    channel.on('broadcast', { event: 'photo' }, ({ payload }) => void received.push(payload)),
  );
  const text = new TextEncoder().encode('realtime:roomphoto');
  const frame = Uint8Array.of(4, 13, 5, 0, 0, ...text, 7, 8).buffer;
  PendingSocket.last?.onmessage?.({ data: frame as unknown as string });
  await vi.waitFor(() => expect(received).toEqual([Uint8Array.of(7, 8).buffer]), 60_000);
  joined.realtime.teardown();
});

test('the token of the latest join can be read', async () => {
  const { client } = await subscribeAda();
  expect(client.realtime.accessTokenValue).toBe(tokenOf('ada'));
  await client.realtime.setAuth(tokenOf('service'));
  expect(client.realtime.accessTokenValue).toBe(tokenOf('service'));
  client.realtime.teardown();
});

test('with `worker` a hidden page’s heartbeats are timed by a worker', async () => {
  const clock = vi.useFakeTimers();
  const started: string[] = [];
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'hidden' }));
  vi.stubGlobal(
    'Worker',
    class {
      constructor(url: string) {
        started.push(url);
      }
      postMessage() {}
      addEventListener() {}
      terminate() {}
    },
  );
  try {
    for (const worker of [false, true])
      createClient('https://project.test', 'anon-key', {
        auth: { persistSession: false, detectSessionInUrl: false },
        realtime: { transport: PendingSocket, worker },
      });
    await clock.advanceTimersByTimeAsync(60_000);
    expect(started).toEqual([expect.stringMatching(/^blob:/)]);
  } finally {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }
});

test('each heartbeat reads the token of another provider, and sends a new one to the channels', async () => {
  const clock = vi.useFakeTimers();
  try {
    AcceptingSocket.frames = [];
    const renewed = tokenOf('ada').replace('c2ln', 'c2lo');
    let token = tokenOf('ada');
    const { realtime } = createClient('https://project.test', 'anon-key', {
      realtime: { transport: AcceptingSocket, heartbeatIntervalMs: 1_000 },
      accessToken: async () => token,
    });
    const channel = realtime.channel('room').subscribe();
    await clock.advanceTimersByTimeAsync(100);
    expect(channel.state).toBe('joined');
    token = renewed;
    await clock.advanceTimersByTimeAsync(1_000);
    const sent = AcceptingSocket.frames.flatMap(([, , , event, payload]) =>
      event === 'access_token' ? [payload.access_token] : [],
    );
    expect(sent).toEqual([renewed]);
    expect(realtime.accessTokenValue).toBe(renewed);
    realtime.teardown();
  } finally {
    vi.useRealTimers();
  }
});

test('system messages of the server reach the channel’s listeners unchanged', async () => {
  const messages = [
    { extension: 'system', status: 'ok', message: 'Replication connection established', channel: 'room' },
    { extension: 'system', status: 'error', message: 'Token has expired 0 seconds ago', channel: 'room' },
  ];
  class SystemMessageSocket extends AcceptingSocket {
    override send(frame: string) {
      super.send(frame);
      const [joinRef, , topic, event] = JSON.parse(frame) as (typeof AcceptingSocket.frames)[number];
      if (event !== 'phx_join') return;
      for (const payload of messages)
        queueMicrotask(() =>
          this.onmessage?.({ data: JSON.stringify([joinRef, null, topic, 'system', payload]) }),
        );
    }
  }
  const { realtime } = createClient('https://project.test', 'anon-key', {
    realtime: { transport: SystemMessageSocket },
  });
  const arrived: unknown[] = [];
  realtime
    .channel('room')
    .on('system', {}, (payload) => void arrived.push(payload))
    .subscribe();
  // The error joins the channel again, so that more follows.
  await vi.waitFor(() => expect(arrived.slice(0, messages.length)).toEqual(messages), 60_000);
  realtime.teardown();
});
