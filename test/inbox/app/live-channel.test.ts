import { expect, test } from 'vitest';
import { openLiveChannel } from '../../../src/inbox/app/live/live-channel.ts';
import { createLiveReads } from '../../../src/realtime-client/live-query/live-query.ts';
import { createScriptedScene, topic } from '../../support/wire/scripted-realtime.ts';

async function openChannel(usesBroadcasts = true) {
  const scene = createScriptedScene({ settings: { heartbeatMs: 3_600_000 } });
  const { client, server, tab, world } = scene;
  const arrived = { gaps: 0, doubts: 0, received: 0 };
  const reads = createLiveReads({
    platform: tab,
    read: () => Promise.resolve(),
    onCause: (cause) => {
      arrived[cause === 'live' || cause === 'gap' ? 'gaps' : 'doubts'] += 1;
      return true;
    },
  });
  const close = openLiveChannel({
    realtime: client,
    usesBroadcasts,
    userId: 'ada',
    platform: tab,
    inbox: {
      follow: reads.follow,
      receive(changes) {
        reads.noteChanges(changes.length);
        arrived.received += changes.length;
      },
      catchUp() {
        arrived.doubts += 1;
        void reads.refresh();
      },
      setLost: () => {},
    },
    onPreferences: () => {},
    onSessionsEnded: () => {},
  });
  server.open();
  await world.settle();
  server.acceptJoin();
  if (!usesBroadcasts) server.confirm();
  server.system('ok', 'Replication connection established', 'system');
  await world.settle();
  return { ...scene, arrived, close, advance: (ms: number) => world.clock.advance(ms) };
}

const changeRows = ({ server }: Awaited<ReturnType<typeof openChannel>>, rows: number) => {
  const records = Array.from({ length: rows }, (_, row) => ({ id: `row ${row}` }));
  const payload = { operation: 'DELETE', schema: 'public', table: 'notifications', old_records: records };
  server.send(null, null, topic, 'broadcast', { event: 'DELETE', payload });
};

test('a message without rows is a gap: the statement changed more than it could list', async () => {
  const { server, advance, arrived } = await openChannel();
  const payload = { operation: 'UPDATE', schema: 'public', table: 'notifications' };
  server.send(null, null, topic, 'broadcast', { event: 'UPDATE', payload });
  await advance(16);
  expect(arrived).toMatchObject({ gaps: 2, received: 0 });
});

test('requests the changes once their rate is near the limit of the server', async () => {
  const channel = await openChannel();
  changeRows(channel, 90);
  await channel.advance(2_500);
  expect(channel.arrived.doubts).toBe(1);
});

test('requests the changes of a burst once, although they are near the rate limit too', async () => {
  const channel = await openChannel();
  changeRows(channel, 150);
  await channel.advance(100);
  changeRows(channel, 300);
  await channel.advance(10_000);
  expect(channel.arrived.doubts).toBe(1);
});

test('with postgres_changes it opens the subscription of the specification, in the user’s only channel', async () => {
  const { server, arrived, advance, client } = await openChannel(false);
  const notifications = { schema: 'public', table: 'notifications', filter: 'recipient_id=eq.ada' };
  expect(server.lastJoin()).toMatchObject({
    topic,
    payload: {
      config: {
        postgres_changes: [
          { event: 'INSERT', ...notifications },
          { event: 'UPDATE', ...notifications },
          { event: 'DELETE', ...notifications },
          { event: '*', schema: 'public', table: 'notification_preferences', filter: 'user_id=eq.ada' },
        ],
      },
    },
  });
  expect(client.getChannels()).toHaveLength(1);
  server.change({ type: 'DELETE', old_record: { id: 'gone' } }, [server.bindingId + 2]);
  await advance(16);
  expect(arrived.received).toBe(1);
});

test.each([
  ['broadcasts', true],
  ['postgres_changes', false],
])(
  'while Realtime is down, the page by %s requests changes every 25 seconds, once each time',
  async (_source, usesBroadcasts) => {
    const { advance, arrived, server, tab } = await openChannel(usesBroadcasts);
    server.socket().fail();
    await advance(100_000);
    expect(arrived).toMatchObject({ gaps: 1, doubts: 4 });
    tab.setOnline(false);
    await advance(100_000);
    expect(arrived.doubts).toBe(4);
  },
);
