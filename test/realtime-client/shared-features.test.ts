import { describe, expect, it } from 'vitest';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import type { JoinConfig } from '../../src/realtime-client/protocol/join-config.ts';
import { createPresence, type PresenceOptions } from '../../src/realtime-client/presence/presence.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createRealtimeModel } from '../support/wire/realtime-model.ts';

interface Person {
  readonly name: string;
}
const topic = 'realtime:room';

/** Tabs of one browser, which share a socket, and a device with a separate socket. */
function createDevices() {
  const world = createFakeWorld();
  const server = createRealtimeModel(world.openTab().clock, () => 20);
  const token = `.${btoa(JSON.stringify({ sub: 'ada' }))}.`;
  server.validTokens.add(token);
  const open = (isShared: boolean, options: PresenceOptions<Person> = {}) => {
    const tab = world.openTab();
    const events: string[] = [];
    const client = createRealtimeClient({
      url: 'https://project.test',
      apiKey: 'key',
      platform: world.openTab({
        openSocket: server.openSocket,
        openTabChannel: tab.openTabChannel,
        locks: tab.locks,
      }),
      getAccessToken: () => Promise.resolve(token),
      log: ({ type }) => events.push(type),
      ...(isShared && { share: shareSocket }),
    });
    const channel = client.channel('room');
    const room = createBroadcast<{ chat: string; bytes: Uint8Array }>(channel, { ack: true });
    const presence = createPresence<Person>(channel, { key: isShared ? 'browser' : 'phone', ...options });
    const received: unknown[] = [];
    room.on('*', ({ payload }) => received.push(payload));
    channel.join();
    return {
      client,
      channel,
      room,
      presence,
      received,
      events,
      present: () => Object.fromEntries(presence.getSnapshot().entries),
    };
  };
  return { world, server, open };
}

describe('tabs that share a socket', () => {
  it('receive a broadcast of each other without an echo of the server, and of other devices', async () => {
    const { world, open } = createDevices();
    const [first, second, phone] = [open(true), open(true), open(false)];
    await world.clock.advance(1_000);
    const outcome = second.room.send('chat', 'from a tab');
    await world.clock.advance(500);
    expect(await outcome).toEqual({ status: 'acknowledged' });
    void phone.room.send('chat', 'from the phone');
    await world.clock.advance(500);
    expect(first.received).toEqual(['from a tab', 'from the phone']);
    expect(second.received).toEqual(['from the phone']);
    expect(phone.received).toEqual(['from a tab']);
  });

  it('receive no broadcast of each other that the server did not acknowledge', async () => {
    const { world, server, open } = createDevices();
    const [first, second] = [open(true), open(true)];
    await world.clock.advance(1_000);
    server.forbidSending(true);
    const outcome = Promise.allSettled([first.room.send('chat', 'forbidden')]);
    await world.clock.advance(11_000);
    expect(await outcome).toMatchObject([{ reason: { code: 'push-timeout' } }]);
    expect(second.received).toEqual([]);
  });

  it('count as one device: the latest entry represents all, until the last tab closes', async () => {
    const { world, server, open } = createDevices();
    const [first, second, phone] = [open(true), open(true), open(false)];
    first.presence.track({ name: 'first' });
    await world.clock.advance(1_000);
    second.presence.track({ name: 'second' });
    await world.clock.advance(1_000);
    expect([phone, first, second].map((one) => one.present())).toEqual(
      Array.from({ length: 3 }, () => ({ browser: [{ name: 'second' }] })),
    );
    second.client.close();
    await world.clock.advance(1_000);
    expect(phone.present()).toEqual({ browser: [{ name: 'first' }] });
    first.client.close();
    await world.clock.advance(5_000);
    expect([phone.present(), server.presenceOf(topic)]).toEqual([{}, {}]);
  });

  it('count as one entry each if the option requests it', async () => {
    const { world, open } = createDevices();
    const [first, second, phone] = [
      open(true, { countAs: 'tab' }),
      open(true, { countAs: 'tab' }),
      open(false),
    ];
    first.presence.track({ name: 'first' });
    second.presence.track({ name: 'second' });
    await world.clock.advance(2_000);
    expect(phone.present()).toEqual({ browser: [{ name: 'first' }, { name: 'second' }] });
  });

  it('show who is present in a tab that opens later', async () => {
    const { world, open } = createDevices();
    const [phone] = [open(false), open(true)];
    phone.presence.track({ name: 'phone' });
    await world.clock.advance(2_000);
    const later = open(true);
    await world.clock.advance(1_000);
    expect(later.present()).toEqual({ phone: [{ name: 'phone' }] });
    expect(later.presence.getSnapshot().isSynced).toBe(true);
  });

  it('keep the entry of a tab when another one takes over the socket', async () => {
    const { world, open } = createDevices();
    const [leader, follower, phone] = [open(true), open(true), open(false)];
    const announced: string[] = [];
    phone.presence.onLeave((key) => announced.push(key));
    follower.presence.track({ name: 'follower' });
    await world.clock.advance(2_000);
    leader.client.close();
    await world.clock.advance(5_000);
    expect(phone.present()).toEqual({ browser: [{ name: 'follower' }] });
    expect(follower.presence.getSnapshot().isSynced).toBe(true);
  });

  it.each<[Partial<JoinConfig>, object]>([
    [{ private: true }, { private: true }],
    [{ ack: true }, { broadcast: { ack: true } }],
    [{ presenceKey: 'browser' }, { presence: { key: 'browser', enabled: true } }],
    [
      { private: true, replay: { sinceMs: 1_000, limit: 5 } },
      { broadcast: { replay: { since: 1_000, limit: 5 } } },
    ],
    [{ replicationReady: true }, { broadcast: { replication_ready: true } }],
    [{ subscriptionWaitMs: 5_000 }, { postgres_changes_options: { wait: true, timeout: 5_000 } }],
  ])('join with %j if one of them requests it', async (requested, config) => {
    for (const requesting of [0, 1]) {
      const { world, server, open } = createDevices();
      const channels = [open(true), open(true)].map(({ client }) => client.channel('plain'));
      await world.clock.advance(1_000);
      channels[requesting]?.updateJoinPayload(requested);
      channels.forEach((channel) => channel.join());
      await world.clock.advance(1_000);
      expect(server.lastJoinConfig).toMatchObject(config);
    }
  });

  it('receive the heartbeats of the socket', async () => {
    const { world, open } = createDevices();
    const [leader, follower] = [open(true), open(true)];
    await world.clock.advance(60_000);
    expect([leader.events.includes('heartbeat'), follower.events.includes('heartbeat')]).toEqual([
      true,
      true,
    ]);
  });
});
