import { describe, expect, it } from 'vitest';
import { binding, createScriptedScene } from '../support/wire/scripted-realtime.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';

const expired = 'Token has expired 0 seconds ago';

describe('a channel that the server ends', () => {
  it('renews an expired token, joins again and announces a gap', async () => {
    const scene = createScriptedScene();
    const { server, world } = scene;
    const { channel, losses } = await scene.openLiveChannel();
    const lostAtMs = world.clock.now();
    scene.prepareToken('token-2');
    server.system('error', expired, 'system');
    server.endChannel();
    await world.settle();
    expect(scene.tokenCalls).toEqual([undefined, 'token-1']);
    expect(server.lastJoin().payload['access_token']).toBe('token-2');
    expect(channel.getSnapshot().status).toBe('recovering');
    server.acceptJoin();
    server.confirm();
    expect(channel.getSnapshot().status).toBe('live');
    expect(losses).toEqual([{ continuity: 'lost', sinceMs: lostAtMs, reason: 'rejoined' }]);
    expect(server.sentEvents().filter((event) => event === 'phx_join')).toHaveLength(2);
  });

  it('fails with signed-out when there is no other token, and stops', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    scene.prepareToken(null);
    scene.server.system('error', expired, 'system');
    await scene.world.clock.advance(600_000);
    expect(channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'signed-out' } });
    expect(scene.tokenCalls).toHaveLength(2);
  });

  it('joins by itself after the next sign-in and announces a gap', async () => {
    const scene = createScriptedScene();
    const { channel, losses } = await scene.openLiveChannel();
    scene.setToken(null);
    expect(channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'signed-out' } });
    expect(scene.server.sentEvents().at(-1)).toBe('phx_leave');
    scene.setToken('token-2');
    await scene.world.settle();
    expect(scene.server.lastJoin().payload['access_token']).toBe('token-2');
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(losses).toMatchObject([{ continuity: 'lost', reason: 'rejoined' }]);
  });

  it('fails after three refused tokens', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    channel.join();
    scene.server.open();
    await scene.world.settle();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      scene.prepareToken(`fresh-${attempt}`);
      scene.server.refuseJoin('InvalidJWTToken: Token has expired 3 seconds ago');
      await scene.world.clock.advance(2_500);
    }
    expect(channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'token-rejected' } });
    expect(scene.server.sentEvents().filter((event) => event === 'phx_join')).toHaveLength(3);
  });

  it('backs off when the server confirms each token and expires it at once', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    createPostgresChanges(channel).on(binding, () => {});
    channel.join();
    scene.server.open();
    await scene.world.settle();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { ref } = scene.server.lastJoin();
      scene.server.acceptJoin();
      scene.server.confirm();
      scene.server.system('error', expired, 'system');
      const before = scene.world.clock.now();
      while (scene.server.lastJoin().ref === ref) await scene.world.clock.advance(50);
      waits.push(scene.world.clock.now() - before);
    }
    const least = [0, 2_000, 5_000, 10_000, 10_000, 10_000];
    expect(waits.every((wait, at) => wait >= (least[at] ?? 0))).toBe(true);
    expect(scene.tokenCalls).toHaveLength(7);
  });

  it('ignores the late close of an earlier join', async () => {
    const scene = createScriptedScene();
    const { channel, statuses } = await scene.openLiveChannel();
    const earlier = scene.server.lastJoin().ref;
    createPostgresChanges(channel).on({ table: 'notification_preferences' }, () => {});
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.endChannel('phx_close', earlier);
    scene.server.confirm();
    expect(channel.getSnapshot().status).toBe('live');
    expect(statuses).toEqual(['connecting', 'joined', 'live', 'recovering', 'live']);
  });

  it('ignores the late close in version 1.0.0, whose frames do not name their join', async () => {
    const scene = createScriptedScene({ vsn: '1.0.0' });
    const { channel } = await scene.openLiveChannel();
    createPostgresChanges(channel).on({ table: 'notification_preferences' }, () => {});
    await scene.world.settle();
    scene.server.endChannel('phx_close', null);
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(channel.getSnapshot().status).toBe('live');
    scene.server.endChannel('phx_close', null);
    expect(channel.getSnapshot().status).toBe('recovering');
  });

  it('joins again with backoff when the channel crashes', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    scene.server.endChannel('phx_error');
    expect(channel.getSnapshot().status).toBe('recovering');
    await scene.world.clock.advance(999);
    expect(scene.server.sentEvents().filter((event) => event === 'phx_join')).toHaveLength(1);
    await scene.world.clock.advance(251);
    expect(scene.server.sentEvents().filter((event) => event === 'phx_join')).toHaveLength(2);
  });

  it('leaves and joins again when a join times out', async () => {
    const scene = createScriptedScene();
    scene.client.channel('user:ada').join();
    scene.server.open();
    await scene.world.clock.advance(10_000);
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'heartbeat']);
    scene.server.acknowledgeHeartbeat();
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'heartbeat', 'phx_leave']);
    await scene.world.clock.advance(1_250);
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'heartbeat', 'phx_leave', 'phx_join']);
  });

  it('leaves and joins again when the confirmation times out', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    createPostgresChanges(channel).on(binding, () => {});
    channel.join();
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    for (const untilHeartbeatMs of [25_000, 25_000, 10_000]) {
      await scene.world.clock.advance(untilHeartbeatMs);
      scene.server.acknowledgeHeartbeat();
    }
    await scene.world.clock.advance(1_250);
    expect(scene.server.sentEvents().filter((event) => event !== 'heartbeat')).toEqual([
      'phx_join',
      'phx_leave',
      'phx_join',
    ]);
  });

  it('waits 30 s when a rate limit was reached', async () => {
    const scene = createScriptedScene();
    scene.client.channel('user:ada').join();
    scene.server.open();
    await scene.world.settle();
    scene.server.refuseJoin('ConnectionRateLimitReached: Too many connected users');
    await scene.world.clock.advance(24_000);
    expect(scene.server.sentEvents()).toEqual(['phx_join']);
    await scene.world.clock.advance(1_000);
    scene.server.acknowledgeHeartbeat();
    await scene.world.clock.advance(13_000);
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'heartbeat', 'phx_join']);
  });
});

