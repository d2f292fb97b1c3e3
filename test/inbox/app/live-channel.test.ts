import { expect, test } from 'vitest';
import { openLiveChannel } from '../../../src/inbox/app/live/live-channel.ts';
import { createScriptedScene } from '../../support/wire/scripted-realtime.ts';

/** The channel of a user, live. */
async function openChannel() {
  const scene = createScriptedScene({ settings: { heartbeatMs: 3_600_000 } });
  const { client, server, tab, world } = scene;
  const heard = { gaps: 0, doubts: 0, received: 0 };
  const close = openLiveChannel({
    realtime: client,
    usesBroadcasts: false,
    userId: 'ada',
    platform: tab,
    onNotifications: (changes) => (heard.received += changes.length),
    onPreferences: () => {},
    onSessionsEnded: () => {},
    onGap: () => (heard.gaps += 1),
    onDoubt: () => (heard.doubts += 1),
    onConnection: () => {},
  });
  server.open();
  await world.settle();
  server.acceptJoin();
  server.confirm();
  await world.settle();
  return { ...scene, heard, close, advance: (ms: number) => world.clock.advance(ms) };
}

test('the live channel asks for changes every 25 seconds: the server loses some without a sign', async () => {
  const { advance, heard, close } = await openChannel();
  expect(heard).toMatchObject({ gaps: 1, doubts: 0 });
  await advance(24_000);
  expect(heard.doubts).toBe(0);
  await advance(1_000);
  expect(heard.doubts).toBe(1);
  await advance(50_000);
  expect(heard.doubts).toBe(3);
  close();
  await advance(60_000);
  expect(heard.doubts).toBe(3);
});

test('a hidden page asks for nothing until it is shown', async () => {
  const { advance, heard, tab } = await openChannel();
  tab.setVisible(false);
  await advance(120_000);
  expect(heard.doubts).toBe(0);
  tab.setVisible(true);
  await advance(0);
  expect(heard.doubts).toBe(1);
});

const changeRows = ({ server }: Awaited<ReturnType<typeof openChannel>>, rows: number) => {
  for (let row = 0; row < rows; row += 1)
    server.change({
      type: 'DELETE',
      commit_timestamp: '2026-01-01T00:00:00Z',
      old_record: { id: `row ${row}` },
    });
};

test('changes near the rate limit of the server are asked for soon', async () => {
  const channel = await openChannel();
  changeRows(channel, 90);
  await channel.advance(2_500);
  expect(channel.heard.doubts).toBe(1);
});

test('changes of a burst are asked for once, although they are near the rate limit too', async () => {
  const channel = await openChannel();
  changeRows(channel, 150);
  await channel.advance(100);
  changeRows(channel, 300);
  await channel.advance(10_000);
  expect(channel.heard.doubts).toBe(1);
});
