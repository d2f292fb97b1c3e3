import { describe, expect, it } from 'vitest';
import {
  createBroadcast,
  type BroadcastDrop,
  type BroadcastMessage,
  type BroadcastOptions,
} from '../../src/realtime-client/broadcast/broadcast.ts';
import { bufferBroadcasts } from '../../src/realtime-client/broadcast/buffer.ts';
import type { RealtimeClientOptions } from '../../src/realtime-client/index.ts';
import { createScriptedScene, topic } from '../support/wire/scripted-realtime.ts';

type Events = { readonly cursor: { readonly x: number }; readonly chat: string; readonly bytes: Uint8Array };

const numberSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof (value as { x?: unknown } | null)?.x === 'number'
        ? { value: value as { x: number } }
        : { issues: [{ message: 'x must be a number' }] },
  },
} as const;

async function openRoom(
  options: BroadcastOptions<Events> = {},
  overrides: Partial<RealtimeClientOptions> = {},
  isPrivate = false,
) {
  const scene = createScriptedScene(overrides);
  const channel = scene.client.channel('user:ada', { private: isPrivate });
  const dropped: BroadcastDrop[] = [];
  const arrived: BroadcastMessage[] = [];
  const room = createBroadcast<Events>(channel, {
    buffer: bufferBroadcasts(),
    onDropped: (drop) => dropped.push(drop),
    ...options,
  });
  room.on('*', (message) => arrived.push(message));
  channel.join();
  scene.server.open();
  await scene.world.settle();
  const sent = () => scene.server.frames().filter(({ event }) => event === 'broadcast');
  return {
    ...scene,
    channel,
    room,
    dropped,
    arrived,
    sent,
    receive: (payload: object) => scene.server.send(null, null, topic, 'broadcast', payload),
  };
}

