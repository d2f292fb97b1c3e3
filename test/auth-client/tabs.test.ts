import { describe, expect, it } from 'vitest';
import { createRealmLocks } from '../../src/platform/realm-locks.ts';
import { type Harness, createHarness } from './support/harness.ts';
import { deferred, refusal, sessionReply, userOf } from '../support/wire/replies.ts';

const renewed = (serial: number) => Response.json(sessionReply('ada', serial));

describe('several tabs', () => {
  it('two tabs refresh once: the second adopts the stored session of the first', async () => {
    const { signedIn, open, server, world } = createHarness();
    const first = await signedIn();
    const second = open();
    await second.client.start();
    world.clock.sleep(2 * 3600_000);
    const reply = deferred<Response>();
    server.next(() => reply.promise);
    const tokens = Promise.all([first.client.getAccessToken(), second.client.getAccessToken()]);
    await world.settle();
    reply.resolve(renewed(2));
    const token = sessionReply('ada', 2).access_token;
    expect(await tokens).toEqual([token, token]);
    await world.settle();
    expect(server.lines.slice(1)).toEqual(['POST /token?grant_type=refresh_token']);
    expect(first.reasons).toEqual(['TOKEN_REFRESHED/refresh']);
    expect(second.reasons).toEqual(['INITIAL_SESSION/start', 'TOKEN_REFRESHED/storage']);
  });

  it('a tab without a network adopts the refresh of another', async () => {
    const { signedIn, open, server, world } = createHarness();
    const cut = await signedIn({});
    const other = open();
    await other.client.start();
    world.clock.sleep(2 * 3600_000);
    server.next(() => Promise.reject<Response>(new TypeError('Failed to fetch')), renewed(2));
    const tokens = Promise.all([cut.client.getAccessToken(), other.client.getAccessToken()]);
    await world.clock.advance(1_000);
    const token = sessionReply('ada', 2).access_token;
    expect(await tokens).toEqual([token, token]);
    expect(server.lines).toHaveLength(3);
  });

  it('each event arrives once and in order in every tab', async () => {
    const { open, server, world } = createHarness();
    const tabs = [open(), open(), open()] as const;
    for (const { client } of tabs) await client.start();
    const [{ client }] = tabs;
    server.next(renewed(1));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    server.next(renewed(2));
    await client.refreshSession();
    server.next(Response.json(userOf('ada', { user_metadata: { name: 'Ada' } })));
    await client.updateUser({ data: { name: 'Ada' } });
    server.next(new Response(null, { status: 204 }));
    await client.signOut();
    await world.settle();
    for (const { events } of tabs)
      expect(events).toEqual([
        'INITIAL_SESSION',
        'SIGNED_IN',
        'TOKEN_REFRESHED',
        'USER_UPDATED',
        'SIGNED_OUT',
      ]);
  });

  it('messages between tabs carry no token, and nothing of the user', async () => {
    const { signedIn, open, server, world } = createHarness();
    const { client } = await signedIn();
    await open().client.start();
    server.next(renewed(2), Response.json(userOf('ada')), new Response(null, { status: 204 }));
    await client.refreshSession();
    await client.updateUser({ data: {} });
    await client.signOut();
    expect(world.broadcasts.length).toBeGreaterThan(3);
    for (const { message } of world.broadcasts)
      expect(Object.keys(message as object).toSorted()).toEqual(['event', 'revision']);
  });

  it('a crashed tab leaves no lock behind', async () => {
    const { signedIn, open, server, world } = createHarness();
    const first = await signedIn();
    const second = open();
    await second.client.start();
    world.clock.sleep(2 * 3600_000);
    server.next(() => new Promise<Response>(() => {}), renewed(2));
    first.client.getAccessToken().catch(() => undefined);
    await world.settle();
    first.tab.crash();
    expect(await second.client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
  });

  it('another user signing in in one tab replaces the first in all', async () => {
    const { signedIn, open, server, world } = createHarness();
    const first = await signedIn();
    const second = open();
    await second.client.start();
    server.next(Response.json(sessionReply('bob', 1)));
    await second.client.signInWithPassword({ email: 'bob@example.com', password: 'battery staple' });
    await world.settle();
    expect(first.client.getSnapshot().user?.id).toBe('bob');
    expect(first.reasons).toEqual(['SIGNED_IN/storage']);
  });
});

describe('focus', () => {
  it('hiding and showing three times causes no events, requests or new snapshots', async () => {
    const { signedIn, server, world } = createHarness();
    const { client, tab, events } = await signedIn();
    const before = client.getSnapshot();
    for (let time = 0; time < 3; time += 1) {
      tab.setVisible(false);
      await world.clock.advance(1_000);
      tab.setVisible(true);
      await world.settle();
    }
    expect(events).toEqual([]);
    expect(server.lines).toHaveLength(1);
    expect(client.getSnapshot()).toBe(before);
  });

  it('a tab that is shown adopts a session stored by another program', async () => {
    const { signedIn, store, stored, world } = createHarness();
    const { tab, reasons } = await signedIn();
    await store.set(
      'sb-project-auth-token',
      JSON.stringify({ ...(await stored()), ...sessionReply('ada', 7) }),
    );
    tab.setVisible(true);
    await world.settle();
    expect(reasons).toEqual(['TOKEN_REFRESHED/storage']);
    await store.remove('sb-project-auth-token');
    tab.setVisible(true);
    await world.settle();
    expect(reasons).toEqual(['TOKEN_REFRESHED/storage', 'SIGNED_OUT/storage']);
  });
});

describe('listeners', () => {
  it('listeners that throw or reject are reported, without an effect on others', async () => {
    const { open, server, world } = createHarness();
    const { client, tab, events } = open();
    client.onEvent(() => {
      throw new Error('broken');
    });
    client.onEvent(() => Promise.reject(new Error('broken too')));
    client.subscribe(() => {
      throw new Error('broken as well');
    });
    client.onEvent(({ name }) => void events.push(`after ${name}`));
    await client.start();
    server.next(renewed(1));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    await world.settle();
    expect(events).toEqual(['INITIAL_SESSION', 'after INITIAL_SESSION', 'SIGNED_IN', 'after SIGNED_IN']);
    expect(tab.reported).toHaveLength(6);
  });

  it('may call any method, also a refresh or sign-out within TOKEN_REFRESHED', async () => {
    const { signedIn, server, world } = createHarness();
    const { client, events } = await signedIn();
    let refreshes = 0;
    client.onEvent(async ({ name }) => {
      if (name !== 'TOKEN_REFRESHED') return;
      refreshes += 1;
      await (refreshes < 3 ? client.refreshSession() : client.signOut());
    });
    server.next(renewed(2), renewed(3), renewed(4), new Response(null, { status: 204 }));
    await client.refreshSession();
    await world.settle();
    await world.settle();
    expect(events).toEqual(['TOKEN_REFRESHED', 'TOKEN_REFRESHED', 'TOKEN_REFRESHED', 'SIGNED_OUT']);
  });

  it('listeners that never settle do not block others', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    client.onEvent(() => new Promise(() => {}));
    server.next(renewed(2));
    expect((await client.refreshSession()).accessToken).toBe(sessionReply('ada', 2).access_token);
  });

  it('listeners of onTokenChange receive each token once, and null at the end', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    const tokens: (string | null)[] = [];
    const stop = client.onTokenChange((token) => tokens.push(token));
    server.next(renewed(2), Response.json(userOf('ada', { role: 'x' })), refusal(403, 'session_not_found'));
    await client.refreshSession();
    await client.updateUser({ data: {} });
    await client.signOut();
    await world.settle();
    stop();
    expect(tokens).toEqual([sessionReply('ada', 2).access_token, null]);
  });

  it('receive each change of the snapshot, which is the same object until then', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    let calls = 0;
    client.subscribe(() => (calls += 1));
    const before = client.getSnapshot();
    await client.getAccessToken();
    expect(client.getSnapshot()).toBe(before);
    expect(calls).toBe(0);
    server.next(renewed(2));
    await client.refreshSession();
    expect(client.getSnapshot()).not.toBe(before);
    expect(calls).toBe(1);
  });
});

