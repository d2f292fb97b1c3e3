import { createPostgresChanges } from '../../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient, type RealtimeClientOptions } from '../../../src/realtime-client/index.ts';
import { createFakeWorld, type FakeSocket, type FakeTab } from '../fake-platform.ts';
import { acceptBindings, parseFrame, subscribed, type Frame } from './frames.ts';

export const topic = 'realtime:user:ada';
export const binding = { event: '*', table: 'notifications', filter: 'recipient_id=eq.ada' } as const;
const bindingId = 31231;

/** A client in a tab of the fake world, and a server whose frames the test writes. */
export function createScriptedScene(overrides: Partial<RealtimeClientOptions> = {}) {
  const world = createFakeWorld();
  const tab = world.openTab();
  let token: string | null = 'token-1';
  const tokenListeners = new Set<(token: string | null) => void>();
  const tokenCalls: (string | undefined)[] = [];
  const client = createRealtimeClient({
    url: 'https://project.test',
    apiKey: 'public-key',
    platform: tab,
    getAccessToken: (options) => {
      tokenCalls.push(options?.rejectedToken);
      return Promise.resolve(token);
    },
    onTokenChange: (listener) => {
      tokenListeners.add(listener);
      return () => tokenListeners.delete(listener);
    },
    ...overrides,
  });
  const server = createServerSide(tab);
  return {
    world,
    tab,
    client,
    server,
    tokenCalls,
    tokenListeners,
    setToken(next: string | null) {
      token = next;
      tokenListeners.forEach((listener) => listener(next));
    },
    /** Sets the result of `getAccessToken` without announcing it. */
    prepareToken(next: string | null) {
      token = next;
    },
    /** Opens a channel with one listener, joined and confirmed. */
    async openLiveChannel() {
      const channel = client.channel('user:ada');
      const changes: unknown[] = [];
      const losses: unknown[] = [];
      const statuses: string[] = [];
      channel.subscribe(() => statuses.push(channel.getSnapshot().status));
      channel.onContinuity((loss) => losses.push(loss));
      createPostgresChanges(channel).on(binding, (change) => changes.push(change));
      const leave = channel.join();
      server.open();
      await world.settle();
      server.acceptJoin();
      server.confirm();
      return { channel, changes, losses, statuses, leave };
    },
  };
}

export function createServerSide(tab: FakeTab) {
  const socket = (): FakeSocket => {
    const last = tab.sockets.at(-1);
    if (!last) throw new Error('The client opened no socket');
    return last;
  };
  const frames = (): Frame[] => socket().sent.map((data) => parseFrame(String(data)));
  const lastJoin = () => {
    const join = frames().findLast(({ event }) => event === 'phx_join');
    if (!join) throw new Error('The client sent no join');
    return join;
  };
  const send = (...fields: unknown[]) => socket().receive(JSON.stringify(fields));
  return {
    socket,
    frames,
    lastJoin,
    send,
    bindingId,
    sentEvents: () => frames().map(({ event }) => event),
    open: () => socket().open(),
    acknowledgeHeartbeat() {
      const { ref } = frames().findLast(({ event }) => event === 'heartbeat') ?? { ref: null };
      send(null, ref, 'phoenix', 'phx_reply', { status: 'ok', response: {} });
    },
    reply(ref: string | null, payload: unknown) {
      send(lastJoin().ref, ref, topic, 'phx_reply', payload);
    },
    acceptJoin() {
      const join = lastJoin();
      const response = { postgres_changes: acceptBindings(join, bindingId) };
      send(join.ref, join.ref, topic, 'phx_reply', { status: 'ok', response });
    },
    refuseJoin(reason: string) {
      const { ref } = lastJoin();
      send(ref, ref, topic, 'phx_reply', { status: 'error', response: { reason } });
    },
    system(status: 'ok' | 'error', message: string, extension = 'postgres_changes') {
      send(lastJoin().ref, null, topic, 'system', { extension, status, message, channel: 'user:ada' });
    },
    confirm() {
      this.system('ok', subscribed.message);
    },
    endChannel(event: 'phx_close' | 'phx_error' = 'phx_close', joinRef = lastJoin().ref) {
      send(joinRef, null, topic, event, {});
    },
    change(data: Readonly<Record<string, unknown>>, ids: readonly number[] = [bindingId]) {
      send(null, null, topic, 'postgres_changes', { ids, data: { ...changeDefaults, ...data } });
    },
  };
}

const changeDefaults = {
  schema: 'public',
  table: 'notifications',
  commit_timestamp: '2026-01-01T00:00:00.000Z',
  type: 'INSERT',
  columns: [{ name: 'id', type: 'uuid' }],
  errors: null,
};
