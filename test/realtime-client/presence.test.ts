import { describe, expect, it } from 'vitest';
import { createPresence, type PresenceOptions } from '../../src/realtime-client/presence/presence.ts';
import { createScriptedScene, topic } from '../support/wire/scripted-realtime.ts';

interface Person {
  readonly name: string;
}

async function openRoom(options: PresenceOptions<Person> = {}) {
  const scene = createScriptedScene({ settings: { reconnectDelaysMs: [0] } });
  const channel = scene.client.channel('user:ada');
  const presence = createPresence<Person>(channel, { key: 'ada', ...options });
  const announced: string[] = [];
  presence.onJoin((key) => announced.push(`+${key}`));
  presence.onLeave((key) => announced.push(`-${key}`));
  channel.join();
  scene.server.open();
  await scene.world.settle();
  const calls = () => scene.server.frames().filter(({ event }) => event === 'presence');
  const meta = (ref: string, name: string) => ({ metas: [{ phx_ref: ref, name }] });
  return {
    ...scene,
    channel,
    presence,
    announced,
    calls,
    meta,
    state: (payload: object) =>
      scene.server.send(scene.server.lastJoin().ref, null, topic, 'presence_state', payload),
    diff: (joins: object, leaves: object = {}) =>
      scene.server.send(null, null, topic, 'presence_diff', { joins, leaves }),
    async reconnect() {
      scene.server.socket().fail();
      await scene.world.clock.advance(10);
      scene.tab.sockets.at(-1)?.open();
      await scene.world.settle();
      scene.server.acceptJoin();
    },
  };
}