describe('messages that arrive late, after a freeze', () => {
  it('emit neither an event that the tab has emitted nor a recovery that has ended', async () => {
    const { signedIn, open, server, world } = createHarness();
    const first = await signedIn();
    const platform = world.openTab({ fetch: server.fetch });
    let isFrozen = false;
    const missed: (() => void)[] = [];
    const openTabChannel: typeof platform.openTabChannel = (name) => {
      const channel = platform.openTabChannel(name);
      return {
        ...channel,
        subscribe: (listener) =>
          channel.subscribe((message) =>
            isFrozen ? missed.push(() => listener(message)) : listener(message),
          ),
      };
    };
    const second = open({ platform: { ...platform, openTabChannel } });
    await second.client.start();
    await world.settle();
    const wake = async () => {
      platform.setVisible(true);
      platform.signal('resume');
      await world.settle();
      const seen = [...second.events];
      isFrozen = false;
      for (const deliver of missed.splice(0)) deliver();
      await world.settle();
      expect(second.events).toEqual(seen);
      return second.events.splice(0);
    };
    second.events.length = 0;
    isFrozen = true;
    for (let version = 2; version < 6; version += 1) {
      server.next(Response.json(sessionReply('ada', version)));
      await first.client.refreshSession();
    }
    expect(await wake()).toEqual(['TOKEN_REFRESHED']);

    isFrozen = true;
    server.next(Response.json(sessionReply('ada', 10)));
    await first.client.verifyOtp({ type: 'recovery', email: 'ada@example.com', token: '123456' });
    server.next(Response.json(userOf('ada')));
    await first.client.updateUser({ password: 'a new one' });
    await world.settle();
    expect(await wake()).not.toContain('PASSWORD_RECOVERY');
    first.client.close();
    second.client.close();
  });
});

