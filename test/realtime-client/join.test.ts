import { describe, expect, it } from 'vitest';
import { binding, createScriptedScene, topic } from '../support/wire/scripted-realtime.ts';
import { mergeConfigs, defaultJoinConfig } from '../../src/realtime-client/protocol/join-config.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';

describe('joining', () => {
  it('opens the websocket with the public key and the protocol version, and no token', async () => {
    const { client, tab } = createScriptedScene();
    client.channel('user:ada').join();
    expect(tab.sockets.map(({ url }) => url)).toEqual([
      'wss://project.test/realtime/v1/websocket?apikey=public-key&vsn=2.0.0',
    ]);
  });

  it('sends the join with a fresh token once the socket is open', async () => {
    const { client, server, world } = createScriptedScene();
    const channel = client.channel('user:ada');
    createPostgresChanges(channel).on(
      { event: '*', table: 'notifications', filter: 'recipient_id=eq.ada' },
      () => {},
    );
    channel.join();
    expect(channel.getSnapshot().status).toBe('connecting');
    server.open();
    await world.settle();
    expect(server.lastJoin()).toMatchObject({
      topic,
      payload: {
        access_token: 'token-1',
        config: {
          postgres_changes: [
            { event: '*', schema: 'public', table: 'notifications', filter: 'recipient_id=eq.ada' },
          ],
        },
      },
    });
  });

  it('fails with a refusal that arrives after its timeout', async () => {
    const { client, server, world } = createScriptedScene();
    const channel = client.channel('user:ada');
    channel.join();
    server.open();
    await world.settle();
    await world.clock.advance(10_100);
    server.acknowledgeHeartbeat();
    expect(server.sentEvents()).toContain('phx_leave');
    server.refuseJoin('Unauthorized: You do not have permissions to read from this Channel topic');
    expect(channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'unauthorized' } });
  });

  it('is joined on the reply and live on the confirmation', async () => {
    const { openLiveChannel } = createScriptedScene();
    const { statuses } = await openLiveChannel();
    expect(statuses).toEqual(['connecting', 'joined', 'live']);
  });

  it('delivers a change to its listener on the next frame', async () => {
    const { openLiveChannel, server, world } = createScriptedScene();
    const { changes } = await openLiveChannel();
    server.change({ type: 'INSERT', record: { id: 'a' } });
    expect(changes).toEqual([]);
    await world.clock.advance(16);
    expect(changes).toEqual([
      {
        type: 'INSERT',
        schema: 'public',
        table: 'notifications',
        commitTimestamp: '2026-01-01T00:00:00.000Z',
        record: { id: 'a' },
      },
    ]);
  });
});

describe('a join that the server holds until it has subscribed', () => {
  const openHeld = async (subscriptionWaitMs: number | null = 15_000) => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const changes = createPostgresChanges(channel, { subscriptionWaitMs });
    changes.on(binding, () => {});
    channel.join();
    scene.server.open();
    await scene.world.settle();
    return { ...scene, channel };
  };

  it('requests that wait, with the longest time', async () => {
    const { server } = await openHeld();
    expect(server.lastJoin().payload['config']).toMatchObject({
      postgres_changes_options: { wait: true, timeout: 15_000 },
    });
    const { server: other } = await openHeld(null);
    expect(other.lastJoin().payload['config']).not.toHaveProperty('postgres_changes_options');
  });

  it('is neither left nor checked by a heartbeat before that time and the usual deadline have passed', async () => {
    const { server, world } = await openHeld(8_000);
    await world.clock.advance(17_999);
    expect(server.sentEvents()).toEqual(['phx_join']);
    await world.clock.advance(1);
    expect(server.sentEvents()).toEqual(['phx_join', 'heartbeat']);
  });

  it('keeps a socket that replies to no heartbeat meanwhile', async () => {
    const { client, channel, server, tab, world } = await openHeld(null);
    server.acceptJoin();
    server.confirm();
    await world.clock.advance(20_000);
    createPostgresChanges(channel, { subscriptionWaitMs: 15_000 });
    await world.settle();
    expect(server.lastJoin().payload['config']).toHaveProperty('postgres_changes_options');
    await world.clock.advance(19_000);
    expect(server.sentEvents().at(-1)).toBe('heartbeat');
    server.acceptJoin();
    server.acknowledgeHeartbeat();
    server.confirm();
    expect([tab.sockets.length, channel.getSnapshot().status]).toEqual([1, 'live']);
    client.close();
  });

  it('is live upon the confirmation, also of a server that replies at once', async () => {
    const { channel, server, world } = await openHeld();
    server.acceptJoin();
    expect(channel.getSnapshot().status).toBe('joined');
    await world.clock.advance(4_000);
    server.confirm();
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('fails with the reason of a subscription that the server refuses', async () => {
    const { channel, server } = await openHeld();
    const message =
      'RealtimeDisabledForConfiguration: Unable to subscribe to changes with given parameters: [table: tokens]';
    server.refuseJoin(message);
    expect(channel.getSnapshot()).toEqual({
      status: 'failed',
      error: { code: 'subscription-refused', message },
    });
  });

  it('is repeated after the server’s timeout', async () => {
    const { server, world } = await openHeld();
    server.refuseJoin('PostgresChangesSubscribeTimeout: Timed out after 15000ms');
    await world.clock.advance(2_000);
    expect(server.sentEvents()).toEqual(['phx_join', 'phx_join']);
  });

  it('waits for the longest time that any of several tabs allows', () => {
    const short = { ...defaultJoinConfig, subscriptionWaitMs: 5_000 };
    const long = { ...defaultJoinConfig, subscriptionWaitMs: 15_000 };
    expect(mergeConfigs([defaultJoinConfig, long, short]).subscriptionWaitMs).toBe(15_000);
    expect(mergeConfigs([defaultJoinConfig]).subscriptionWaitMs).toBeNull();
  });
});
