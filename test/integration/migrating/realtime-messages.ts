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
        const heard: unknown[] = [];
        receiver.on('broadcast', { event: 'chat' }, ({ payload }) => heard.push(payload));
        await Promise.all([subscribed(sender), subscribed(receiver)]);
        await sender.send({ type: 'broadcast', event: 'chat', payload: { text: 'Hi' } });
        await eventually(() => heard.length > 0);
        return [...heard];
      },
      here: async () => {
        const [sender, receiver] = await pair('room');
        const heard: unknown[] = [];
        const room = createBroadcast(sender);
        createBroadcast(receiver).on('chat', ({ payload }) => heard.push(payload));
        await Promise.all([joined(sender), joined(receiver)]);
        await room.send('chat', { text: 'Hi' });
        await eventually(() => heard.length > 0);
        return [...heard];
      },
    },
    {
      cell: '`config: { broadcast: { ack, self, replay } }`',
      vendor: async (client) => {
        const heard: unknown[] = [];
        const channel = client.channel('room', { config: { broadcast: { ack: true, self: true } } });
        channel.on('broadcast', { event: 'chat' }, ({ payload }) => heard.push(payload));
        await subscribed(channel);
        const outcome = await channel.send({ type: 'broadcast', event: 'chat', payload: { text: 'Hi' } });
        await eventually(() => heard.length > 0);
        return [outcome === 'ok', [...heard]];
      },
      here: async ({ realtime }) => {
        const heard: unknown[] = [];
        const channel = realtime.channel('room');
        const room = createBroadcast(channel, { ack: true, self: true });
        room.on('chat', ({ payload }) => heard.push(payload));
        await joined(channel);
        const { status } = await room.send('chat', { text: 'Hi' });
        await eventually(() => heard.length > 0);
        return [status === 'acknowledged', [...heard]];
      },
    },
    {
      cell: '`channel.httpSend(event, payload)`',
      vendor: async (client) => {
        const heard: unknown[] = [];
        const receiver = (await openAnother()).channel('room');
        receiver.on('broadcast', { event: 'chat' }, ({ payload }) => heard.push(payload));
        await subscribed(receiver);
        await client.channel('room').httpSend('chat', { text: 'Hi' });
        await eventually(() => heard.length > 0);
        return [...heard];
      },
      here: async ({ realtime }) => {
        const heard: unknown[] = [];
        const receiver = (await openHere()).realtime.channel('room');
        createBroadcast(receiver).on('chat', ({ payload }) => heard.push(payload));
        await joined(receiver);
        await sendBroadcasts(realtime, [{ topic: 'room', event: 'chat', payload: { text: 'Hi' } }]);
        await eventually(() => heard.length > 0);
        return [...heard];
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
        const heard: string[] = [];
        for (const event of ['join', 'leave'] as const) {
          const options: unknown = { event };
          two.on('presence', options as { event: 'join' }, () => heard.push(event));
        }
        await Promise.all([subscribed(one), subscribed(two)]);
        await one.track({ name: 'Ada' });
        await eventually(() => heard.includes('join'));
        await one.untrack();
        await eventually(() => heard.includes('leave'));
        return [...new Set(heard)];
      },
      here: async () => {
        const [one, two] = await pair('room');
        const heard: string[] = [];
        const presence = createPresence(one, { key: 'ada' });
        const observed = createPresence(two, { key: 'bob' });
        observed.onJoin(() => heard.push('join'));
        observed.onLeave(() => heard.push('leave'));
        await Promise.all([joined(one), joined(two)]);
        presence.track({ name: 'Ada' });
        await eventually(() => heard.includes('join'));
        presence.untrack();
        await eventually(() => heard.includes('leave'));
        return [...heard];
      },
    },
    {
      cell: "`.on('broadcast', …)` of `realtime.broadcast_changes()`",
      vendor: async (client) => {
        const heard: unknown[] = [];
        const channel = client.channel('m_allowed', { config: { private: true } });
        channel.on('broadcast', { event: 'INSERT' }, ({ payload }: { payload: { record: Note } }) =>
          heard.push(payload.record.body),
        );
        await subscribed(channel);
        await addNote();
        await eventually(() => heard.length > 0);
        return [...heard];
      },
      here: async ({ realtime }) => {
        const heard: unknown[] = [];
        const channel = realtime.channel('m_allowed', { private: true });
        createDatabaseBroadcast(channel).onChanges<Note>({ table: 'm_notes' }, (changes) => {
          for (const change of changes) if (change.type === 'INSERT') heard.push(change.record.body);
        });
        await joined(channel);
        await addNote();
        await eventually(() => heard.length > 0);
        return [...heard];
      },
    },
  ];
}
