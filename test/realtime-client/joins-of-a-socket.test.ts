import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRealtimeClient, type RealtimeClientOptions } from '../../src/realtime-client/index.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import type { Refusal } from '../../src/realtime-client/protocol/refusal.ts';
import {
  initialJoins,
  nextTurns,
  stepJoins,
  type JoiningTopic,
  type JoinsEvent,
  type JoinsState,
} from '../../src/realtime-client/socket/joins-state.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createSlowServer, type JoinVerdict } from '../support/wire/slow-realtime.ts';

const expired = 'InvalidJWTToken: Token has expired 3 seconds ago';
const forbidden = 'Unauthorized: You do not have permissions to read from this Channel topic';
const tooMany = 'ChannelRateLimitReached: Too many channels';

function createScene(
  count: number,
  verdict: (join: {
    readonly topic: string;
    readonly token: unknown;
    readonly joined: number;
  }) => JoinVerdict,
  options: Partial<RealtimeClientOptions> & { readonly confirmMs?: number; readonly leaveMs?: number } = {},
) {
  const world = createFakeWorld();
  const tab = world.openTab();
  const client = createRealtimeClient({
    url: 'https://project.test',
    apiKey: 'key',
    platform: tab,
    getAccessToken: () => Promise.resolve('dead'),
    ...options,
  });
  const channels = Array.from({ length: count }, (_, index) => client.channel(`channel-${index}`));
  for (const channel of channels) {
    if (options.confirmMs) createPostgresChanges(channel).on({ table: 'notes' }, () => {});
    channel.join();
  }
  const statuses = () => channels.map((channel) => channel.getSnapshot().status);
  return { client, tab, channels, statuses, server: createSlowServer(world, tab, verdict, options) };
}

