import { describe, expect, it } from 'vitest';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createTableQuery } from '../support/wire/live-query-scene.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import type { Platform, Socket } from '../../src/platform/platform.ts';
import { createRealmLocks } from '../../src/platform/realm-locks.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createRealtimeModel, type StoredRow } from '../support/wire/realtime-model.ts';

const claims = (sub: string) => Buffer.from(JSON.stringify({ sub })).toString('base64url');
const tokenOf = (sub: string, signature = 'secret-signature') => `header.${claims(sub)}.${signature}`;

function createTabs({ locks }: Partial<Pick<Platform, 'locks'>> = {}) {
  const world = createFakeWorld();
  const serverTab = world.openTab();
  const server = createRealtimeModel(serverTab.clock, () => 20);
  server.validTokens.add(tokenOf('ada'));
  server.validTokens.add(tokenOf('bob'));
  /** @param tokenResults results of the first token requests. */
  const openTab = (user = 'ada', tokenResults: (() => Promise<string | null>)[] = []) => {
    const sockets = new Set<Socket>();
    const tokenListeners = new Set<(token: string | null) => void>();
    let token: string | null = tokenOf(user);
    let isFrozen = false;
    // A browser's BroadcastChannel throws for these values.
    const postedLate: unknown[] = [];
    let missed: (() => void)[] = [];
    const base = world.openTab();
    const platform = world.openTab({
      // A frozen tab keeps its locks, sends nothing, and receives everything when it resumes.
      openTabChannel(name) {
        const broadcast = base.openTabChannel(name);
        let isClosed = false;
        return {
          close() {
            isClosed = true;
            broadcast.close();
          },
          post(message) {
            if (isClosed) postedLate.push(message);
            else if (!isFrozen) broadcast.post(message);
          },
          subscribe: (listener) =>
            broadcast.subscribe((message) =>
              isFrozen ? missed.push(() => listener(message)) : listener(message),
            ),
        };
      },
      ...(locks ? { locks } : {}),
      openSocket: (url) => {
        const socket = server.openSocket(url);
        sockets.add(socket);
        return socket;
      },
    });
    const client = createRealtimeClient({
      url: 'https://project.test',
      apiKey: 'public-key',
      platform,
      share: shareSocket,
      getAccessToken: () => tokenResults.shift()?.() ?? Promise.resolve(token),
      onTokenChange: (listener) => {
        tokenListeners.add(listener);
        return () => tokenListeners.delete(listener);
      },
    });
    const channel = client.channel(`user:${user}`);
    const query = createLiveQuery<StoredRow>({
      channel,
      platform,
      query: createTableQuery(() => server.select(user), {
        path: 'items',
        filters: [{ column: 'owner', operator: 'eq', operand: user }],
      }),
      key: 'id',
      immutableColumns: ['owner'],
    });
    query.start();
    return {
      client,
      channel,
      query,
      postedLate,
      ids: () => query.getSnapshot().rows.map(({ id }) => id),
      setVisible: platform.setVisible,
      freeze() {
        isFrozen = true;
      },
      thaw() {
        isFrozen = false;
        const messages = missed;
        missed = [];
        messages.forEach((deliver) => deliver());
      },
      signal: platform.signal,
      receive: (frame: string) => sockets.forEach((socket) => socket.onMessage?.(frame)),
      setToken(next: string | null) {
        token = next;
        tokenListeners.forEach((listener) => listener(next));
      },
      /** Ends the tab with its timers and promises. */
      crash() {
        base.crash();
        platform.crash();
        server.forget(sockets);
      },
    };
  };
  return { world, server, openTab };
}

