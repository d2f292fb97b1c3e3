import { createBroadcast } from '../../../src/realtime-client/broadcast/broadcast.ts';
import { createPostgresChanges } from '../../../src/realtime-client/changes/postgres-changes.ts';
import {
  binding,
  eventually,
  subscribed,
  joined,
  type Note,
  type RealtimeRow,
  type RealtimeTools,
} from './realtime-tools.ts';

export function channelRows({
  supabase,
  openAnother,
  openHere,
  addNote,
  addUntil,
}: RealtimeTools): readonly RealtimeRow[] {
  return [
    {
      cell: "`channel('n').on('postgres_changes', { event, schema, table, filter }, callback)`",
      vendor: async (client) => {
        const received: unknown[] = [];
        const channel = client.channel('n');
        channel.on('postgres_changes', binding, ({ new: row }) => received.push(row['body']));
        await subscribed(channel);
        return addUntil(received);
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('n');
        createPostgresChanges(channel).on(binding, (change) => {
          if (change.type === 'INSERT') received.push(change.record['body']);
        });
        await joined(channel);
        return addUntil(received);
      },
    },
    {
      cell: '`on<Row>(…)`',
      vendor: async (client) => {
        const received: string[] = [];
        const channel = client.channel('n');
        channel.on<Note>('postgres_changes', binding, ({ new: row }) => {
          if ('body' in row) received.push(row.body);
        });
        await subscribed(channel);
        return addUntil(received);
      },
      here: async ({ realtime }) => {
        const received: string[] = [];
        const channel = realtime.channel('n');
        createPostgresChanges(channel).on<string, string, Note>(binding, (change) => {
          if (change.type === 'INSERT') received.push(change.record.body);
        });
        await joined(channel);
        return addUntil(received);
      },
    },
    {
      cell: '`.subscribe((status, error) => …)`',
      vendor: async (client) => (await subscribed(client.channel('n'))) === 'SUBSCRIBED',
      here: async ({ realtime }) => {
        const channel = realtime.channel('n');
        let calls = 0;
        channel.subscribe(() => (calls += 1));
        const leave = channel.join();
        const { status } = await eventually(
          () => channel.getSnapshot().status === 'live' && channel.getSnapshot(),
        );
        leave();
        return status === 'live' && calls > 0;
      },
    },
    {
      cell: '`SUBSCRIBED`',
      vendor: async (client) => {
        const received: unknown[] = [];
        const channel = client.channel('n');
        channel.on('postgres_changes', binding, (payload) => received.push(payload));
        const status = await subscribed(channel);
        await addUntil(received);
        return status === 'SUBSCRIBED';
      },
      // `live` is reported only once the server watches the table, so one insert is enough.
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('n');
        createPostgresChanges(channel).on(binding, (change) => received.push(change));
        const status = await joined(channel);
        await addNote();
        await eventually(() => received.length === 1);
        return status === 'live';
      },
    },
    {
      cell: '`CHANNEL_ERROR`, `TIMED_OUT`',
      vendor: async (client) =>
        (await subscribed(client.channel('m_forbidden', { config: { private: true } }))) === 'CHANNEL_ERROR',
      here: async ({ realtime }) => {
        const channel = realtime.channel('m_forbidden', { private: true });
        return (await joined(channel)) === 'failed' && channel.getSnapshot().error?.code === 'unauthorized';
      },
    },
    {
      cell: '`config: { postgres_changes_options: { wait } }`',
      vendor: async (client) => {
        const received: unknown[] = [];
        const config = { postgres_changes_options: { wait: true } };
        const channel = client.channel('n', { config });
        channel.on('postgres_changes', binding, (payload) => received.push(payload));
        await subscribed(channel);
        // With `wait` the subscription to changes is already confirmed, so one insert is enough.
        await addNote();
        await eventually(() => received.length === 1);
        const refused = client.channel('absent', { config });
        refused.on('postgres_changes', { ...binding, table: 'm_absent' }, () => {});
        return subscribed(refused);
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('n');
        createPostgresChanges(channel, { subscriptionWaitMs: 15_000 }).on(binding, (change) =>
          received.push(change),
        );
        await joined(channel);
        await addNote();
        await eventually(() => received.length === 1);
        const refused = realtime.channel('absent');
        createPostgresChanges(refused, { subscriptionWaitMs: 15_000 }).on(
          { ...binding, table: 'm_absent' },
          () => {},
        );
        await joined(refused);
        return (
          refused.getSnapshot().error?.message.startsWith('RealtimeDisabledForConfiguration') &&
          'CHANNEL_ERROR'
        );
      },
    },
    {
      cell: '`payload.new`, `payload.old`, `payload.eventType`',
      vendor: async (client) => {
        const received: unknown[] = [];
        const channel = client.channel('n');
        channel.on('postgres_changes', binding, (payload) =>
          received.push([payload.new['body'], payload.old, payload.eventType]),
        );
        await subscribed(channel);
        return addUntil(received);
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('n');
        createPostgresChanges(channel).on(binding, (change) => {
          if (change.type === 'INSERT') received.push([change.record['body'], {}, change.type]);
        });
        await joined(channel);
        return addUntil(received);
      },
    },
    {
      cell: '`removeChannel(channel)`, `removeAllChannels()`',
      vendor: async (client) => {
        const [one, two] = [client.channel('one'), client.channel('two')];
        await Promise.all([subscribed(one), subscribed(two)]);
        await client.removeChannel(one);
        await client.removeAllChannels();
        return client.getChannels().length;
      },
      here: async ({ realtime }) => {
        const [one, two] = [realtime.channel('one'), realtime.channel('two')];
        const leave = one.join();
        await joined(two);
        leave();
        two.leave();
        return eventually(() =>
          [one, two].every(({ getSnapshot }) => getSnapshot().status === 'closed'),
        ).then(() => 0);
      },
    },
    {
      cell: '`realtime.setAuth(token)`',
      vendor: async (client) => {
        const { data } = await client.auth.getSession();
        await client.realtime.setAuth(data.session?.access_token ?? null);
        return (
          (await subscribed(client.channel('m_allowed', { config: { private: true } }))) === 'SUBSCRIBED'
        );
      },
      here: async ({ realtime }) =>
        (await joined(realtime.channel('m_allowed', { private: true }))) === 'live',
    },
    {
      // The vendor reports each status again; the caller has to detect what was missed in between.
      cell: 'reading again after a reconnect',
      vendor: async (client) => {
        const statuses: string[] = [];
        client.channel('n').subscribe((status) => statuses.push(status));
        await eventually(() => statuses.length > 0);
        supabase().faults.dropSockets();
        await eventually(() => statuses.filter((status) => status === 'SUBSCRIBED').length > 1);
        return true;
      },
      here: async ({ realtime }) => {
        const channel = realtime.channel('n');
        createPostgresChanges(channel).on(binding, () => undefined);
        await joined(channel);
        let losses = 0;
        channel.onContinuity(() => (losses += 1));
        supabase().faults.dropSockets();
        return eventually(() => losses > 0);
      },
    },
    {
      cell: "`channel('n', { config: { private: true } })`",
      vendor: async (client) =>
        (await subscribed(client.channel('m_allowed', { config: { private: true } }))) === 'SUBSCRIBED',
      here: async ({ realtime }) =>
        (await joined(realtime.channel('m_allowed', { private: true }))) === 'live',
    },
    {
      cell: '`getChannels()`',
      vendor: async (client) => {
        client.channel('one');
        client.channel('two');
        return client.getChannels().length;
      },
      here: async ({ realtime }) => {
        realtime.channel('one');
        realtime.channel('two');
        return realtime.getChannels().length;
      },
    },
    {
      cell: '`onHeartbeat(callback)`, `logger`, `hasLogger()`',
      isNotInCompat: true,
      vendor: async (client) => {
        const received: string[] = [];
        client.realtime.onHeartbeat((status) => received.push(status));
        await subscribed(client.channel('n'));
        await client.realtime.sendHeartbeat();
        return eventually(() => received.includes('ok'));
      },
      here: async ({ realtime }) => {
        const received: string[] = [];
        realtime.onEvent(({ type }) => received.push(type));
        await joined(realtime.channel('n'));
        // A heartbeat is due every 25 s; the socket and the channel are reported at once.
        return received.includes('socket') && received.includes('channel');
      },
    },
    {
      cell: '`channel.updateJoinPayload(…)`',
      vendor: async (client) => {
        const channel = client.channel('room');
        channel.updateJoinPayload({ config: { broadcast: { self: true } } });
        return (await subscribed(channel)) === 'SUBSCRIBED';
      },
      here: async ({ realtime }) => {
        const channel = realtime.channel('room');
        channel.updateJoinPayload({ ack: true });
        return (await joined(channel)) === 'live';
      },
    },
    {
      cell: '`connect()`, `disconnect()`, `teardown()`',
      isNotInCompat: true,
      vendor: async (client) => {
        client.realtime.connect();
        await eventually(() => client.realtime.isConnected());
        await client.realtime.disconnect();
        return client.realtime.isConnected();
      },
      here: async ({ realtime }) => {
        await joined(realtime.channel('n'));
        realtime.close();
        return realtime.getSnapshot().status === 'connected';
      },
    },
    {
      cell: '`isConnected()`, `isConnecting()`, `isDisconnecting()`, `connectionState()`',
      vendor: async (client) => {
        await subscribed(client.channel('n'));
        return client.realtime.isConnected();
      },
      here: async ({ realtime }) => {
        const states: string[] = [];
        realtime.onEvent((event) => event.type === 'socket' && states.push(event.state));
        await joined(realtime.channel('n'));
        return states.length > 0;
      },
    },
    {
      cell: '`push(…)`',
      isNotInCompat: true,
      vendor: async (client) => {
        const received: unknown[] = [];
        const receiver = (await openAnother()).channel('room');
        receiver.on('broadcast', { event: 'chat' }, ({ payload }) => received.push(payload));
        await Promise.all([subscribed(client.channel('room')), subscribed(receiver)]);
        const payload = { type: 'broadcast', event: 'chat', payload: { text: 'Hi' } };
        client.realtime.push({ topic: 'realtime:room', event: 'broadcast', payload, ref: '7' });
        await eventually(() => received.length > 0);
        return [...received];
      },
      here: async ({ realtime }) => {
        const received: unknown[] = [];
        const channel = realtime.channel('room');
        createBroadcast(channel, { ack: true });
        const receiver = (await openHere()).realtime.channel('room');
        createBroadcast(receiver).on('chat', ({ payload }) => received.push(payload));
        await Promise.all([joined(channel), joined(receiver)]);
        await channel.push('broadcast', { type: 'broadcast', event: 'chat', payload: { text: 'Hi' } });
        await eventually(() => received.length > 0);
        return [...received];
      },
    },
    {
      cell: '`sendHeartbeat()`, `copyBindings(…)`',
      isNotInCompat: true,
      vendor: async (client) => ['sendHeartbeat'].filter((name) => name in client.realtime),
      here: async ({ realtime }) => ['sendHeartbeat'].filter((name) => name in realtime),
      differs: ['sendHeartbeat'],
    },
    {
      cell: '`worker: true`',
      vendor: async (client) => (await subscribed(client.channel('n'))) === 'SUBSCRIBED',
      here: async ({ realtime }) => (await joined(realtime.channel('n'))) === 'live',
    },
  ];
}