describe('a system error', () => {
  it('about a forbidden channel is final for every channel name', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    const message = 'Unauthorized: You do not have permissions to read from this Channel topic: jwt-tokens';
    scene.server.system('error', message, 'system');
    await scene.world.clock.advance(20_000);
    expect(channel.getSnapshot()).toEqual({ status: 'failed', error: { code: 'unauthorized', message } });
    expect(scene.tokenCalls).toHaveLength(1);
  });

  it('fails the channel permanently with the message of the server', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    scene.server.system('error', 'Unable to subscribe: check the given connect parameters: [table: tokens]');
    expect(channel.getSnapshot()).toEqual({
      status: 'failed',
      error: {
        code: 'subscription-refused',
        message: 'Unable to subscribe: check the given connect parameters: [table: tokens]',
      },
    });
    for (let beat = 0; beat < 24; beat += 1) {
      await scene.world.clock.advance(25_000);
      scene.server.acknowledgeHeartbeat();
    }
    expect(scene.server.sentEvents().filter((event) => event === 'phx_join')).toHaveLength(1);
  });

  it('is retried by join()', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    scene.server.system('error', 'Unable to subscribe: check the given connect parameters: [table: tokens]');
    channel.join();
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(channel.getSnapshot()).toEqual({ status: 'live', error: null });
  });
});

