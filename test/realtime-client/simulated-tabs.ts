import * as fc from 'fast-check';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import type { Socket } from '../../src/platform/platform.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { bufferBroadcasts } from '../../src/realtime-client/broadcast/buffer.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { shareReads } from '../../src/rest-client/share-reads/share-reads.ts';
import { createRealtimeModel, type StoredRow } from '../support/wire/realtime-model.ts';
import { createRestModel } from '../support/wire/rest-model.ts';
import { createFreezer } from './freezer.ts';

/** Number of random schedules; set `SCHEDULES=10000` for a long run. */
export const schedules = Number(process.env['SCHEDULES'] ?? 150);

const index = fc.nat({ max: 4 });
const rowId = fc.constantFrom('a', 'b', 'c', 'd');
export const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('write' as const), id: rowId, value: index }) },
  // Writes while the channel is joined again and the list is read.
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('writeDuringRejoin' as const),
      at: index,
      ids: fc.array(rowId, { minLength: 2, maxLength: 6 }),
      everyMs: fc.constantFrom(40, 150, 400),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('remove' as const), id: rowId }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('removeHere' as const), id: rowId, at: index }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rename' as const), id: rowId, to: rowId }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('flip' as const), id: rowId, value: index }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('pass' as const),
      ms: fc.constantFrom(5, 30, 200, 1_500, 6_000, 40_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('expire' as const), isAnnounced: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('drop' as const), at: index }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'halfOpen' as const,
        'down' as const,
        'up' as const,
        'mute' as const,
        'resubscribe' as const,
        'repeat' as const,
        'once' as const,
        'truncate' as const,
        'open' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('failRead' as const),
      fault: fc.constantFrom('unavailable' as const, 'lost' as const, 'stuck' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('forbid' as const, 'forbidSending' as const),
      value: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'sleep' as const,
        'hide' as const,
        'show' as const,
        'offline' as const,
        'online' as const,
        'putAway' as const,
        'takeBack' as const,
        'crash' as const,
        'freeze' as const,
        'thaw' as const,
        'signOut' as const,
        'signIn' as const,
        'leave' as const,
        'join' as const,
        'stall' as const,
        'broadcast' as const,
        'untrack' as const,
      ),
      at: index,
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('track' as const), at: index, value: index }) },
);
/** The server loses changes without a sign for the client. */
export const silentLoss = fc.record({
  type: fc.constantFrom('mute' as const, 'limit' as const, 'unmute' as const),
});
export type Command = typeof command | typeof silentLoss extends fc.Arbitrary<infer Value> ? Value : never;

/** Maximum number of consecutive reads by another part of the page during one interruption. */
const maxOtherReads = 8;

interface Database {
  readonly public: {
    readonly Tables: {
      readonly items: { readonly Row: StoredRow };
      readonly versions: { readonly Row: { readonly changes: number } };
    };
  };
}

interface Sent {
  readonly id: string;
  /** The tabs' channels that were live when it was sent and have reported no gap since. */
  readonly due: Set<object>;
  /** The outcome that `send` reported; null while it is pending. */
  outcome: string | null;
}

/** The server's presence as a client shows it: the entries of each key, without references. */
export function entriesOf(presence: Readonly<Record<string, { readonly metas: readonly object[] }>>) {
  const withoutRef = (meta: object) => ({ ...meta, phx_ref: undefined });
  return Object.fromEntries(Object.entries(presence).map(([key, { metas }]) => [key, metas.map(withoutRef)]));
}

export interface SimulationOptions {
  /** Whether the tabs share a socket. */
  readonly isShared?: boolean;
  /** What the lists compare with the table. Default: nothing, because comparisons would repair, and so hide, lost changes. */
  readonly comparison?: 'version' | 'list';
  /** Maximum latency of a request or its response, in milliseconds. */
  readonly latencyMs?: number;
}

