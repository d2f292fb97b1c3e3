import { expect, test } from './support/fixtures.ts';
import { isChange, isReply, isSystem, joinPayload, openFrameSocket } from 'supabase-conformance';
import { at } from 'supabase-conformance';

test('a user reads no rows and receives no changes of another user, also by filter', async ({ world }) => {
  const [ada, grace] = await world.newPair();
  const socket = await openFrameSocket({
    target: {
      realtimeUrl: `${world.stage.project.url.replace(/^http/, 'ws')}/realtime/v1/websocket`,
      anonKey: world.stage.project.anonKey,
    },
  });
  const filters = [`recipient_id=eq.${ada.id}`, `recipient_id=eq.${grace.id}`];
  const bindings = [
    ...filters.map((filter) => ({ event: '*', schema: 'public', table: 'notifications', filter })),
    { event: '*', schema: 'public', table: 'notifications' },
  ];
  socket.send('1', '1', 'realtime:spy', 'phx_join', joinPayload(grace.accessToken, bindings));
  await socket.expect('the reply', isReply('1'));
  await socket.expect('system ok', isSystem('ok'));

  await world.notify(grace, ada, { count: 3 });
  await world.notify(ada, grace);
  await socket.expect("grace's own row", isChange('INSERT'));
  const recipients = socket.received
    .filter(isChange('INSERT'))
    .map(({ payload }) => at(payload, 'data', 'record', 'recipient_id'));
  expect(new Set(recipients)).toEqual(new Set([grace.id]));
  socket.close();

  const stolen = await world.rest.send('GET', '/notifications', {
    token: grace.accessToken,
    query: { recipient_id: `eq.${ada.id}` },
  });
  expect(stolen.json).toEqual([]);
  const everything = await world.rest.send('GET', '/notifications', {
    token: grace.accessToken,
    query: { select: 'recipient_id' },
  });
  expect(everything.json).toEqual([{ recipient_id: grace.id }]);
});