describe('a new token', () => {
  it('is pushed to a joined channel', async () => {
    const scene = createScriptedScene();
    await scene.openLiveChannel();
    scene.setToken('token-2');
    expect(scene.server.frames().at(-1)).toMatchObject({
      event: 'access_token',
      joinRef: scene.server.lastJoin().ref,
      payload: { access_token: 'token-2' },
    });
  });

  it('announced during a join is pushed right after it', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    createPostgresChanges(channel).on(binding, () => {});
    channel.join();
    scene.server.open();
    await scene.world.settle();
    scene.setToken('token-2');
    expect(scene.server.sentEvents()).toEqual(['phx_join']);
    scene.server.acceptJoin();
    expect(scene.server.frames().at(-1)).toMatchObject({
      event: 'access_token',
      payload: { access_token: 'token-2' },
    });
  });

  it('is not used when the user signs out during the request', async () => {
    const pending: ((token: string | null) => void)[] = [];
    const scene = createScriptedScene({
      getAccessToken: () => new Promise((resolve) => pending.push(resolve)),
    });
    scene.client.channel('user:ada').join();
    scene.server.open();
    scene.setToken(null);
    pending[0]?.('token-1');
    pending[1]?.(null);
    await scene.world.settle();
    expect(scene.server.lastJoin().payload).not.toHaveProperty('access_token');
  });

  it('is used when it is announced during a request that was made while signed out', async () => {
    const pending: ((token: string | null) => void)[] = [];
    const scene = createScriptedScene({
      getAccessToken: () => new Promise((resolve) => pending.push(resolve)),
    });
    const channel = scene.client.channel('user:ada');
    channel.join();
    scene.server.open();
    pending.shift()?.('token-1');
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.setToken(null);
    channel.join();
    scene.setToken('token-1');
    pending.forEach((resolve) => resolve(null));
    await scene.world.settle();
    expect(channel.getSnapshot().status).not.toBe('failed');
  });

  it('is requested again with backoff when the request fails', async () => {
    let calls = 0;
    const scene = createScriptedScene({
      getAccessToken: () => {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error('offline')) : Promise.resolve('token-9');
      },
    });
    scene.client.channel('user:ada').join();
    scene.server.open();
    await scene.world.clock.advance(1_250);
    expect(scene.server.lastJoin().payload['access_token']).toBe('token-9');
    expect(scene.tab.reported).toEqual([new Error('offline')]);
  });
});

describe('a token request without a response', () => {
  it('times out and is repeated; its late response is ignored', async () => {
    const pending: ((token: string) => void)[] = [];
    const scene = createScriptedScene({
      getAccessToken: () => new Promise((resolve) => pending.push(resolve)),
    });
    const channel = scene.client.channel('user:ada');
    channel.join();
    scene.server.open();
    await scene.world.clock.advance(10_000);
    expect([pending.length, channel.getSnapshot().status]).toEqual([1, 'connecting']);
    await scene.world.clock.advance(1_250);
    pending[0]?.('late');
    pending[1]?.('token-2');
    await scene.world.settle();
    expect([pending.length, scene.server.lastJoin().payload['access_token']]).toEqual([2, 'token-2']);
  });
});

describe('continuity', () => {
  it('announces a gap since the leave when a left channel is joined again', async () => {
    const scene = createScriptedScene();
    const { channel, losses } = await scene.openLiveChannel();
    const leftAtMs = scene.world.clock.now();
    channel.leave();
    await scene.world.clock.advance(500);
    channel.join();
    await scene.world.settle();
    scene.server.acceptJoin();
    expect(losses).toEqual([]);
    scene.server.confirm();
    expect(losses).toEqual([{ continuity: 'lost', sinceMs: leftAtMs, reason: 'rejoined' }]);
  });

  it('announces a gap when the server resubscribes', async () => {
    const scene = createScriptedScene();
    const { losses } = await scene.openLiveChannel();
    const liveAtMs = scene.world.clock.now();
    await scene.world.clock.advance(5_000);
    scene.server.confirm();
    expect(losses).toEqual([{ continuity: 'lost', sinceMs: liveAtMs, reason: 'resubscribed' }]);
  });

  it.each([
    ['a change was too large', { errors: ['Error 413: Payload Too Large'], record: {} }],
    [
      'a value is missing',
      { columns: [{ name: 'id' }, { name: 'content' }], type: 'UPDATE', record: { id: 'a' } },
    ],
  ])('is announced as lost when %s', async (_title, data) => {
    const scene = createScriptedScene();
    const { changes, losses } = await scene.openLiveChannel();
    scene.server.change(data);
    await scene.world.clock.advance(16);
    expect(changes).toEqual([]);
    expect(losses).toEqual([
      { continuity: 'lost', sinceMs: expect.any(Number) as number, reason: 'truncated' },
    ]);
  });

  it('starts the gap at the last frame before a silent socket was replaced', async () => {
    const scene = createScriptedScene();
    const { losses } = await scene.openLiveChannel();
    const lastFrameAtMs = scene.world.clock.now();
    await scene.world.clock.advance(35_000);
    expect(scene.tab.sockets).toHaveLength(2);
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(losses).toEqual([{ continuity: 'lost', sinceMs: lastFrameAtMs, reason: 'rejoined' }]);
  });
});