describe('broadcasts', () => {
  it('are sent and received once the channel is joined', async () => {
    const { room, server, sent, receive, arrived, world } = await openRoom();
    const outcome = room.send('chat', 'Hello');
    await world.settle();
    expect(sent()).toEqual([]);
    server.acceptJoin();
    expect(await outcome).toEqual({ status: 'sent' });
    expect(sent()).toMatchObject([
      {
        topic,
        joinRef: server.lastJoin().ref,
        payload: { type: 'broadcast', event: 'chat', payload: 'Hello' },
      },
    ]);
    receive({ type: 'broadcast', event: 'cursor', payload: { x: 1 } });
    expect(arrived).toEqual([{ event: 'cursor', payload: { x: 1 }, id: null, isReplayed: false }]);
  });

  it('are acknowledged by the server, and echoed to the client’s own listeners afterwards', async () => {
    const { room, server, sent, arrived, world } = await openRoom({ ack: true, self: true });
    expect(server.lastJoin().payload['config']).toMatchObject({ broadcast: { ack: true, self: false } });
    server.acceptJoin();
    const outcome = room.send('chat', 'Hello');
    await world.settle();
    expect(arrived).toEqual([]);
    server.reply(sent()[0]?.ref ?? null, { status: 'ok', response: {} });
    expect(await outcome).toEqual({ status: 'acknowledged' });
    expect(arrived).toMatchObject([{ event: 'chat', payload: 'Hello' }]);
  });

  it('reject when the server refuses them or does not acknowledge them', async () => {
    const { room, server, sent, world } = await openRoom({ ack: true }, {}, true);
    server.acceptJoin();
    const refused = room.send('chat', 'too long');
    await world.settle();
    server.reply(sent()[0]?.ref ?? null, { status: 'error', response: 'payload_size_exceeded' });
    await expect(refused).rejects.toMatchObject({
      code: 'push-refused',
      message: expect.stringContaining('payload_size_exceeded') as string,
    });
    const silent = room.send('chat', 'forbidden');
    const settled = Promise.allSettled([silent]);
    await world.clock.advance(10_000);
    expect(await settled).toMatchObject([
      {
        reason: {
          code: 'push-timeout',
          message: expect.stringMatching(/realtime\.messages.*insert/) as string,
        },
      },
    ]);
  });

  it('carry bytes in binary frames', async () => {
    const { room, server, arrived } = await openRoom();
    const ref = server.lastJoin().ref ?? '';
    server.acceptJoin();
    await room.send('bytes', Uint8Array.of(1, 2, 255));
    const frame = server.socket().sent.at(-1);
    const names = [...new TextEncoder().encode(`${ref}2${topic}bytes`)];
    expect([...(frame as Uint8Array)]).toEqual([3, 1, 1, topic.length, 5, 0, 0, ...names, 1, 2, 255]);
    const received = [4, topic.length, 5, 0, 0, ...new TextEncoder().encode(`${topic}bytes`), 7, 8];
    server.socket().receive(Uint8Array.from(received).buffer);
    expect(arrived).toMatchObject([{ event: 'bytes', payload: Uint8Array.of(7, 8) }]);
  });

  it('of bytes are refused where a name does not fit into one byte of length', async () => {
    const { room, server } = await openRoom();
    server.acceptJoin();
    const frames = server.socket().sent.length;
    const send = (event: string) => room.send(event as 'bytes', Uint8Array.of(1));
    await expect(send('x'.repeat(256))).rejects.toThrow('names of at most 255 bytes');
    expect(server.socket().sent).toHaveLength(frames);
    await send('x'.repeat(255));
    expect(server.socket().sent).toHaveLength(frames + 1);
  });

  it('are validated before sending and on arrival', async () => {
    const { room, server, receive, arrived, dropped, tab } = await openRoom({
      events: { cursor: { schema: numberSchema } },
    });
    server.acceptJoin();
    await expect(room.send('cursor', { x: 'no' } as never)).rejects.toMatchObject({
      code: 'invalid-payload',
      message: 'x must be a number',
    });
    receive({ event: 'cursor', payload: { x: 'no' } });
    receive({ event: 'cursor', payload: { x: 2 } });
    expect(arrived).toMatchObject([{ payload: { x: 2 } }]);
    expect(dropped).toEqual([{ event: 'cursor', reason: 'invalid' }]);
    expect(tab.reported).toMatchObject([{ code: 'invalid-payload' }]);
  });

  it('broadcasts beyond the size limit or not serializable are refused before sending', async () => {
    const { room, server, sent } = await openRoom({ maxPayloadBytes: 10 });
    server.acceptJoin();
    await expect(room.send('chat', 'twelve bytes')).rejects.toMatchObject({ code: 'payload-too-large' });
    await expect(room.send('chat', 10n as never)).rejects.toMatchObject({ code: 'invalid-payload' });
    expect(sent()).toEqual([]);
  });

  it('wait by the policy of their event while disconnected, and report drops', async () => {
    const { room, server, sent, dropped, world } = await openRoom({
      buffer: bufferBroadcasts<Events>({ policies: { cursor: 'latest', bytes: 'drop' }, maxQueue: 3 }),
    });
    const outcomes = [
      room.send('cursor', { x: 1 }),
      room.send('cursor', { x: 2 }),
      room.send('bytes', Uint8Array.of(1)),
      room.send('chat', 'a'),
      room.send('chat', 'b'),
      room.send('chat', 'c'),
    ];
    await world.settle();
    server.acceptJoin();
    expect(await Promise.all(outcomes)).toEqual([
      { status: 'dropped', reason: 'superseded' },
      { status: 'dropped', reason: 'overflow' },
      { status: 'dropped', reason: 'offline' },
      { status: 'sent' },
      { status: 'sent' },
      { status: 'sent' },
    ]);
    expect(dropped.map(({ reason }) => reason)).toEqual(['superseded', 'offline', 'overflow']);
    expect(sent().map(({ payload }) => payload['payload'])).toEqual(['a', 'b', 'c']);
  });

  it('broadcasts without a buffer are dropped while they cannot be sent, and the outcome has the reason', async () => {
    const dropped: BroadcastDrop[] = [];
    const { client, server, sent } = await openRoom();
    const room = createBroadcast<Events>(client.channel('user:ada'), {
      perSecond: 2,
      onDropped: (drop) => dropped.push(drop),
    });
    const early = room.send('chat', 'early');
    expect(await early).toEqual({ status: 'dropped', reason: 'offline' });
    server.acceptJoin();
    const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => room.send('chat', text)));
    expect(outcomes).toEqual([
      { status: 'sent' },
      { status: 'sent' },
      { status: 'dropped', reason: 'throttled' },
    ]);
    expect(dropped.map(({ reason }) => reason)).toEqual(['offline', 'throttled']);
    expect(sent()).toHaveLength(2);
  });

  it('are dropped as closed when the channel is left', async () => {
    const { room, channel } = await openRoom();
    const outcome = room.send('chat', 'a');
    await Promise.resolve();
    channel.leave();
    expect(await outcome).toEqual({ status: 'dropped', reason: 'closed' });
  });

  it('broadcasts of sixty cursors a second become at most one per frame', async () => {
    const { room, server, sent, world } = await openRoom({
      buffer: bufferBroadcasts<Events>({ policies: { cursor: 'latest' } }),
    });
    server.acceptJoin();
    for (let index = 0; index < 120; index += 1) {
      void room.send('cursor', { x: index });
      await world.clock.advance(8);
    }
    await world.clock.advance(100);
    expect(sent().length).toBeLessThanOrEqual(61);
    expect(sent().at(-1)?.payload['payload']).toEqual({ x: 119 });
  });

  it('are limited to the rate of the channel and of the client, which is reported', async () => {
    const events: unknown[] = [];
    const { room, server, sent, world, client } = await openRoom(
      { perSecond: 50, perSecondOfClient: 20, buffer: bufferBroadcasts({ maxQueue: 1_000 }) },
      { log: (event) => events.push(event) },
    );
    server.acceptJoin();
    const other = createBroadcast<Events>(client.channel('other'), { perSecondOfClient: 20 });
    for (let index = 0; index < 60; index += 1) void room.send('chat', `${index}`);
    await world.clock.advance(0);
    expect(sent().length).toBe(20);
    expect(events).toContainEqual(expect.objectContaining({ type: 'throttled', name: 'user:ada' }));
    await world.clock.advance(3_000);
    expect(sent().length).toBe(60);
    other.close();
  });

  it('are replayed since the interruption, each once', async () => {
    const { server, world, arrived, receive, tab } = await openRoom(
      { replay: { sinceMs: 5, limit: 25 } },
      { settings: { reconnectDelaysMs: [0] } },
      true,
    );
    const replayOf = () =>
      (server.lastJoin().payload['config'] as { broadcast: { replay?: object } }).broadcast.replay;
    expect(replayOf()).toEqual({ since: 5, limit: 25 });
    server.acceptJoin();
    receive({ event: 'chat', payload: 'one', meta: { id: '1' } });
    await world.clock.advance(1_000);
    const lostAtMs = world.clock.now() - 1_000;
    server.socket().fail();
    await world.clock.advance(10);
    tab.sockets.at(-1)?.open();
    await world.settle();
    expect(replayOf()).toEqual({ since: lostAtMs - 5_000, limit: 25 });
    server.acceptJoin();
    receive({ event: 'chat', payload: 'one', meta: { id: '1', replayed: true } });
    receive({ event: 'chat', payload: 'two', meta: { id: '2', replayed: true } });
    expect(arrived.map(({ payload, isReplayed }) => [payload, isReplayed])).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  it('report that a replay after an interruption was as long as its limit', async () => {
    const drops: BroadcastDrop[] = [];
    const { server, world, receive, tab } = await openRoom(
      { replay: { sinceMs: 0, limit: 2 }, onDropped: (drop) => drops.push(drop) },
      { settings: { reconnectDelaysMs: [0] } },
      true,
    );
    const replay = (...ids: string[]) =>
      ids.forEach((id) => receive({ event: 'chat', payload: id, meta: { id, replayed: true } }));
    server.acceptJoin();
    replay('1', '2');
    expect(drops).toEqual([]);
    server.socket().fail();
    await world.clock.advance(10);
    tab.sockets.at(-1)?.open();
    await world.settle();
    server.acceptJoin();
    replay('2');
    expect(drops).toEqual([]);
    replay('3');
    expect(drops).toEqual([{ event: '*', reason: 'replay-limit' }]);
  });

  it('leave no timer behind when they are closed', async () => {
    const { room, server, client, world } = await openRoom({ perSecond: 1 });
    server.acceptJoin();
    void room.send('chat', 'a');
    void room.send('chat', 'b');
    await world.settle();
    room.close();
    client.close();
    expect(world.clock.pendingTimers).toBe(0);
  });
});
