import { describe, expect, it } from 'vitest';
import { RealtimeChannel } from '../../src/compat/realtime/channel.ts';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { bufferBroadcasts } from '../../src/realtime-client/broadcast/buffer.ts';
import type { Channel } from '../../src/realtime-client/index.ts';
import { createLiveQuery, createLiveReads } from '../../src/realtime-client/live-query/live-query.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

type Scene = ReturnType<typeof createScriptedScene>;

const failures = {
  unauthorized: async () => {
    const scene = createScriptedScene();
    return { ...scene, fail: () => scene.server.refuseJoin('Unauthorized: no policy') };
  },
  'websocket-unavailable': async () => {
    const scene = createScriptedScene();
    Object.assign(scene.tab, {
      openSocket: () => {
        throw new ReferenceError('WebSocket is not defined');
      },
    });
    return { ...scene, fail: () => {} };
  },
};

/** What is derived from a channel: each returns what it shows of the channel's failure, by its code. */
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
