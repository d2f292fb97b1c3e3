import { describe, expect, it } from 'vitest';
import { binding, createScriptedScene } from '../support/wire/scripted-realtime.ts';
import { AuthError } from '../../src/auth-client/index.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createRealtimeModel } from '../support/wire/realtime-model.ts';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { bufferBroadcasts } from '../../src/realtime-client/broadcast/buffer.ts';
import { createRealtimeClient, type RealtimeError } from '../../src/realtime-client/index.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';

/** The error of an auth client that refuses to renew another user's token. */
const userChanged = new AuthError('user-changed', 'Another user has signed in');

const tokenOf = (sub: string, serial = 1) => `.${btoa(JSON.stringify({ sub }))}.${serial}`;

async function openScene() {
  const tokens = { current: tokenOf('ada') };
  const scene = createScriptedScene({ getAccessToken: () => Promise.resolve(tokens.current) });
  const live = await scene.openLiveChannel();
  return {
    ...scene,
    ...live,
    signIn(token: string) {
      tokens.current = token;
      scene.setToken(token);
    },
  };
}

describe('a change of user', () => {
  it('leaves the topic and joins it again instead of pushing the token', async () => {
    const { server, world, signIn, losses } = await openScene();
    signIn(tokenOf('grace'));
    await world.settle();
    expect(server.sentEvents()).toEqual(['phx_join', 'phx_leave', 'phx_join']);
    expect(server.lastJoin().payload['access_token']).toBe(tokenOf('grace'));
    server.acceptJoin();
    server.confirm();
    expect(losses).toMatchObject([{ reason: 'rejoined' }]);
  });

  it('delivers nothing that was received for the previous user', async () => {
    const { server, world, signIn, changes } = await openScene();
    server.change({ record: { id: 'queued', owner: 'ada' } });
    signIn(tokenOf('grace'));
    await world.settle();
    server.change({ record: { id: 'late', owner: 'ada' } });
    await world.clock.advance(100);
    expect(changes).toEqual([]);
    server.acceptJoin();
    server.confirm();
    server.change({ record: { id: 'new', owner: 'grace' } });
    await world.clock.advance(100);
    expect(changes).toMatchObject([{ record: { id: 'new' } }]);
  });

  it('during a join joins again after the reply', async () => {
    const tokens = { current: tokenOf('ada') };
    const scene = createScriptedScene({ getAccessToken: () => Promise.resolve(tokens.current) });
    const channel = scene.client.channel('user:ada');
    createPostgresChanges(channel).on(binding, () => {});
    channel.join();
    scene.server.open();
    await scene.world.settle();
    tokens.current = tokenOf('grace');
    scene.setToken(tokens.current);
    scene.server.acceptJoin();
    await scene.world.settle();
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'phx_leave', 'phx_join']);
    expect(scene.server.lastJoin().payload['access_token']).toBe(tokenOf('grace'));
  });

  it('joins as the next user after the server has refused the token of the previous one', async () => {
    const tokens = { current: tokenOf('ada') as string | null };
    const scene = createScriptedScene({
      getAccessToken: async ({ rejectedToken } = {}) => {
        if (rejectedToken === tokens.current) tokens.current = null;
        if (rejectedToken !== undefined && tokens.current !== null) throw userChanged;
        return tokens.current;
      },
    });
    const { channel } = await scene.openLiveChannel();
    scene.server.system('error', 'Token has expired 0 seconds ago', 'system');
    await scene.world.settle();
    expect(channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'signed-out' } });
    tokens.current = tokenOf('grace');
    scene.setToken(tokens.current);
    await scene.world.clock.advance(1_000);
    scene.server.open();
    await scene.world.settle();
    expect(scene.server.lastJoin().payload['access_token']).toBe(tokenOf('grace'));
  });

  it('does not happen with a renewed token of the same user', async () => {
    const { server, signIn } = await openScene();
    signIn(tokenOf('ada', 2));
    expect(server.sentEvents()).toEqual(['phx_join', 'access_token']);
  });
});

