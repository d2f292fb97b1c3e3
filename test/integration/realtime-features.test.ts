import {
  REALTIME_SUBSCRIBE_STATES,
  RealtimeClient as VendorClient,
  type RealtimeChannel as VendorChannel,
} from '@supabase/realtime-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createBroadcast, type BroadcastOptions } from '../../src/realtime-client/broadcast/broadcast.ts';
import { sendBroadcast, sendBroadcasts } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { ADA, BOB, createRealtimeWorld, type RealtimeWorld } from 'local-supabase/testing';
import { openNodeSocket } from '../support/node-socket.ts';

interface Events extends Record<string, unknown> {
  readonly chat: { readonly text: string };
  readonly bytes: Uint8Array;
}
interface Person {
  readonly name: string;
}

let world: RealtimeWorld;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  world = await createRealtimeWorld();
  // Ada reads and writes in the room "ada"; Bob reads only.
  await world.database.exec(`
    grant usage on schema realtime to authenticated;
    create policy reads on realtime.messages for select to authenticated using (realtime.topic() = 'ada');
    create policy writes on realtime.messages for insert to authenticated
      with check (realtime.topic() = 'ada' and auth.uid() = '${ADA}');
    create function public.tell_notes() returns trigger language plpgsql security definer as $$ begin
      perform realtime.broadcast_changes('ada', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
      return null;
    end $$;
    create trigger tell_notes after insert or update or delete on public.notes
      for each row execute function public.tell_notes();
  `);
});
afterAll(() => world.close());
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function open(
  user: string,
  name: string,
  options: BroadcastOptions<Events> & { private?: boolean } = {},
) {
  const token = await world.tokenOf(user);
  const client = createRealtimeClient({
    url: world.url,
    apiKey: world.keys.anonKey,
    platform: createPlatform({
      openSocket: openNodeSocket,
      fetch: (input, init) => Promise.resolve(world.service.handle(new Request(input, init))),
    }),
    getAccessToken: () => Promise.resolve(token),
    settings: { timeoutMs: 2_000 },
  });
  closers.push(() => client.close());
  const channel = client.channel(name, { private: options.private ?? false });
  const room = createBroadcast<Events>(channel, options);
  const received: unknown[] = [];
  room.on('*', ({ payload }) => received.push(payload));
  return {
    client,
    channel,
    room,
    received,
    join: async () => {
      channel.join();
      await expect.poll(() => channel.getSnapshot().status).toBe('live');
    },
  };
}

async function openVendor(user: string, name: string, config: object = {}): Promise<VendorChannel> {
  const token = await world.tokenOf(user);
  const client = new VendorClient(`${world.url.replace('http', 'ws')}/realtime/v1`, {
    params: { apikey: world.keys.anonKey },
    transport: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  closers.push(() => client.disconnect());
  await client.setAuth(token);
  return client.channel(name, { config });
}
const subscribed = (channel: VendorChannel) =>
  new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve();
    });
  });

