import { describe, expect, it } from 'vitest';
import { createRealtimeClient, type RealtimeClientOptions } from '../../src/realtime-client/index.ts';
import { createJoinQueue } from '../../src/realtime-client/socket/join-queue.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createSlowServer, type JoinVerdict } from '../support/wire/slow-realtime.ts';

const expired = 'InvalidJWTToken: Token has expired 3 seconds ago';

function createScene(
  count: number,
  verdict: (join: {
    readonly topic: string;
    readonly token: unknown;
    readonly joined: number;
  }) => JoinVerdict,
  options: Partial<RealtimeClientOptions> = {},
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
  channels.forEach((channel) => channel.join());
  const statuses = () => channels.map((channel) => channel.getSnapshot().status);
  return { client, channels, statuses, server: createSlowServer(world, tab, verdict) };
}

describe('the joins of one socket', () => {
  it('fail all channels of a dead token after one join', async () => {
    const { channels, server } = createScene(6, () => expired);
    await server.run(150_000);
    expect(channels.map((channel) => channel.getSnapshot().error?.code)).toEqual(
      Array.from({ length: 6 }, () => 'token-rejected'),
    );
    expect(server.joins).toHaveLength(1);
  });

  it('renew a dead token once for all channels', async () => {
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

  it('wait for each other until the server has accepted one, then run four at a time', () => {
    const queue = createJoinQueue(4);
    const turns: string[] = [];
    for (const topic of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) queue.request(topic, () => turns.push(topic));
    expect(turns).toEqual(['a']);
    queue.accepted('a');
    expect(turns).toEqual(['a', 'b', 'c', 'd']);
    queue.release('a');
    expect(turns).toHaveLength(5);
    queue.refused(false);
    ['b', 'c', 'd'].forEach(queue.release);
    expect(turns).toHaveLength(5);
    queue.release('e');
    expect(turns).toHaveLength(6);
  });

  it('count a refusal that arrives after the timeout of the join', async () => {
    const forbidden = 'Unauthorized: You do not have permissions to read from this Channel topic';
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

  it('beyond the limit of channels cost the surplus only, which joins once another channel is left', async () => {
    const { channels, statuses, server } = createScene(110, ({ joined }) =>
      joined >= 100 ? 'ChannelRateLimitReached: Too many channels' : null,
    );
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
});