describe('a push, a broadcast and an entry that wait for a join', () => {
  /** A room whose socket is lost, where ada has pushed, broadcast and tracked. */
  async function openRoom({ isJoined = true } = {}) {
    const tokens = { current: tokenOf('ada') as string | null };
    const scene = createScriptedScene({ getAccessToken: () => Promise.resolve(tokens.current) });
    const channel = scene.client.channel('user:ada');
    createPostgresChanges(channel).on(binding, () => {});
    const presence = createPresence(channel);
    const broadcast = createBroadcast(channel, { buffer: bufferBroadcasts() });
    if (isJoined) {
      channel.join();
      scene.server.open();
      await scene.world.settle();
      scene.server.acceptJoin();
      scene.server.confirm();
    }
    presence.track({ name: 'Ada' });
    await scene.world.settle();
    if (isJoined) scene.server.socket().fail();
    const push = channel.push('secret', { of: 'ada' }).then(
      () => 'sent',
      ({ code }: RealtimeError) => code,
    );
    const sent = broadcast.send('note', { of: 'ada' });
    await scene.world.settle();
    return {
      ...scene,
      channel,
      push,
      sent,
      signIn(token: string | null) {
        tokens.current = token;
        scene.setToken(token);
      },
      async rejoin() {
        channel.join();
        await scene.world.clock.advance(2_000);
        scene.server.open();
        await scene.world.settle();
        scene.server.acceptJoin();
        scene.server.confirm();
        await scene.world.clock.advance(1_000);
        return scene.server.sentEvents().filter((event) => event !== 'heartbeat');
      },
    };
  }

  it.each([
    ['another user has signed in', [tokenOf('grace')], true],
    ['another user has signed in after a sign-out', [null, tokenOf('grace')], true],
    ['another user has signed in before the first join', [tokenOf('grace')], false],
    ['a sign-out and the same sign-in', [null, tokenOf('ada', 2)], true],
  ])('are dropped after %s', async (_what, tokens, isJoined) => {
    const { signIn, rejoin, push, sent, world } = await openRoom({ isJoined });
    for (const token of tokens) {
      signIn(token);
      await world.clock.advance(500);
    }
    expect(await rejoin()).toEqual(['phx_join']);
    await expect(push).resolves.toBe('user-changed');
    await expect(sent).resolves.toEqual({ status: 'dropped', reason: 'user-changed' });
  });

  it.each([true, false])(
    'are sent after a renewed token of the same user (joined before: %s)',
    async (isJoined) => {
      const { signIn, rejoin, sent } = await openRoom({ isJoined });
      signIn(tokenOf('ada', 2));
      expect((await rejoin()).toSorted()).toEqual(['broadcast', 'phx_join', 'presence', 'secret']);
      await expect(sent).resolves.toEqual({ status: 'sent' });
    },
  );

  it('are dropped where only the token of the next join reveals the other user', async () => {
    const scene = createScriptedScene({ onTokenChange: () => () => {} });
    scene.prepareToken(tokenOf('ada'));
    const { channel } = await scene.openLiveChannel();
    scene.server.socket().fail();
    const push = channel.push('secret', { of: 'ada' });
    push.catch(() => undefined);
    scene.prepareToken(tokenOf('grace'));
    await scene.world.clock.advance(2_000);
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    expect(scene.server.sentEvents()).toEqual(['phx_join']);
    await expect(push).rejects.toMatchObject({ code: 'user-changed' });
  });

  it('are dropped on a socket that tabs share, too', async () => {
    const world = createFakeWorld();
    const server = createRealtimeModel(world.openTab().clock, () => 20);
    const user = { token: tokenOf('ada') as string | null };
    const listeners = new Set<(token: string | null) => void>();
    ['ada', 'grace'].forEach((sub) => server.validTokens.add(tokenOf(sub)));
    const frames: string[] = [];
    const openSocket = (url: string) => {
      const socket = server.openSocket(url);
      const { send } = socket;
      socket.send = (data) => {
        frames.push(String(data));
        send.call(socket, data);
      };
      return socket;
    };
    const client = createRealtimeClient({
      url: 'https://project.test',
      apiKey: 'key',
      platform: world.openTab({ openSocket }),
      share: shareSocket,
      getAccessToken: async () => user.token,
      onTokenChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const signIn = (token: string | null) => {
      user.token = token;
      listeners.forEach((listener) => listener(token));
    };
    const channel = client.channel('room');
    const presence = createPresence(channel);
    channel.join();
    await world.clock.advance(2_000);
    presence.track({ name: 'Ada' });
    await world.clock.advance(1_000);
    expect(frames.some((frame) => frame.includes('Ada'))).toBe(true);
    signIn(null);
    const push = channel.push('secret', { of: 'ada' });
    push.catch(() => undefined);
    frames.length = 0;
    signIn(tokenOf('grace'));
    await world.clock.advance(15_000);
    expect(channel.getSnapshot().status).toBe('live');
    expect(frames.filter((frame) => /Ada|ada"/.test(frame))).toEqual([]);
    await expect(push).rejects.toMatchObject({ code: 'channel-failed', cause: { code: 'signed-out' } });
    client.close();
  });
});
