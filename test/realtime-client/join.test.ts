import { describe, expect, it } from 'vitest';
import { createScriptedScene, topic } from '../support/wire/scripted-realtime.ts';
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
