import { createBroadcast } from '../../../src/realtime-client/broadcast/broadcast.ts';
import { sendBroadcasts } from '../../../src/realtime-client/broadcast/http-broadcast.ts';
import { createDatabaseBroadcast } from '../../../src/realtime-client/broadcast/database-broadcast.ts';
import { createPresence } from '../../../src/realtime-client/presence/presence.ts';
import {
  eventually,
  subscribed,
  joined,
  type Note,
  type RealtimeRow,
  type RealtimeTools,
} from './realtime-tools.ts';

/** Rows about broadcasts and presence. */
export function messageRows({
  openAnother,
  openHere,
  addNote,
  vendorPair,
  pair,
}: RealtimeTools): readonly RealtimeRow[] {
  return [
    {
      cell: "`.on('broadcast', { event }, callback)`, `.send({ type: 'broadcast', event, payload })`",
      vendor: async () => {
        const [sender, receiver] = await vendorPair('room');
        const received: unknown[] = [];
        receiver.on('broadcast', { event: 'chat' }, ({ payload }) => received.push(payload));
        await Promise.all([subscribed(sender), subscribed(receiver)]);
        await sender.send({ type: 'broadcast', event: 'chat', payload: { text: 'Hi' } });
        await eventually(() => received.length > 0);
        return [...received];
      },
      here: async () => {
        const [sender, receiver] = await pair('room');
        const received: unknown[] = [];
        const room = createBroadcast(sender);
        createBroadcast(receiver).on('chat', ({ payload }) => received.push(payload));
        await Promise.all([joined(sender), joined(receiver)]);
        await room.send('chat', { text: 'Hi' });
        await eventually(() => received.length > 0);
        return [...received];
      },
    },
    {
      cell: '`config: { broadcast: { ack, self, replay } }`',
      vendor: async (client) => {
        const received: unknown[] = [];
        const channel = client.channel('room', { config: { broadcast: { ack: true, self: true } } });
        channel.on('broadcast', { event: 'chat' }, ({ payload }) => received.push(payload));
        await subscribed(channel);
        const outcome = await channel.send({ type: 'broadcast', event: 'chat', payload: { text: 'Hi' } });
        await eventually(() => received.length > 0);
        return [outcome === 'ok', [...received]];
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('room');
        const room = createBroadcast(channel, { ack: true, self: true });
        room.on('chat', ({ payload }) => received.push(payload));
        await joined(channel);
        const { status } = await room.send('chat', { text: 'Hi' });
        await eventually(() => received.length > 0);
        return [status === 'acknowledged', [...received]];
      },
    },
    {
      cell: '`channel.httpSend(event, payload)`',
      vendor: async (client) => {
        const received: unknown[] = [];
        const receiver = (await openAnother()).channel('room');
        receiver.on('broadcast', { event: 'chat' }, ({ payload }) => received.push(payload));
        await subscribed(receiver);
        await client.channel('room').httpSend('chat', { text: 'Hi' });
        await eventually(() => received.length > 0);
        return [...received];
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const receiver = (await openHere()).realtime.channel('room');
        createBroadcast(receiver).on('chat', ({ payload }) => received.push(payload));
        await joined(receiver);
        await sendBroadcasts(realtime, [{ topic: 'room', event: 'chat', payload: { text: 'Hi' } }]);
        await eventually(() => received.length > 0);
        return [...received];
      },
    },
    {
      cell: '`config: { presence: { key } }`, `.track(…)`, `.untrack()`, `.presenceState()`',
      vendor: async (client) => {
        const channel = client.channel('room', { config: { presence: { key: 'ada' } } });
        channel.on('presence', { event: 'sync' }, () => undefined);
        await subscribed(channel);
        await channel.track({ name: 'Ada' });
        await eventually(() => Object.keys(channel.presenceState()).length > 0);
        const keys = Object.keys(channel.presenceState());
        await channel.untrack();
        await eventually(() => Object.keys(channel.presenceState()).length === 0);
        return keys;
      },
      here: async ({ realtime }) => {
        const channel = realtime.channel('room');
        const presence = createPresence<{ name: string }>(channel, { key: 'ada' });
        await joined(channel);
        presence.track({ name: 'Ada' });
        await eventually(() => presence.getSnapshot().entries.size > 0);
        const keys = [...presence.getSnapshot().entries.keys()];
        presence.untrack();
        await eventually(() => presence.getSnapshot().entries.size === 0);
        return keys;
      },
    },
    {
      cell: "`.on('presence', { event: 'sync' / 'join' / 'leave' }, …)`",
      vendor: async () => {
        const [one, two] = await vendorPair('room', { presence: { key: '' } });
        const received: string[] = [];
        for (const event of ['join', 'leave'] as const) {
          const options: unknown = { event };
          two.on('presence', options as { event: 'join' }, () => received.push(event));
        }
        await Promise.all([subscribed(one), subscribed(two)]);
        await one.track({ name: 'Ada' });
        await eventually(() => received.includes('join'));
        await one.untrack();
        await eventually(() => received.includes('leave'));
        return [...new Set(received)];
      },
      here: async () => {
        const [one, two] = await pair('room');
        const received: string[] = [];
        const presence = createPresence(one, { key: 'ada' });
        const observed = createPresence(two, { key: 'bob' });
        observed.onJoin(() => received.push('join'));
        observed.onLeave(() => received.push('leave'));
        await Promise.all([joined(one), joined(two)]);
        presence.track({ name: 'Ada' });
        await eventually(() => received.includes('join'));
        presence.untrack();
        await eventually(() => received.includes('leave'));
        return [...received];
      },
    },
    {
      cell: "`.on('broadcast', …)` of `realtime.broadcast_changes()`",
      vendor: async (client) => {
        const received: unknown[] = [];
        const channel = client.channel('m_allowed', { config: { private: true } });
        channel.on('broadcast', { event: 'INSERT' }, ({ payload }: { payload: { record: Note } }) =>
          received.push(payload.record.body),
        );
        await subscribed(channel);
        await addNote();
        await eventually(() => received.length > 0);
        return [...received];
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('m_allowed', { private: true });
        createDatabaseBroadcast(channel).onChanges<Note>({ table: 'm_notes' }, (changes) => {
          for (const change of changes) if (change.type === 'INSERT') received.push(change.record.body);
        });
        await joined(channel);
        await addNote();
        await eventually(() => received.length > 0);
        return [...received];
      },
    },
  ];
}
