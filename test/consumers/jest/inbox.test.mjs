import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';
import { createTestClients } from 'supabase-protocol-clients/testing';

test('an inbox reads its rows and shows a change', async () => {
  const { auth, rest, realtime, wire, clock, emitChange, close } = await createTestClients();
  expect(auth.getSnapshot().status).toBe('signed-in');

  wire.on('GET /rest/v1/notifications', Response.json([{ id: '1' }]));
  expect(await rest.from('notifications').select('id').eq('status', 'unread')).toEqual([{ id: '1' }]);

  const channel = realtime.channel('inbox');
  const arrived = [];
  createPostgresChanges(channel).on({ table: 'notifications' }, ({ type }) => arrived.push(type));
  channel.join();
  await clock.advance(100);
  emitChange({ type: 'INSERT', table: 'notifications', record: { id: '2', content: 'Hello' } });
  await clock.advance(100);
  expect(arrived).toEqual(['INSERT']);
  close();
});