describe('the joins of one socket', () => {
  it('fail all channels of an ended token after one join', async () => {
    const { channels, server } = createScene(6, () => expired);
    await server.run(150_000);
    expect(channels.map((channel) => channel.getSnapshot().error?.code)).toEqual(
      Array.from({ length: 6 }, () => 'token-rejected'),
    );
    expect(server.joins).toHaveLength(1);
  });

  it('renew an ended token once for all channels', async () => {
    const rejected: unknown[] = [];
    const { statuses, server } = createScene(6, ({ token }) => (token === 'dead' ? expired : null), {
      getAccessToken: (request) => {
        if (request?.rejectedToken) rejected.push(request.rejectedToken);
        return Promise.resolve(rejected.length > 0 ? 'fresh' : 'dead');
      },
    });
    await server.run(20_000);
    expect(new Set(statuses())).toEqual(new Set(['live']));
    expect(rejected).toEqual(['dead']);
    expect(server.joins).toHaveLength(7);
  });

  it('do not end the subscriptions of good channels while other joins are refused', async () => {
    const isGood = (topic: string) => topic.endsWith('-0') || topic.endsWith('-5');
    const { channels, server, statuses, tab } = createScene(
      6,
      ({ topic }) => (isGood(topic) ? null : forbidden),
      { confirmMs: 12_000 },
    );
    await server.run(60_000);
    expect(statuses()).toEqual(['live', 'failed', 'failed', 'failed', 'failed', 'live']);
    expect(channels[1]?.getSnapshot().error?.code).toBe('unauthorized');
    expect({ joins: server.joins.length, leaves: server.leaves, sockets: tab.sockets.length }).toEqual({
      joins: 6,
      leaves: [],
      sockets: 1,
    });
  });

  it('make every good channel live on the first socket, and none is left, whichever others are refused', async () => {
    const schedule = fc.record({
      refused: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      confirmMs: fc.constantFrom(50, 3_000, 20_000, 40_000),
      wakesAtMs: fc.nat({ max: 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(schedule, async ({ refused, confirmMs, wakesAtMs }) => {
        const isRefused = (topic: string) => refused[Number(topic.split('-').at(-1))];
        const { client, server, statuses, tab } = createScene(
          refused.length,
          ({ topic }) => (isRefused(topic) ? forbidden : null),
          { confirmMs },
        );
        await server.run(wakesAtMs);
        tab.signal('visible');
        await server.run(130_000 - wakesAtMs);
        expect(statuses()).toEqual(refused.map((isOne) => (isOne ? 'failed' : 'live')));
        expect([server.leaves, tab.sockets.length]).toEqual([[], 1]);
        client.close();
      }),
      { numRuns: 5 },
    );
  });

  it('accept a confirmation that a server which has just started sends after 45 s', async () => {
    const { server, statuses } = createScene(2, () => null, { confirmMs: 45_000 });
    await server.run(50_000);
    expect([statuses(), server.joins.length, server.leaves]).toEqual([['live', 'live'], 2, []]);
  });

  it('keep the socket when the page wakes up while a join is refused', async () => {
    const { channels, server, statuses, tab } = createScene(2, ({ topic }) =>
      topic.endsWith('1') ? forbidden : null,
    );
    channels[1]?.leave();
    await server.run(1_000);
    channels[1]?.join();
    await server.run(500);
    tab.signal('visible');
    await server.run(10_000);
    expect([statuses(), tab.sockets.length]).toEqual([['live', 'failed'], 1]);
  });

  it('count a refusal that arrives after the timeout of the join', async () => {
    let isClosing = false;
    const { channels, server } = createScene(5, () => (isClosing ? forbidden : null));
    await server.run(1_000);
    isClosing = true;
    channels.forEach((channel) => {
      channel.leave();
      channel.join();
    });
    await server.run(120_000);
    expect(channels.map((channel) => channel.getSnapshot().error?.code)).toEqual(
      Array.from({ length: 5 }, () => 'unauthorized'),
    );
    expect(server.joins.length).toBeLessThanOrEqual(5 + 5 + 4);
  });

  it('beyond the limit of channels wait until another channel is left, and delay no others', async () => {
    const { channels, statuses, server } = createScene(110, ({ joined }) => (joined >= 100 ? tooMany : null));
    await server.run(120_000);
    const count = (status: string) => statuses().filter((one) => one === status).length;
    expect([count('live'), count('failed')]).toEqual([100, 10]);
    expect(server.joins.length).toBeLessThanOrEqual(104);
    expect(channels.find((channel) => channel.getSnapshot().error)?.getSnapshot().error?.code).toBe(
      'channel-limit',
    );
    channels.slice(0, 3).forEach((channel) => channel.leave());
    await server.run(2_000);
    expect([count('live'), count('failed'), count('closed')]).toEqual([100, 7, 3]);
  });

  it('reach the limit of channels although the server counts a left channel for a moment', async () => {
    const { client, channels, statuses, server } = createScene(
      110,
      ({ joined }) => (joined >= 100 ? tooMany : null),
      { confirmMs: 3_000, leaveMs: 400 },
    );
    await server.run(60_000);
    const live = channels.filter((channel) => channel.getSnapshot().status === 'live');
    expect(live).toHaveLength(100);
    live[0]?.leave();
    const other = client.channel('other');
    other.join();
    await server.run(60_000);
    expect([...statuses(), other.getSnapshot().status].filter((status) => status === 'live')).toHaveLength(
      100,
    );
  });
});

describe('the turns to join', () => {
  const topicOf = (topic: string, type = 'queued', isPrivate = false, attempt = 0): JoiningTopic => ({
    topic,
    isPrivate,
    state: { type, attempt },
  });
  const queued = ['a', 'b', 'c', 'd', 'e'].map((topic) => topicOf(topic));
  const accepted = (joined: number, topic = 'x'): JoinsEvent => ({ type: 'accepted', topic, joined });
  const refused = (refusal: Refusal, joined = 0, topic = 'x'): JoinsEvent => ({
    type: 'refused',
    topic,
    refusal,
    joined,
  });
  const after = (...events: readonly JoinsEvent[]) => events.reduce(stepJoins, initialJoins(4));
  const turnsOf = (state: JoinsState, topics = queued) =>
    nextTurns(state, topics)
      .map(({ topic }) => topic)
      .join('');

  it('are given to one topic until the server has accepted a join, then to four', () => {
    expect(turnsOf(after())).toBe('a');
    expect(turnsOf(after(accepted(1)))).toBe('abcd');
  });

  it('count the topics that have one', () => {
    const active = [topicOf('x', 'authorizing'), topicOf('y', 'joining'), topicOf('z', 'live')];
    expect(turnsOf(after(accepted(1)), [...active, ...queued])).toBe('ab');
    expect(turnsOf(after(), [...active, ...queued])).toBe('');
  });

  it('are one after a refusal, for as long as the socket lasts, but four again after a refused token', () => {
    expect(turnsOf(after(accepted(1), refused('unauthorized'), accepted(2)))).toBe('a');
    expect(turnsOf(after(accepted(1), refused('token')))).toBe('a');
    expect(turnsOf(after(accepted(1), refused('token'), accepted(2)))).toBe('abcd');
  });

  it('are given to public topics first, last to those that were refused or have failed before', () => {
    const rest = [
      topicOf('refused'),
      topicOf('failed', 'queued', false, 1),
      topicOf('private', 'queued', true),
      topicOf('public'),
    ];
    const state = after(accepted(1), refused('token'), refused('unauthorized', 1, 'refused'));
    const order: string[] = [];
    while (rest.length > 0) {
      const next = turnsOf(state, rest);
      order.push(next);
      rest.splice(
        rest.findIndex(({ topic }) => topic === next),
        1,
      );
    }
    expect(order).toEqual(['public', 'failed', 'private', 'refused']);
  });

  it('forget a refusal once the topic is joined', () => {
    expect(after(refused('unauthorized', 0, 'a')).refused).toEqual(new Set(['a']));
    expect(after(refused('unauthorized', 0, 'a'), accepted(1, 'a')).refused).toEqual(new Set());
  });

  it('learn the limit of channels from the second refusal below the highest number that was joined', () => {
    const left = [accepted(1), accepted(2), refused('channel-limit', 1)];
    expect(after(...left).capacity).toBe(Infinity);
    expect(after(...left, refused('channel-limit', 1)).capacity).toBe(1);
    expect(after(accepted(2), refused('channel-limit', 2)).capacity).toBe(2);
  });
});