describe('presence', () => {
  it('has the failure of its channel as its error until the channel is joined again', async () => {
    const { server, presence, channel, world, state, meta } = await openRoom();
    server.refuseJoin('Unauthorized: You do not have permissions to read from this Channel topic');
    await world.settle();
    expect(presence.getSnapshot()).toMatchObject({
      isSynced: false,
      error: { name: 'RealtimeError', code: 'unauthorized' },
    });
    presence.track({ name: 'Ada' });
    expect(presence.getSnapshot().error).toMatchObject({ code: 'unauthorized' });
    channel.join();
    await world.settle();
    server.acceptJoin();
    state({ grace: meta('1', 'Grace') });
    expect(presence.getSnapshot()).toMatchObject({ isSynced: true, error: null });
  });

  it('joins with its key, tracks its entry and shows the present entries', async () => {
    const { server, presence, calls, state, diff, meta, announced } = await openRoom();
    expect(server.lastJoin().payload['config']).toMatchObject({ presence: { key: 'ada', enabled: true } });
    presence.track({ name: 'Ada' });
    expect(calls()).toEqual([]);
    server.acceptJoin();
    expect(calls()).toMatchObject([{ payload: { event: 'track', payload: { name: 'Ada' } } }]);
    state({ grace: meta('1', 'Grace') });
    diff({ ada: meta('2', 'Ada') });
    const { entries, isSynced } = presence.getSnapshot();
    expect([...entries]).toEqual([
      ['grace', [{ name: 'Grace' }]],
      ['ada', [{ name: 'Ada' }]],
    ]);
    expect([isSynced, announced]).toEqual([true, ['+grace', '+ada']]);
    presence.untrack();
    expect(calls().at(-1)?.payload['event']).toBe('untrack');
  });

  it('tracks again after a rejoin and does not flicker', async () => {
    const { server, presence, calls, state, meta, announced, reconnect, world } = await openRoom();
    server.acceptJoin();
    presence.track({ name: 'Ada' });
    state({ ada: meta('1', 'Ada'), grace: meta('2', 'Grace') });
    await reconnect();
    expect(calls()).toHaveLength(1);
    expect(presence.getSnapshot()).toMatchObject({ isSynced: false });
    expect(presence.getSnapshot().entries.size).toBe(2);
    state({ ada: meta('3', 'Ada') });
    expect(presence.getSnapshot().isSynced).toBe(true);
    expect(announced).toEqual(['+ada', '+grace']);
    await world.clock.advance(10_000);
    expect(announced).toEqual(['+ada', '+grace', '-grace']);
  });

  it('sends an entry again whose reply is lost, three times at most', async () => {
    const { server, presence, calls, world } = await openRoom();
    server.acceptJoin();
    presence.track({ name: 'Ada' });
    for (let second = 0; second < 120; second += 10) {
      await world.clock.advance(10_000);
      server.acknowledgeHeartbeat();
    }
    expect(calls().map(({ payload }) => payload['payload'])).toEqual(
      Array.from({ length: 4 }, () => ({ name: 'Ada' })),
    );
    expect(presence.getSnapshot().error).toMatchObject({ code: 'push-timeout' });
  });

  it('does not repeat an entry that was replaced while its reply was lost', async () => {
    const { server, presence, calls, world } = await openRoom();
    server.acceptJoin();
    presence.track({ name: 'Ada' });
    await world.clock.advance(5_000);
    presence.track({ name: 'Ada L.' });
    server.reply(calls().at(-1)?.ref ?? null, { status: 'ok', response: {} });
    for (let second = 0; second < 60; second += 10) {
      await world.clock.advance(10_000);
      server.acknowledgeHeartbeat();
    }
    expect(calls()).toHaveLength(2);
    expect(presence.getSnapshot().error).toBeNull();
  });

  it('keeps the snapshot while nothing changes, and the arrays of unchanged keys', async () => {
    const { server, presence, state, diff, meta } = await openRoom();
    server.acceptJoin();
    state({ ada: meta('1', 'Ada') });
    const before = presence.getSnapshot();
    expect(presence.getSnapshot()).toBe(before);
    diff({ grace: meta('2', 'Grace') });
    expect(presence.getSnapshot().entries.get('ada')).toBe(before.entries.get('ada'));
  });

  it('makes at most five calls in 30 s and sends the latest entry afterwards', async () => {
    const { server, presence, calls, world } = await openRoom();
    server.acceptJoin();
    for (let index = 0; index < 12; index += 1) presence.track({ name: `${index}` });
    expect(calls()).toHaveLength(5);
    await world.clock.advance(20_000);
    server.acknowledgeHeartbeat();
    await world.clock.advance(5_000);
    server.acknowledgeHeartbeat();
    await world.clock.advance(5_000);
    expect(calls()).toHaveLength(6);
    expect(calls().at(-1)?.payload['payload']).toEqual({ name: '11' });
  });

  it('reports a missing right as unauthorized', async () => {
    const { server, presence, calls } = await openRoom();
    server.acceptJoin();
    presence.track({ name: 'Ada' });
    server.reply(calls()[0]?.ref ?? null, { status: 'error', response: {} });
    await Promise.resolve();
    await Promise.resolve();
    expect(presence.getSnapshot().error).toMatchObject({ code: 'unauthorized' });
  });

  it('refuses an entry that is too large or invalid', async () => {
    const { presence } = await openRoom({ maxPayloadBytes: 20 });
    expect(() => presence.track({ name: 'x'.repeat(30) })).toThrow(/exceeds 20 bytes/);
    expect(() => presence.track({ name: 10n as never })).toThrow(
      expect.objectContaining({ code: 'invalid-payload' }) as Error,
    );
  });

  it('forgets all entries when the channel is left, and leaves no timer behind', async () => {
    const { server, presence, client, state, meta, channel, announced, world } = await openRoom();
    server.acceptJoin();
    state({ grace: meta('1', 'Grace') });
    channel.leave();
    expect(presence.getSnapshot().entries.size).toBe(0);
    expect(announced).toEqual(['+grace', '-grace']);
    presence.close();
    client.close();
    expect(world.clock.pendingTimers).toBe(0);
  });
});
