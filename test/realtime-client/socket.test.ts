import { describe, expect, it } from 'vitest';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

describe('the socket', () => {
  it('is replaced when a heartbeat has no reply for 10 s', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    await scene.world.clock.advance(25_000);
    expect(scene.server.sentEvents().at(-1)).toBe('heartbeat');
    await scene.world.clock.advance(9_999);
    expect(scene.tab.sockets).toHaveLength(1);
    await scene.world.clock.advance(1);
    expect(scene.tab.sockets).toHaveLength(2);
    expect(scene.tab.sockets[0]?.closedWith).toEqual({ code: 1000 });
  });

  it('is opened again by a page that wakes up during an attempt that hangs', async () => {
    const { world, tab, server, openLiveChannel } = createScriptedScene();
    await openLiveChannel();
    tab.setVisible(false);
    server.socket().fail();
    while (tab.sockets.length === 1) await world.clock.advance(1_000);
    await world.clock.advance(5_000);
    expect(tab.sockets.map(({ state }) => state)).toEqual(['closed', 'connecting']);
    tab.setVisible(true);
    tab.signal('pageshow');
    expect(tab.sockets.map(({ state }) => state)).toEqual(['closed', 'closing', 'connecting']);
  });

  it('accepts any frame in place of the reply to a heartbeat', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    await scene.world.clock.advance(30_000);
    scene.server.change({ record: { id: 'a' } });
    await scene.world.clock.advance(20_000);
    expect(scene.tab.sockets).toHaveLength(1);
  });

  const refuseHandshakes = async (status: number) => {
    const world = createFakeWorld();
    const requests: unknown[] = [];
    const platform = world.openTab({
      fetch(url, { headers, body, redirect } = {}) {
        requests.push({ url, headers, body, redirect });
        return Promise.resolve(new Response('{}', { status }));
      },
    });
    const client = createRealtimeClient({ url: 'https://project.test', apiKey: 'old', platform });
    const channel = client.channel('a');
    channel.join();
    for (let attempt = 0; attempt < 6; attempt += 1) {
      platform.sockets.at(-1)?.fail();
      await world.clock.advance(13_000);
    }
    return { world, client, channel, requests, attempts: () => platform.sockets.length };
  };

  it('fails when the server refuses the public key, and is opened again by join()', async () => {
    const { world, client, channel, requests, attempts } = await refuseHandshakes(401);
    expect(channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'key-refused' } });
    expect(client.getSnapshot().status).toBe('idle');
    expect(requests).toEqual([
      {
        url: 'https://project.test/realtime/v1/api/broadcast',
        headers: { 'content-type': 'application/json', apikey: 'old', authorization: 'Bearer old' },
        body: '{"messages":[]}',
        // The target of a redirect would receive the key.
        redirect: 'manual',
      },
    ]);
    expect(attempts()).toBe(2);
    channel.join();
    expect(attempts()).toBe(3);
    client.close();
    expect(world.clock.pendingTimers).toBe(0);
  });

  it.each([202, 403, 500])(
    'is retried when the HTTP interface responds to the key with %i',
    async (status) => {
      const { channel, client, attempts } = await refuseHandshakes(status);
      expect([channel.getSnapshot().status, attempts()]).toEqual(['connecting', 7]);
      client.close();
    },
  );

  it('reconnects after a delay with jitter when the server restarts', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    scene.server.socket().fail({ code: 1012 });
    await scene.world.clock.advance(999);
    expect(scene.tab.sockets).toHaveLength(1);
    await scene.world.clock.advance(251);
    expect(scene.tab.sockets).toHaveLength(2);
  });

  it('reconnects with backoff when the server accepts and closes', async () => {
    const scene = createScriptedScene();
    scene.client.channel('user:ada').join();
    const openedAtMs: number[] = [];
    for (let attempt = 0; attempt < 20; attempt += 1) {
      openedAtMs.push(scene.world.clock.now());
      scene.server.open();
      scene.server.socket().fail();
      const before = scene.tab.sockets.length;
      while (scene.tab.sockets.length === before) await scene.world.clock.advance(50);
    }
    const waits = openedAtMs.slice(1).map((at, index) => at - (openedAtMs[index] ?? 0));
    const least = [1_000, 2_000, 5_000, ...Array.from({ length: 16 }, () => 10_000)];
    expect(
      waits.every((wait, index) => wait >= (least[index] ?? 0) && wait <= 1.25 * (least[index] ?? 0) + 50),
    ).toBe(true);
  });

  it('resets the backoff after 30 s of stability', async () => {
    const scene = createScriptedScene();
    scene.client.channel('user:ada').join();
    for (const _ of [1, 2, 3]) {
      scene.server.socket().fail();
      await scene.world.clock.advance(12_500);
    }
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    await scene.world.clock.advance(26_000);
    scene.server.acknowledgeHeartbeat();
    await scene.world.clock.advance(4_000);
    scene.server.socket().fail();
    const before = scene.tab.sockets.length;
    await scene.world.clock.advance(1_250);
    expect(scene.tab.sockets).toHaveLength(before + 1);
  });

  it.each(['visible', 'online', 'pageshow', 'resume'] as const)(
    'the socket that died while the machine slept is replaced within 3 s of %s',
    async (signal) => {
      const scene = createScriptedScene();
      await scene.openLiveChannel();
      scene.world.clock.sleep(3_600_000);
      scene.tab.signal(signal);
      await scene.world.clock.advance(2_999);
      expect(scene.tab.sockets).toHaveLength(1);
      await scene.world.clock.advance(1);
      expect(scene.tab.sockets).toHaveLength(2);
    },
  );

  it('is kept when the probe gets a reply', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    scene.tab.signal('visible');
    expect(scene.server.sentEvents().at(-1)).toBe('heartbeat');
    scene.server.send(null, '9', 'phoenix', 'phx_reply', { status: 'ok', response: {} });
    await scene.world.clock.advance(10_000);
    expect(scene.tab.sockets).toHaveLength(1);
  });

  it('is not opened while the host is offline, and at once when it is online again', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    scene.tab.setOnline(false);
    scene.server.socket().fail();
    await scene.world.clock.advance(600_000);
    expect(scene.tab.sockets).toHaveLength(1);
    scene.tab.setOnline(true);
    expect(scene.tab.sockets).toHaveLength(2);
  });

  it('is opened at most once a minute by a hidden page, and at once when it is shown', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    scene.tab.setVisible(false);
    scene.server.socket().fail();
    await scene.world.clock.advance(59_000);
    expect(scene.tab.sockets).toHaveLength(1);
    scene.tab.setVisible(true);
    expect(scene.tab.sockets).toHaveLength(2);
  });

  it('survives malformed frames and counts them', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    const socket = scene.server.socket();
    for (const frame of [
      '',
      '{',
      'null',
      '[1,2]',
      '{"topic":1}',
      '["1","1"]',
      '[null,null,"realtime:user:ada","postgres_changes",null]',
    ])
      socket.receive(frame);
    socket.receive(new ArrayBuffer(0));
    socket.receive(Uint8Array.from([9, 9, 9]).buffer);
    socket.receive(Uint8Array.from([4, 200, 1, 1, 1, 65]).buffer);
    scene.server.send(null, null, 'realtime:user:ada', 'something_new', {});
    scene.server.send(null, null, 'realtime:other', 'postgres_changes', {});
    expect(scene.client.ignoredFrames).toBe(12);
    expect(socket.state).toBe('open');
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('is closed soon after the last channel was left', async () => {
    const scene = createScriptedScene();
    const { leave } = await scene.openLiveChannel();
    leave();
    await scene.world.clock.advance(1_000);
    expect(scene.server.sentEvents().at(-1)).toBe('phx_leave');
    await scene.world.clock.advance(1_000);
    expect(scene.tab.sockets[0]?.closedWith).toEqual({ code: 1000 });
    expect(scene.world.clock.pendingTimers).toBe(0);
  });
});

