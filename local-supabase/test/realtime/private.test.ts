import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADA, BOB, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

const HELLO = { type: 'broadcast', event: 'hello', payload: { n: 1 } };

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
  // Ada may read and write in her room, Bob may only read there, and no other user may join.
  await world.database.exec(`
    grant usage on schema realtime to authenticated;
    create table public.members (topic text, member uuid, writes boolean, primary key (topic, member));
    grant select on public.members to authenticated;
    insert into public.members values ('ada', '${ADA}', true), ('ada', '${BOB}', false);
    create policy reads on realtime.messages for select to authenticated using (
      exists (select from public.members m where m.topic = realtime.topic() and m.member = auth.uid()));
    create policy writes on realtime.messages for insert to authenticated with check (
      exists (select from public.members m where m.topic = realtime.topic() and m.member = auth.uid() and m.writes));
  `);
});
afterAll(() => world.close());

async function join(user: string, topic: string, config: object = {}) {
  const client = await world.connect();
  const payload = { config: { private: true, ...config }, access_token: await world.tokenOf(user) };
  client.send('1', '1', `realtime:${topic}`, 'phx_join', payload);
  const { payload: reply } = await client.nextOf('phx_reply');
  return { client, reply };
}

const post = async (user: string, messages: readonly object[]) =>
  world.service.handle(
    new Request(`${world.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await world.tokenOf(user)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    }),
  );

describe('a private channel', () => {
  test('refuses a user without a policy for reading', async () => {
    for (const [user, topic] of [
      [BOB, 'bob'],
      [ADA, 'bob'],
    ] as const) {
      expect((await join(user, topic)).reply).toEqual({
        status: 'error',
        response: {
          reason: `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`,
        },
      });
    }
  });

  test('receives broadcasts of users with a policy for writing, but not those of the public channel with its name', async () => {
    const [ada, bob, stranger] = [
      await join(ADA, 'ada'),
      await join(BOB, 'ada'),
      await join(BOB, 'ada', { private: false }),
    ];
    ada.client.send('1', '2', 'realtime:ada', 'broadcast', HELLO);
    bob.client.send('1', '2', 'realtime:ada', 'broadcast', HELLO);
    await ada.client.flush();
    expect((await bob.client.flush()).map(({ event }) => event)).toEqual(['broadcast']);
    expect(await ada.client.flush()).toEqual([]);
    expect(await stranger.client.flush()).toEqual([]);
  });

  test('accepts broadcasts by HTTP of users with a policy for writing, and drops others', async () => {
    const { client } = await join(BOB, 'ada');
    const message = { topic: 'ada', event: 'hello', payload: { n: 1 }, private: true };
    for (const user of [BOB, ADA]) expect((await post(user, [message])).status).toBe(202);
    expect((await client.flush()).map(({ payload }) => payload)).toEqual([HELLO]);
  });

  test('ends when a pushed token has lost its policy', async () => {
    const { client } = await join(BOB, 'ada');
    await world.database.query('delete from public.members where member = $1', [BOB]);
    client.send('1', '2', 'realtime:ada', 'access_token', {
      access_token: await world.tokenOf(BOB, { jti: 'another' }),
    });
    const frames = await client.flush();
    expect(frames.map(({ event, payload }) => [event, payload['message']])).toEqual([
      ['system', 'You do not have permissions to read from this Channel topic: ada'],
      ['phx_close', undefined],
    ]);
  });

  test('keeps no message of the permission checks', async () => {
    expect(await world.database.query('select * from realtime.messages')).toEqual([]);
  });
});