describe('five tabs of a user', () => {
  it('share one websocket and all are live', async () => {
    const { world, server, openTab } = createTabs();
    const tabs = Array.from({ length: 5 }, () => openTab());
    await world.clock.advance(1_000);
    server.write('a', 'ada', 1);
    await world.clock.advance(100);
    expect(server.opened).toBe(1);
    expect(tabs.map((tab) => tab.channel.getSnapshot().status)).toEqual(
      Array.from({ length: 5 }, () => 'live'),
    );
    expect(tabs.map((tab) => tab.client.getSnapshot().status)).toEqual(
      Array.from({ length: 5 }, () => 'connected'),
    );
    expect(tabs.map((tab) => tab.ids())).toEqual(Array.from({ length: 5 }, () => ['a']));
  });

  it('receive the next change within 5 s of a killed leader, and the changes in between', async () => {
    const { world, server, openTab } = createTabs();
    const [leader, ...others] = Array.from({ length: 5 }, () => openTab());
    await world.clock.advance(1_000);
    leader?.crash();
    server.write('meanwhile', 'ada', 1);
    await world.clock.advance(100);
    server.write('next', 'ada', 1);
    await world.clock.advance(4_900);
    expect(others.map((tab) => tab.ids())).toEqual(Array.from({ length: 4 }, () => ['meanwhile', 'next']));
    expect(server.opened).toBe(2);
    expect(server.openSessions).toBe(1);
  });

  it('keep their websocket and their channels when the token is renewed', async () => {
    const { world, server, openTab } = createTabs();
    const tabs = [openTab(), openTab()];
    await world.clock.advance(1_000);
    const statuses: string[] = [];
    tabs.forEach(({ channel }) => channel.subscribe(() => statuses.push(channel.getSnapshot().status)));
    const { joins } = server;
    const renewed = tokenOf('ada', 'renewed-signature');
    server.validTokens.add(renewed);
    tabs.forEach(({ setToken }) => setToken(renewed));
    await world.clock.advance(5_000);
    server.write('a', 'ada', 1);
    await world.clock.advance(100);
    expect(tabs.map(({ ids }) => ids())).toEqual([['a'], ['a']]);
    expect(statuses).toEqual([]);
    expect([server.opened, server.joins - joins]).toEqual([1, 0]);
  });

  it('exchange neither tokens nor keys', async () => {
    const { world, server, openTab } = createTabs();
    openTab();
    openTab();
    await world.clock.advance(1_000);
    server.write('a', 'ada', 1);
    await world.clock.advance(1_000);
    const sent = JSON.stringify(world.broadcasts);
    expect(sent).toContain('"type":"change"');
    expect(sent).not.toContain('secret-signature');
    expect(sent).not.toContain('public-key');
  });

  it('receive nothing from the tabs of another user', async () => {
    const { world, server, openTab } = createTabs();
    const ada = openTab('ada');
    const bob = openTab('bob');
    await world.clock.advance(1_000);
    server.write('a', 'ada', 1);
    server.write('b', 'bob', 1);
    await world.clock.advance(1_000);
    expect([ada.ids(), bob.ids(), server.opened]).toEqual([['a'], ['b'], 2]);
  });

  it('continue when the leader signs out', async () => {
    const { world, server, openTab } = createTabs();
    const [leader, follower] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    leader.setToken(null);
    expect(leader.channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'signed-out' } });
    await world.clock.advance(6_000);
    expect(leader.client.getSnapshot().status).toBe('idle');
    server.write('a', 'ada', 1);
    await world.clock.advance(1_000);
    expect([follower.ids(), follower.channel.getSnapshot().status]).toEqual([['a'], 'live']);
    expect(leader.ids()).toEqual([]);
  });

  it('hand over leadership on pagehide, and readmit the tab on pageshow', async () => {
    const { world, server, openTab } = createTabs();
    const [leader, follower] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    leader.signal('pagehide');
    await world.clock.advance(1_000);
    server.write('a', 'ada', 1);
    await world.clock.advance(1_000);
    expect([leader.ids(), follower.ids()]).toEqual([[], ['a']]);
    leader.signal('pageshow');
    await world.clock.advance(1_000);
    expect([leader.ids(), server.openSessions]).toEqual([['a'], 1]);
  });

  it('replace a frozen leader, which becomes a follower when it resumes', async () => {
    const { world, server, openTab } = createTabs();
    const [leader, second, third] = [openTab(), openTab(), openTab()];
    await world.clock.advance(1_000);
    leader.freeze();
    await world.clock.advance(20_000);
    server.write('a', 'ada', 1);
    await world.clock.advance(100);
    expect([second.ids(), third.ids()]).toEqual([['a'], ['a']]);
    leader.thaw();
    await world.clock.advance(1_000);
    server.write('b', 'ada', 1);
    await world.clock.advance(1_000);
    expect([leader, second, third].map((tab) => tab.ids())).toEqual(
      Array.from({ length: 3 }, () => ['a', 'b']),
    );
    expect(leader.channel.getSnapshot().status).toBe('live');
    expect(server.openSessions).toBe(1);
  });

  it('reconnect through a hidden leader as if it were visible, and at once when another tab is shown', async () => {
    const { world, server, openTab } = createTabs();
    const [leader, follower] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    leader.setVisible(false);
    server.down();
    await world.clock.advance(60_000);
    server.up();
    follower.signal('visible');
    await world.clock.advance(500);
    expect(follower.channel.getSnapshot().status).toBe('live');
    server.drop(0);
    await world.clock.advance(13_000);
    expect(follower.channel.getSnapshot().status).toBe('live');
  });

  it('report the connection as lost 5 s after the server went away', async () => {
    const { world, server, openTab } = createTabs();
    const tabs = [openTab(), openTab()];
    const statuses = () => tabs.map(({ client }) => client.getSnapshot().status);
    await world.clock.advance(1_000);
    server.down();
    await world.clock.advance(4_900);
    expect(statuses()).toEqual(['connected', 'connected']);
    await world.clock.advance(100);
    expect(statuses()).toEqual(['lost', 'lost']);
    expect(tabs.map(({ client }) => client.getSnapshot().lostAtMs)).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    server.up();
    await world.clock.advance(15_000);
    expect(statuses()).toEqual(['connected', 'connected']);
  });

  it('ignore a replaced leader that resumes', async () => {
    const { world, openTab } = createTabs();
    const [leader, ...others] = Array.from({ length: 4 }, () => openTab());
    await world.clock.advance(2_000);
    leader?.freeze();
    await world.clock.advance(60_000);
    const seen = others.map(({ channel }) => {
      const states: string[] = [];
      channel.subscribe(() => states.push(channel.getSnapshot().status));
      channel.onContinuity(({ reason }) => states.push(reason));
      return states;
    });
    leader?.thaw();
    await world.clock.advance(20_000);
    expect(seen).toEqual([[], [], []]);
    expect(leader?.channel.getSnapshot().status).toBe('live');
  });

  it('hand over leadership on pagehide before a freeze, and readmit the tab on resume', async () => {
    const { world, server, openTab } = createTabs();
    const [leader, follower] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    leader.signal('pagehide');
    leader.freeze();
    server.write('a', 'ada', 1);
    await world.clock.advance(100);
    expect(follower.ids()).toEqual(['a']);
    leader.thaw();
    leader.signal('resume');
    await world.clock.advance(1_000);
    expect([leader.ids(), leader.channel.getSnapshot().status, server.openSessions]).toEqual([
      ['a'],
      'live',
      1,
    ]);
  });

  it('have a websocket each without locks between tabs', async () => {
    const { world, server, openTab } = createTabs({ locks: createRealmLocks() });
    const tabs = [openTab(), openTab()];
    await world.clock.advance(200);
    server.write('a', 'ada', 1);
    await world.clock.advance(100);
    expect([tabs.map((tab) => tab.ids()), server.openSessions]).toEqual([[['a'], ['a']], 2]);
    expect(world.broadcasts).toEqual([]);
  });

  it('report the ignored frames of the leader', async () => {
    const { world, openTab } = createTabs();
    const leader = openTab();
    await world.clock.advance(1_000);
    leader.receive('{');
    expect(leader.client.ignoredFrames).toBe(1);
  });

  it('do not join when the user signs out or the client is closed during the token request', async () => {
    const { world, server, openTab } = createTabs();
    const [signedOut, closed] = [openTab(), openTab()];
    signedOut.setToken(null);
    closed.client.close();
    await world.clock.advance(1_000);
    expect(signedOut.channel.getSnapshot()).toMatchObject({
      status: 'failed',
      error: { code: 'signed-out' },
    });
    expect([server.opened, world.heldLocks.size]).toEqual([0, 0]);
    signedOut.setToken(tokenOf('ada'));
    await world.clock.advance(1_000);
    expect(signedOut.channel.getSnapshot().status).toBe('live');
  });

  it('push through the leader and receive the reply', async () => {
    const { world, openTab } = createTabs();
    const [, follower] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    const outcome = Promise.allSettled([follower.channel.push('echo', { text: 'hello' })]);
    await world.clock.advance(1_000);
    expect(await outcome).toEqual([{ status: 'fulfilled', value: { text: 'hello' } }]);
  });

  it('push through the leader and receive its error, as on their own socket', async () => {
    const { world, openTab } = createTabs();
    const [leader, follower] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    const refused = Promise.allSettled([follower.channel.push('deny', { reason: 'why' })]);
    await world.clock.advance(1_000);
    expect(await refused).toMatchObject([{ reason: { code: 'push-refused', cause: { reason: 'why' } } }]);
    // A channel that no tab has joined.
    const pushes = Array.from({ length: 101 }, () => leader.client.channel('other').push('echo', {}));
    const outcomes = await Promise.allSettled([pushes[0], world.clock.advance(100)]);
    expect(outcomes[0]).toMatchObject({ reason: { code: 'push-overflow' } });
    void Promise.allSettled(pushes);
  });

  it('share nothing until the token is known, and repeat the token request', async () => {
    const { world, server, openTab } = createTabs();
    const stubborn = openTab('ada', [
      () => Promise.reject(new Error('offline')),
      () => new Promise(() => {}),
    ]);
    await world.clock.advance(11_000);
    expect([world.broadcasts, world.heldLocks.size, server.opened]).toEqual([[], 0, 0]);
    expect(stubborn.channel.getSnapshot().status).toBe('connecting');
    await world.clock.advance(2_000);
    expect(stubborn.channel.getSnapshot().status).toBe('live');
    expect(new Set(world.broadcasts.map(({ name }) => name))).toEqual(new Set(['realtime:project.test:ada']));
  });

  it('announce a gap since the leave when a tab leaves and joins again', async () => {
    const { world, openTab } = createTabs();
    const tabs = [openTab(), openTab()];
    await world.clock.advance(1_000);
    const losses = tabs.map(({ channel }) => {
      const notified: number[] = [];
      channel.onContinuity(({ sinceMs }) => notified.push(sinceMs));
      return notified;
    });
    const leftAtMs = world.clock.now();
    tabs.forEach(({ channel }) => channel.leave());
    await world.clock.advance(500);
    tabs[1]?.channel.join();
    await world.clock.advance(1_000);
    tabs[0]?.channel.join();
    await world.clock.advance(1_000);
    expect(losses).toEqual([[leftAtMs], [leftAtMs]]);
  });

  it('send nothing after close(), even with a push in flight', async () => {
    const { world, openTab } = createTabs();
    const { client, channel, postedLate } = openTab();
    await world.clock.advance(1_000);
    const outcome = Promise.allSettled([channel.push('echo', {})]);
    client.close();
    await world.settle();
    expect(await outcome).toMatchObject([{ reason: { code: 'closed' } }]);
    expect(postedLate).toEqual([]);
  });

  it('do not repeat a final refusal until a tab joins again or needs another binding', async () => {
    const { world, server, openTab } = createTabs();
    server.forbid(true);
    const [first, second] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    const statuses: string[] = [];
    second.channel.subscribe(() => statuses.push(second.channel.getSnapshot().status));
    const joins = server.joins;
    await world.clock.advance(600_000);
    const leave = openTab().channel.leave;
    await world.clock.advance(1_000);
    const joinsWithThird = server.joins;
    leave();
    await world.clock.advance(120_000);
    expect([server.joins, joinsWithThird - joins]).toEqual([joinsWithThird, 1]);
    expect(new Set(statuses)).toEqual(new Set(['connecting', 'failed']));
    expect(first.channel.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'unauthorized' } });
    server.forbid(false);
    second.channel.join();
    await world.clock.advance(1_000);
    expect([first, second].map((tab) => tab.channel.getSnapshot().status)).toEqual(['live', 'live']);
  });

  it('keep one websocket when one more tab needs another table', async () => {
    const { world, server, openTab } = createTabs();
    const [first, second] = [openTab(), openTab()];
    await world.clock.advance(1_000);
    const seen: unknown[] = [];
    createPostgresChanges(second.channel).onChanges({ table: 'items', filter: 'owner=eq.bob' }, (changes) =>
      seen.push(...changes),
    );
    await world.clock.advance(1_000);
    server.write('b', 'bob', 1);
    server.write('a', 'ada', 1);
    await world.clock.advance(1_000);
    expect([seen.length, first.ids(), second.ids(), server.opened]).toEqual([1, ['a'], ['a'], 1]);
  });

  it('leave no timer and no lock behind when they are closed', async () => {
    const { world, server, openTab } = createTabs();
    const tabs = [openTab(), openTab()];
    await world.clock.advance(1_000);
    tabs.forEach((tab) => tab.query.getSnapshot());
    tabs.forEach((tab) => tab.client.close());
    await world.clock.advance(60_000);
    expect([world.clock.pendingTimers, world.heldLocks.size, server.openSessions]).toEqual([0, 0, 0]);
  });
});