describe('the socket of channels that may not join', () => {
  it('is closed soon after a sign-out, and opened again after a sign-in', async () => {
    const scene = createScriptedScene();
    const { channel, losses } = await scene.openLiveChannel();
    scene.setToken(null);
    await scene.world.clock.advance(1_000);
    expect([scene.server.socket().closedWith, scene.client.getSnapshot().status]).toEqual([
      { code: 1000 },
      'idle',
    ]);
    await scene.world.clock.advance(600_000);
    expect([scene.tab.sockets.length, scene.world.clock.pendingTimers]).toEqual([1, 0]);
    scene.setToken('token-2');
    scene.server.open();
    await scene.world.settle();
    expect(scene.server.lastJoin().payload['access_token']).toBe('token-2');
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(channel.getSnapshot().status).toBe('live');
    expect(losses).toMatchObject([{ continuity: 'lost', reason: 'rejoined' }]);
  });

  it('is kept while another channel may join', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    scene.client.channel('other').join();
    scene.server.system('error', 'Unable to subscribe: check the given connect parameters');
    await scene.world.clock.advance(5_000);
    expect([channel.getSnapshot().status, scene.server.socket().state]).toEqual(['failed', 'open']);
  });
});

describe('a client that was closed', () => {
  it.each([
    ['a socket of its own', {}],
    ['a socket shared among tabs', { share: shareSocket }],
  ])('joins and sends nothing, with %s', async (_title, options) => {
    const scene = createScriptedScene(options);
    const channel = scene.client.channel('user:ada');
    channel.subscribe(() => channel.join());
    channel.join();
    await scene.world.clock.advance(1_000);
    scene.client.close();
    for (const name of ['user:ada', 'never joined']) scene.client.channel(name).join();
    await scene.world.clock.advance(60_000);
    expect(channel.getSnapshot()).toEqual({ status: 'closed', error: null });
    expect(scene.client.channel('never joined').getSnapshot().status).toBe('closed');
    expect(scene.client.getSnapshot().status).toBe('closed');
    await expect(channel.push('a', {})).rejects.toMatchObject({ code: 'closed' });
    expect([scene.tab.sockets.length, scene.tokenListeners.size, scene.world.clock.pendingTimers]).toEqual([
      1, 0, 0,
    ]);
  });

  it('leaves no timer and no socket behind when closed inside a status listener', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    channel.subscribe(() => scene.client.close());
    scene.server.endChannel();
    expect([channel.getSnapshot().status, scene.world.clock.pendingTimers]).toEqual(['closed', 0]);
    expect(scene.server.socket().state).toBe('closing');
  });

  it('does not subscribe to tokens for a channel that is joined afterwards', () => {
    const scene = createScriptedScene();
    scene.client.close();
    scene.client.channel('user:ada').join();
    expect([scene.tab.sockets.length, scene.tokenListeners.size]).toEqual([0, 0]);
  });
});

