import { describe, expect, it } from 'vitest';
import { RealtimeChannel } from '../../src/compat/realtime/channel.ts';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { bufferBroadcasts } from '../../src/realtime-client/broadcast/buffer.ts';
import type { Channel } from '../../src/realtime-client/index.ts';
import { createLiveQuery, createLiveReads } from '../../src/realtime-client/live-query/live-query.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

type Scene = ReturnType<typeof createScriptedScene>;

type SceneOptions = Parameters<typeof createScriptedScene>[0];

const failures = {
  unauthorized: async (options?: SceneOptions) => {
    const scene = createScriptedScene(options);
    return { ...scene, fail: () => scene.server.refuseJoin('Unauthorized: no policy') };
  },
  'websocket-unavailable': async (options?: SceneOptions) => {
    const scene = createScriptedScene(options);
    Object.assign(scene.tab, {
      openSocket: () => {
        throw new ReferenceError('WebSocket is not defined');
      },
    });
    return { ...scene, fail: () => {} };
  },
};

/** Features derived from a channel; each returns the code by which it reports the channel's failure. */
const derived: Readonly<Record<string, (scene: Scene, channel: Channel) => () => unknown>> = {
  'a live query': ({ tab: platform }, channel) => {
    const query = createTableQuery<{ readonly id: string }>(() => []);
    const list = createLiveQuery({ platform, channel, query, key: 'id' });
    list.start();
    return () => list.getSnapshot().error;
  },
  'live reads': ({ tab: platform }, channel) => {
    const reads = createLiveReads({ platform, read: () => Promise.resolve() });
    reads.follow(channel);
    return () => reads.getSnapshot().failure;
  },
  'a presence': (_scene, channel) => {
    const presence = createPresence(channel);
    presence.track({});
    return () => presence.getSnapshot().error;
  },
  'the vendor’s channel': ({ client }) => {
    let error: Error | undefined;
    const channel = new RealtimeChannel('user:ada', { config: {} }, client, () => {});
    channel.subscribe((_status, problem) => {
      error = problem;
    });
    return () => error?.cause;
  },
};

describe.each(Object.entries(failures))('a channel that fails as %s', (code, openScene) => {
  it.each(Object.entries(derived))('is the error of %s', async (_name, derive) => {
    const scene = await openScene();
    const channel = scene.client.channel('user:ada');
    const shown = derive(scene, channel);
    channel.join();
    scene.tab.sockets.at(-1)?.open();
    await scene.world.settle();
    scene.fail();
    await scene.world.settle();
    expect(shown()).toMatchObject({ code });
    scene.client.close();
  });

  it.each([
    ['with a buffer', { buffer: bufferBroadcasts() }, 'failed'],
    ['without one', {}, 'offline'],
  ])('drops broadcasts as failed, %s', async (_name, options, earlyReason) => {
    const scene = await openScene();
    const channel = scene.client.channel('user:ada');
    const room = createBroadcast(channel, options);
    const early = room.send('chat', 'early');
    channel.join();
    scene.tab.sockets.at(-1)?.open();
    await scene.world.settle();
    scene.fail();
    const later = room.send('chat', 'later');
    expect(await Promise.all([early, later])).toEqual([
      { status: 'dropped', reason: earlyReason },
      { status: 'dropped', reason: 'failed' },
    ]);
  });

  it.each([
    ['its own socket', {}],
    ['a shared one', { share: shareSocket }],
  ])('rejects the pushes that wait for it, and later ones, at once, on %s', async (_name, options) => {
    const scene = await openScene(options);
    const channel = scene.client.channel('user:ada');
    const waiting = Promise.allSettled([channel.push('a', {})]);
    channel.join();
    await scene.world.settle();
    scene.tab.sockets.at(-1)?.open();
    await scene.world.settle();
    scene.fail();
    await scene.world.settle();
    const later = Promise.allSettled([channel.push('b', {})]);
    const rejection = { status: 'rejected', reason: { code: 'channel-failed', cause: { code } } };
    expect([await waiting, await later]).toMatchObject([[rejection], [rejection]]);
    scene.client.close();
  });

  it('refuses an entry of the vendor’s channel', async () => {
    const scene = await openScene();
    const channel = new RealtimeChannel('user:ada', { config: {} }, scene.client, () => {});
    channel.on('presence', { event: 'sync' }, () => {}).subscribe();
    scene.tab.sockets.at(-1)?.open();
    await scene.world.settle();
    scene.fail();
    await scene.world.settle();
    expect(await channel.track({ name: 'Ada' })).toBe('error');
  });
});

describe('a channel that fails after it was joined', () => {
  it.each([
    ['its own socket', {}],
    ['a shared one', { share: shareSocket }],
  ])('rejects what the server has not acknowledged, on %s', async (_name, options) => {
    const scene = createScriptedScene(options);
    const channel = scene.client.channel('user:ada');
    const room = createBroadcast(channel, { ack: true });
    const presence = createPresence(channel);
    presence.track({});
    channel.join();
    await scene.world.settle();
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    await scene.world.settle();
    const outcomes = Promise.allSettled([channel.push('a', {}), room.send('chat', 'hello')]);
    await scene.world.settle();
    scene.server.system('error', 'You do not have permissions to read from this channel', 'system');
    await scene.world.settle();
    const cause = { code: 'unauthorized' };
    const rejection = { status: 'rejected', reason: { code: 'channel-failed', cause } };
    expect(await outcomes).toMatchObject([rejection, rejection]);
    expect(presence.getSnapshot().error).toMatchObject(cause);
    scene.client.close();
  });
});