describe('broadcasts', () => {
  it('reach the other clients as JSON and as bytes, and are acknowledged', async () => {
    const [ada, bob] = [await open(ADA, 'room', { ack: true }), await open(BOB, 'room')];
    await Promise.all([ada.join(), bob.join()]);
    expect(await ada.room.send('chat', { text: 'Hello' })).toEqual({ status: 'acknowledged' });
    expect(await ada.room.send('bytes', Uint8Array.of(1, 2, 255))).toEqual({ status: 'acknowledged' });
    expect(await bob.room.send('chat', { text: 'Hi' })).toEqual({ status: 'sent' });
    await expect.poll(() => bob.received).toEqual([{ text: 'Hello' }, Uint8Array.of(1, 2, 255)]);
    await expect.poll(() => ada.received).toEqual([{ text: 'Hi' }]);
  });

  it('broadcasts by HTTP reach several topics without a socket, and errors are typed', async () => {
    const [one, two] = [await open(ADA, 'one'), await open(BOB, 'two')];
    await Promise.all([one.join(), two.join()]);
    const { client } = await open(ADA, 'unused');
    const message = (topic: string) => ({ topic, event: 'chat', payload: { text: topic } });
    await sendBroadcasts(client, [message('one'), message('two')]);
    await expect.poll(() => [one.received, two.received]).toEqual([[{ text: 'one' }], [{ text: 'two' }]]);
    await expect(sendBroadcasts(client, [{ topic: '', event: '', payload: {} }])).rejects.toMatchObject({
      code: 'invalid-payload',
      status: 422,
    });
    const sendPayload = (payload: Record<string, unknown>, maxPayloadBytes?: number) =>
      sendBroadcasts(
        client,
        [{ topic: 'one', event: 'chat', payload }],
        maxPayloadBytes === undefined ? {} : { maxPayloadBytes },
      );
    await expect(sendPayload({ text: 'too long' }, 10)).rejects.toMatchObject({
      code: 'payload-too-large',
      status: null,
    });
    await expect(sendPayload({ id: 1n })).rejects.toMatchObject({ code: 'invalid-payload', status: null });
    const aborted = AbortSignal.abort();
    await expect(sendBroadcasts(client, [message('one')], { signal: aborted })).rejects.toMatchObject({
      code: 'aborted',
      status: null,
    });
  });

  it('are exchanged with the vendor’s client', async () => {
    const ours = await open(ADA, 'mixed');
    const theirs = await openVendor(BOB, 'mixed');
    const received: unknown[] = [];
    theirs.on('broadcast', { event: 'chat' }, ({ payload }) => received.push(payload));
    await Promise.all([ours.join(), subscribed(theirs)]);
    await ours.room.send('chat', { text: 'from us' });
    await theirs.send({ type: 'broadcast', event: 'chat', payload: { text: 'from them' } });
    await expect
      .poll(() => [received, ours.received])
      .toEqual([[{ text: 'from us' }], [{ text: 'from them' }]]);
  });
});

describe('broadcasts that are stored', () => {
  const replay = { sinceMs: 0, limit: 25 };

  it('reach each joined channel once, and by replay a channel that joins later', async () => {
    const ada = await open(ADA, 'ada', { private: true, ack: true });
    const bob = await open(BOB, 'ada', { private: true });
    await Promise.all([ada.join(), bob.join()]);
    expect(await ada.room.send('chat', { text: 'kept' }, { persist: true })).toEqual({
      status: 'acknowledged',
    });
    await ada.room.send('bytes', Uint8Array.of(7), { persist: { ttlSeconds: 3600 } });
    await ada.room.send('chat', { text: 'not kept' });
    const announcement = { topic: 'ada', event: 'chat', payload: { text: 'by HTTP' }, private: true };
    await sendBroadcast(ada.client, announcement, { persist: { ttlSeconds: 60 } });
    const kept = [{ text: 'kept' }, Uint8Array.of(7), { text: 'by HTTP' }];
    await expect.poll(() => bob.received).toEqual([...kept.slice(0, 2), { text: 'not kept' }, kept[2]]);
    expect(ada.received).toEqual([{ text: 'by HTTP' }]);
    const later = await open(BOB, 'ada', { private: true, replay });
    await later.join();
    await expect.poll(() => later.received).toEqual(kept);
    expect(bob.received).toHaveLength(4);
  });

  it.each(['\0', '\ud800'])('are refused with a text that PostgreSQL cannot store: %j', async (text) => {
    const ada = await open(ADA, 'ada', { private: true, ack: true });
    await ada.join();
    await expect(ada.room.send('chat', { text }, { persist: true })).rejects.toMatchObject({
      code: 'push-refused',
    });
    const message = { topic: 'ada', event: 'chat', payload: { text }, private: true };
    await expect(sendBroadcast(ada.client, message, { persist: true })).rejects.toMatchObject({
      code: 'invalid-payload',
    });
  });

  it('need a private channel, and by HTTP a policy', async () => {
    const { room, client, join } = await open(ADA, 'open');
    await join();
    await expect(room.send('chat', { text: 'x' }, { persist: true })).rejects.toMatchObject({
      code: 'invalid-payload',
    });
    const message = { topic: 'open', event: 'chat', payload: { text: 'x' } };
    await expect(sendBroadcast(client, message, { persist: true })).rejects.toMatchObject({
      code: 'invalid-payload',
    });
    const { client: reader } = await open(BOB, 'unused');
    await expect(
      sendBroadcast(reader, { ...message, topic: 'ada', private: true }, { persist: true }),
    ).rejects.toMatchObject({ code: 'unauthorized', status: 403 });
    await expect(sendBroadcast(client, message)).resolves.toBeUndefined();
  });
});