describe('the connection', () => {
  it('is reported as lost only after 5 s', async () => {
    const scene = createScriptedScene();
    const { openLiveChannel, client, world } = scene;
    await openLiveChannel();
    const statuses: string[] = [];
    client.subscribe(() => statuses.push(client.getSnapshot().status));
    scene.server.socket().fail();
    await world.clock.advance(1_250);
    scene.server.open();
    await world.clock.advance(10_000);
    expect(statuses).toEqual([]);
    scene.tab.setOnline(false);
    const lostAtMs = world.clock.now();
    scene.server.socket().receive('[null,"7","phoenix","phx_reply",{}]');
    scene.server.socket().fail();
    await world.clock.advance(4_999);
    expect(statuses).toEqual([]);
    await world.clock.advance(1);
    expect(statuses).toEqual(['lost']);
    expect(client.getSnapshot()).toEqual({ status: 'lost', lostAtMs });
    scene.tab.setOnline(true);
    scene.server.open();
    expect(statuses).toEqual(['lost', 'connected']);
  });

  it('leaves no timer, no listener and no socket behind when the client is closed', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    scene.client.close();
    expect(channel.getSnapshot().status).toBe('closed');
    expect(scene.client.getSnapshot().status).toBe('closed');
    expect(scene.tab.sockets[0]?.state).toBe('closing');
    expect(scene.world.clock.pendingTimers).toBe(0);
    expect(scene.tokenListeners.size).toBe(0);
  });

  it('holds one socket, one handler each and a constant number of timers over 10,000 reconnects', async () => {
    const scene = createScriptedScene({ settings: { reconnectDelaysMs: [0], stableAfterMs: 0 } });
    await scene.openLiveChannel();
    const timers = scene.world.clock.pendingTimers;
    let last = scene.server.socket();
    for (let count = 0; count < 10_000; count += 1) {
      last.fail();
      scene.tab.signal('visible');
      const next = scene.server.socket();
      expect(next).not.toBe(last);
      expect([last.onOpen, last.onMessage, last.onClose]).toEqual([null, null, null]);
      next.open();
      await Promise.resolve();
      await Promise.resolve();
      last = next;
    }
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(scene.world.clock.pendingTimers).toBe(timers);
    expect(scene.tokenListeners.size).toBe(1);
  });
});