export function createSimulation(
  seed: number,
  { isShared = false, comparison, latencyMs }: SimulationOptions = {},
) {
  const world = createFakeWorld({ seed });
  const serverTab = world.openTab();
  const server = createRealtimeModel(serverTab.clock, () => Math.floor(serverTab.random.number() * 80));
  const restModel = createRestModel(
    (url) => {
      if (url.includes('/versions')) return [{ changes: server.changes }];
      const ids = /id=in\.\(([^)]*)\)/.exec(decodeURIComponent(url))?.[1]?.replaceAll('"', '').split(',');
      return server.select('ada').filter(({ id }) => ids?.includes(id) ?? true);
    },
    server.validTokens,
    latencyMs,
  );
  const tabs: ReturnType<typeof openTab>[] = [];
  /** The broadcasts, and for each the tabs that must receive it, or report a gap, if it is acknowledged. */
  const broadcasts: Sent[] = [];
  let lastBroadcast = 0;
  let openedTabs = 0;
  const tokenListeners = new Set<(token: string | null) => void>();
  let tokenCount = 0;
  let token = '';
  const issueToken = () => {
    token = `.${btoa(JSON.stringify({ sub: 'ada' }))}.${(tokenCount += 1)}`;
    server.validTokens.add(token);
  };
  issueToken();

  const openTab = () => {
    const sockets = new Set<Socket>();
    const freezer = createFreezer();
    const base = world.openTab();
    const platform = world.openTab({
      clock: freezer.chill(base.clock),
      openTabChannel(name) {
        const broadcast = base.openTabChannel(name);
        return {
          ...broadcast,
          subscribe: (listener) => broadcast.subscribe((message) => freezer.run(() => listener(message))),
        };
      },
      openSocket(url) {
        const socket = server.openSocket(url);
        sockets.add(socket);
        return freezer.chillSocket(socket);
      },
    });
    let isSignedIn = true;
    let isStalled = false;
    const ownListeners = new Set<(token: string | null) => void>();
    const shared = {
      url: 'https://project.test',
      apiKey: 'sb_publishable_key',
      platform,
      getAccessToken(): Promise<string | null> {
        if (!isStalled) return Promise.resolve(isSignedIn ? token : null);
        isStalled = false;
        return new Promise(() => {});
      },
    };
    const rest = createRestClient<Database>({
      ...shared,
      platform: { ...platform, fetch: restModel.createFetch(platform) },
      shareReads,
    });
    const items = rest.from('items').select().eq('owner', 'ada');
    const readVersion = async (signal: AbortSignal) => {
      const [row] = await rest.from('versions').select().execute({ signal });
      return row?.changes ?? 0;
    };
    const client = createRealtimeClient({
      ...shared,
      onTokenChange(listener) {
        const setToken = (next: string | null) => {
          if (isSignedIn || next === null) listener(next);
        };
        tokenListeners.add(setToken);
        ownListeners.add(setToken);
        return () => {
          tokenListeners.delete(setToken);
          ownListeners.delete(setToken);
        };
      },
      ...(isShared ? { share: shareSocket } : {}),
    });
    const channel = client.channel('user:ada', { private: true });
    const presence = createPresence<{ n: number }>(channel, {
      key: `tab-${isShared ? 0 : (openedTabs += 1)}`,
    });
    const room = createBroadcast<{ note: string }>(channel, { ack: true, buffer: bufferBroadcasts() });
    const notes: string[] = [];
    room.on('note', ({ payload }) => notes.push(payload));
    channel.onContinuity(() => broadcasts.forEach(({ due }) => due.delete(channel)));
    const binding = { table: 'items', filter: 'owner=eq.ada' };
    const seen: string[] = [];
    // Another part of the page reads the same list while the channel is joined, and shares these reads. The live query must
    // not join them: they may be older than its subscription.
    let otherReads = 0;
    const readElsewhere = () => {
      const { status } = channel.getSnapshot();
      const isJoining = status === 'connecting' || status === 'recovering';
      if (!isJoining || otherReads >= maxOtherReads) return void (otherReads = 0);
      otherReads += 1;
      return void items
        .execute({ shareInFlight: true })
        .catch(() => undefined)
        .then(readElsewhere);
    };
    channel.subscribe(() => {
      if (otherReads === 0) readElsewhere();
    });
    // Every interruption must be announced before the channel is live again.
    let wasLive = false;
    let isUnannounced = false;
    const unannounced: string[] = [];
    channel.onContinuity(() => (isUnannounced = false));
    channel.subscribe(() => {
      const { status } = channel.getSnapshot();
      if (status === 'live' && isUnannounced) unannounced.push(status);
      isUnannounced = status !== 'live' && (isUnannounced || wasLive);
      wasLive ||= status === 'live';
    });
    createPostgresChanges(channel).onChanges(binding, (changes) =>
      seen.push(...changes.map((change) => JSON.stringify(change))),
    );
    const query = createLiveQuery<StoredRow>({
      channel,
      platform,
      query: items,
      key: 'id',
      immutableColumns: ['owner'],
      ...(comparison ? {} : { intervalMs: 0 }),
      ...(comparison === 'version' ? { readVersion } : {}),
    });
    query.start();
    return {
      platform,
      client,
      channel,
      query,
      seen,
      notes,
      presence,
      room,
      unannounced,
      freezer,
      signIn(value: boolean) {
        isSignedIn = value;
        for (const listener of ownListeners) listener(value ? token : null);
      },
      /** The next token request gets no response. */
      stall() {
        isStalled = true;
      },
      crash() {
        base.crash();
        platform.crash();
        server.forget(sockets);
      },
    };
  };
  tabs.push(openTab(), openTab());

  const tabAt = (at: number) => tabs[at % Math.max(1, tabs.length)];
  const run = async (next: Command): Promise<void> => {
    switch (next.type) {
      case 'write':
        return server.write(next.id, 'ada', next.value);
      case 'writeDuringRejoin':
        server.drop(next.at);
        next.ids.forEach((id, step) =>
          serverTab.clock.setTimer(() => server.write(id, 'ada', step), 1_000 + step * next.everyMs),
        );
        return undefined;
      case 'remove':
        return server.remove(next.id);
      case 'removeHere':
        server.remove(next.id);
        return tabAt(next.at)?.query.refreshRows([{ id: next.id }]);
      case 'rename':
        return server.rename(next.id, next.to);
      case 'flip':
        return server.flip(next.id, next.value);
      case 'pass':
        return world.clock.advance(next.ms);
      case 'expire': {
        const old = token;
        issueToken();
        if (next.isAnnounced) for (const listener of tokenListeners) listener(token);
        return server.expire(old);
      }
      case 'drop':
        return server.drop(next.at);
      case 'halfOpen':
      case 'down':
      case 'up':
      case 'mute':
      case 'resubscribe':
      case 'unmute':
      case 'limit':
      case 'truncate':
        return server[next.type]();
      case 'repeat':
      case 'once':
        return server.repeat(next.type === 'repeat');
      case 'open':
        if (tabs.length < 4) tabs.push(openTab());
        return undefined;
      case 'sleep':
        world.clock.sleep(600_000);
        return tabAt(next.at)?.platform.signal('resume');
      case 'hide':
      case 'show':
        return tabAt(next.at)?.platform.setVisible(next.type === 'show');
      case 'offline':
      case 'online':
        return tabAt(next.at)?.platform.setOnline(next.type === 'online');
      case 'putAway':
      case 'takeBack':
        return tabAt(next.at)?.platform.signal(next.type === 'putAway' ? 'pagehide' : 'pageshow');
      case 'crash': {
        const tab = tabAt(next.at);
        if (!tab || tabs.length < 2) return undefined;
        tabs.splice(tabs.indexOf(tab), 1);
        return tab.crash();
      }
      case 'freeze':
        return tabAt(next.at)?.freezer.freeze();
      case 'thaw':
        tabAt(next.at)?.freezer.thaw();
        return tabAt(next.at)?.platform.signal('resume');
      case 'signOut':
      case 'signIn':
        return tabAt(next.at)?.signIn(next.type === 'signIn');
      case 'leave':
        return tabAt(next.at)?.channel.leave();
      case 'join':
        return void tabAt(next.at)?.channel.join();
      case 'failRead':
        return restModel.fail(next.fault);
      case 'forbid':
      case 'forbidSending':
        return server[next.type](next.value);
      case 'stall':
        return tabAt(next.at)?.stall();
      case 'track':
        return tabAt(next.at)?.presence.track({ n: next.value });
      case 'untrack':
        return tabAt(next.at)?.presence.untrack();
      case 'broadcast': {
        const sender = tabAt(next.at);
        const id = `${(lastBroadcast += 1)}`;
        const live = tabs.filter((tab) => tab !== sender && tab.channel.getSnapshot().status === 'live');
        const sent: Sent = { id, due: new Set(live.map(({ channel }) => channel)), outcome: null };
        broadcasts.push(sent);
        sender?.room.send('note', id).then(
          ({ status }) => (sent.outcome = status),
          () => (sent.outcome = 'refused'),
        );
        return undefined;
      }
    }
  };
  return {
    world,
    server,
    tabs,
    broadcasts,
    run,
    /** Ends all faults and advances the clock until everything settles. */
    async calmDown() {
      server.up();
      server.forbid(false);
      server.forbidSending(false);
      restModel.recover();
      // Causes no read: the tabs must recover by themselves.
      if (server.isMute) server.resubscribe();
      server.unmute();
      server.repeat(false);
      tabs.forEach(({ freezer }) => freezer.thaw());
      // A refusal in flight would end the join that follows.
      await world.clock.advance(1_000);
      for (const { platform, signIn, channel } of tabs) {
        signIn(true);
        channel.join();
        platform.setOnline(true);
        platform.setVisible(true);
        platform.signal('pageshow');
      }
      await world.clock.advance(90_000);
    },
    async close() {
      tabs.forEach(({ client }) => client.close());
      // The timers of crashed tabs stay pending until they are due; the comparison's is the longest.
      await world.clock.advance(310_000);
    },
  };
}

export const byId = (a: StoredRow, b: StoredRow) => a.id.localeCompare(b.id);