describe('private channels', () => {
  it('refuse a user without the right to read, and name the right', async () => {
    const { channel } = await open(BOB, 'elsewhere', { private: true });
    channel.join();
    await expect.poll(() => channel.getSnapshot().status).toBe('failed');
    expect(channel.getSnapshot().error).toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/realtime\.messages allows select/) as string,
    });
  });

  it('deliver from users with the write right, and name the missing right otherwise', async () => {
    const ada = await open(ADA, 'ada', { private: true, ack: true });
    const bob = await open(BOB, 'ada', { private: true, ack: true });
    await Promise.all([ada.join(), bob.join()]);
    expect(await ada.room.send('chat', { text: 'Hello' })).toEqual({ status: 'acknowledged' });
    await expect.poll(() => bob.received).toEqual([{ text: 'Hello' }]);
    await expect(bob.room.send('chat', { text: 'forbidden' })).rejects.toMatchObject({
      code: 'push-timeout',
      message: expect.stringMatching(/insert/) as string,
    });
    const presence = createPresence<Person>(bob.channel, { key: 'bob' });
    presence.track({ name: 'Bob' });
    await expect.poll(() => presence.getSnapshot().error?.code).toBe('unauthorized');
    expect(ada.received).toEqual([]);
  });

  it('deliver the changes that the database broadcasts', async () => {
    const { channel, join } = await open(ADA, 'ada', { private: true });
    const changes: string[] = [];
    createDatabaseBroadcast(channel).onChanges<{ id: number; body: string }>({ table: 'notes' }, (all) =>
      changes.push(...all.map((one) => `${one.type} ${one.type === 'DELETE' ? '' : one.record.body}`.trim())),
    );
    await join();
    await world.database.exec(`insert into notes (owner, body) values ('${ADA}', 'a')`);
    await expect.poll(() => changes).toEqual(['INSERT a']);
    await world.database.exec(`update notes set body = 'b'`);
    await expect.poll(() => changes).toEqual(['INSERT a', 'UPDATE b']);
    await world.database.exec('delete from notes');
    await expect.poll(() => changes).toEqual(['INSERT a', 'UPDATE b', 'DELETE']);
  });
});

describe('presence', () => {
  it("shows present users, also with the vendor's client", async () => {
    const ada = await open(ADA, 'lobby');
    const bob = await open(BOB, 'lobby');
    const theirs = await openVendor(BOB, 'lobby', { presence: { key: 'vendor', enabled: true } });
    theirs.on('presence', { event: 'sync' }, () => {});
    const presences = [
      createPresence<Person>(ada.channel, { key: 'ada' }),
      createPresence<Person>(bob.channel, { key: 'bob' }),
    ] as const;
    presences[0].track({ name: 'Ada' });
    presences[1].track({ name: 'Bob' });
    await Promise.all([ada.join(), bob.join(), subscribed(theirs)]);
    await theirs.track({ name: 'Vendor' });
    const names = (presence: (typeof presences)[number]) =>
      [...presence.getSnapshot().entries.values()]
        .flat()
        .map(({ name }) => name)
        .sort();
    const all = ['Ada', 'Bob', 'Vendor'];
    await expect.poll(() => presences.map(names)).toEqual([all, all]);
    expect(Object.keys(theirs.presenceState()).sort()).toEqual(['ada', 'bob', 'vendor']);
    bob.client.close();
    await expect.poll(() => names(presences[0])).toEqual(['Ada', 'Vendor']);
  });
});