it.each([
  ['never written by this client', (record: object) => record],
  ['rewritten by another program, which drops what it does not know', undefined],
])(
  'a record without revision that did not change emits nothing when the tab returns: %s',
  async (_name, first) => {
    const { open, signedIn, store, stored, world } = createHarness();
    if (first) await store.set('sb-project-auth-token', JSON.stringify(first(sessionReply('ada', 1))));
    const { client, tab, events } = first ? open() : await signedIn();
    await client.start();
    const { revision: _revision, received_at: _receivedAt, ...foreign } = (await stored()) ?? {};
    await store.set('sb-project-auth-token', JSON.stringify(foreign));
    await world.settle();
    events.length = 0;
    const before = client.getSnapshot();
    tab.setVisible(true);
    await world.settle();
    expect(events).toEqual([]);
    expect(client.getSnapshot()).toBe(before);
    client.close();
  },
);

describe('tabs without a lock in common, as on a page without https', () => {
  const openUnlocked = ({ open, world, server }: Harness) => {
    const tab = world.openTab({ fetch: server.fetch });
    return open({ platform: { ...tab, locks: createRealmLocks(), openTabChannel: () => silent } }).client;
  };
  const silent = { post() {}, subscribe: () => () => {}, close() {} };

  it('keep the tokens of the tab that was first, whose response arrives after the refusal of the other', async () => {
    const harness = createHarness();
    const { server, stored, world } = harness;
    const first = openUnlocked(harness);
    await first.start();
    server.next(Response.json(sessionReply('ada', 1)));
    await first.signInWithPassword({ email: 'ada@example.com', password: 'x' });
    const second = openUnlocked(harness);
    await second.start();
    world.clock.sleep(2 * 3600_000);
    const slow = deferred<Response>();
    server.next(() => slow.promise, refusal(400, 'refresh_token_already_used'));
    const tokens = [first.getAccessToken(), second.getAccessToken()];
    await world.clock.advance(9_000);
    slow.resolve(Response.json(sessionReply('ada', 2)));
    await world.clock.advance(3_000);
    const { access_token } = sessionReply('ada', 2);
    expect(await Promise.all(tokens)).toEqual([access_token, access_token]);
    expect(await stored()).toMatchObject({ refresh_token: 'refresh-ada-2' });
    expect([first, second].map((client) => client.getSnapshot().status)).toEqual(['signed-in', 'signed-in']);
    first.close();
    second.close();
  });

  it('sign out if no tab has renewed the token by the deadline of its request', async () => {
    const harness = createHarness();
    const { server, world } = harness;
    const client = openUnlocked(harness);
    await client.start();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'x' });
    world.clock.sleep(2 * 3600_000);
    server.next(refusal(400, 'refresh_token_already_used'));
    const token = client.getAccessToken();
    await world.clock.advance(16_000);
    expect(await token).toBeNull();
    expect(client.getSnapshot().status).toBe('signed-out');
    client.close();
  });
});
