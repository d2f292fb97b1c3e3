import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

const TOPIC = 'realtime:room';
const HELLO = { type: 'broadcast', event: 'hello', payload: { n: 1 } };

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld();
});
afterAll(() => world.close());

const member = async (config: Record<string, unknown> = {}, topic = TOPIC) => {
  const client = await world.connect();
  client.join(topic, { config });
  await client.nextOf('phx_reply');
  return client;
};

describe('a broadcast', () => {
  test('a broadcast that is not JSON is not sent with version 1.0.0, because it could forge a frame', async () => {
    const sender = await member();
    const old = await world.connect({ version: '1.0.0' });
    old.send(null, '1', TOPIC, 'phx_join', { config: {} });
    await old.nextOf('phx_reply');
    const forged = '{}},"topic":"realtime:other","event":"postgres_changes","payload":{"ids":[1]';
    sender.socket.send(pushFrame(TOPIC, 'hello', 1, Buffer.from(forged)));
    sender.socket.send(pushFrame(TOPIC, 'hello', 1, Buffer.from('{"n":1}')));
    await sender.flush();
    expect((await old.flush()).map(({ payload }) => payload)).toEqual([HELLO]);
  });

  test('a broadcast by HTTP needs a valid key, all fields, and a known path', async () => {
    const message = { topic: 'room', event: 'hello', payload: {} };
    expect((await post('/broadcast', { messages: [message] }, 'bad')).status).toBe(401);
    const invalid = await post('/broadcast', { messages: [message, { topic: 'room' }] });
    expect([invalid.status, await invalid.json()]).toEqual([
      422,
      { errors: { messages: [{}, { event: ["can't be blank"], payload: ["can't be blank"] }] } },
    ]);
    expect((await post('/broadcast', 'text')).status).toBe(422);
    expect((await post('/other', {})).status).toBe(404);
    const health = await world.service.handle(new Request(`${world.url}/realtime/v1/api/ping`));
    expect(await health.json()).toEqual({ message: 'Success' });
  });
});

test('a broadcast by HTTP decodes topic and event, also bytes that are not UTF-8', async () => {
  const client = await world.connect({ version: '1.0.0' });
  client.send(null, '1', 'realtime:é 100%', 'phx_join', { config: {} });
  await client.nextOf('phx_reply');
  for (const event of ['a%20b', '%FF'])
    expect((await post(`/broadcast/%C3%A9%20100%25/events/${event}`, {})).status).toBe(202);
  expect((await client.flush()).map(({ payload }) => payload)).toMatchObject([
    { event: 'a b' },
    { event: '\ufffd' },
  ]);
});

test('a single broadcast by HTTP wraps JSON that is not an object, and needs a topic and an event', async () => {
  const client = await world.connect({ version: '1.0.0' });
  client.send(null, '1', 'realtime:single', 'phx_join', { config: {} });
  await client.nextOf('phx_reply');
  for (const body of [[1, 2], 5, 'text', null])
    expect((await post('/broadcast/single/events/a', body)).status).toBe(202);
  expect((await client.flush()).map(({ payload }) => payload['payload'])).toEqual([
    { _json: [1, 2] },
    { _json: 5 },
    { _json: 'text' },
    { _json: null },
  ]);
  const blank = ["can't be blank"];
  for (const [path, errors] of [
    ['/broadcast/%20/events/a', { topic: blank }],
    ['/broadcast/a/events/%09?private=true', { event: blank }],
    ['/broadcast/%20/events/%20', { topic: blank, event: blank }],
  ] as const) {
    const refused = await post(path, {});
    expect([refused.status, await refused.json()]).toEqual([422, { errors }]);
  }
});

test.each([['text'], [[1]], [null], [5], [true]])(
  'the broadcast %j crashes its channel if another channel would receive it',
  async (payload) => {
    const topic = `realtime:crash-${JSON.stringify(payload)}`;
    const [alone, other] = [await member({ broadcast: { ack: true } }, topic), await world.connect()];
    alone.send('1', '2', topic, 'broadcast', payload);
    expect((await alone.next()).payload).toEqual({ status: 'ok', response: {} });
    other.join(topic);
    await other.nextOf('phx_reply');
    alone.send('1', '3', topic, 'broadcast', payload);
    expect((await alone.flush()).map(({ event, payload: sent }) => [event, sent])).toEqual([
      ['phx_error', { reason: 'channel_crash' }],
    ]);
    expect(await other.flush()).toEqual([]);
  },
);

test('a binary frame without names gets a reply with its empty ref', async () => {
  const client = await world.connect();
  client.socket.send(Buffer.from([3, 0, 0, 0, 0, 0, 0]));
  expect(await client.next()).toMatchObject({ joinRef: null, ref: '', topic: '', event: 'phx_reply' });
});

describe('presence', () => {
  const track = (payload: unknown) => ({ type: 'presence', event: 'track', payload });

  test.each(['constructor', 'toString', '__proto__'])('accepts the key %s', async (key) => {
    const topic = `realtime:${key}`;
    const presenceOf = (name: string) => ({ presence: { key: name, enabled: true } });
    const [one, other] = [await member(presenceOf(key), topic), await member(presenceOf('b'), topic)];
    await other.flush();
    one.send('1', '2', topic, 'presence', track({ x: 1 }));
    await one.flush();
    const [joined] = await other.flush();
    const joins = joined?.payload['joins'] as object;
    expect(Object.entries(joins)).toEqual([[key, { metas: [{ x: 1, phx_ref: expect.any(String) }] }]]);
    one.terminate();
    expect(JSON.stringify((await other.nextOf('presence_diff')).payload['leaves'])).toContain(`"${key}"`);
    expect(world.reported).toEqual([]);
  });

  test.each([
    [5, '5'],
    [1.5, '1.5'],
    [true, 'true'],
    [false, 'false'],
  ])('the key %j counts as its text', async (key, text) => {
    const topic = `realtime:key-${text}`;
    const one = await member({ presence: { key, enabled: true } }, topic);
    one.send('1', '2', topic, 'presence', track({}));
    const { payload } = await one.nextOf('presence_diff');
    expect(Object.keys(payload['joins'] as object)).toEqual([text]);
  });

  test('groups the tabs of one key, and untrack removes one', async () => {
    const tabs = [];
    for (const tab of [1, 2]) {
      const client = await member({ presence: { key: 'ada', enabled: true } }, 'realtime:p2');
      client.send('1', '2', 'realtime:p2', 'presence', track({ tab }));
      await client.flush();
      tabs.push(client);
    }
    const stateOf = async () => {
      const watcher = await member({ presence: { enabled: true } }, 'realtime:p2');
      return (await watcher.next()).payload;
    };
    expect(await stateOf()).toMatchObject({ ada: { metas: [{ tab: 1 }, { tab: 2 }] } });
    tabs[0]?.send('1', '3', 'realtime:p2', 'presence', { type: 'presence', event: 'untrack' });
    await tabs[0]?.flush();
    expect(await stateOf()).toMatchObject({ ada: { metas: [{ tab: 2 }] } });
  });
});

const post = (path: string, body: unknown, key = world.keys.anonKey) =>
  world.service.handle(
    new Request(`${world.url}/realtime/v1/api${path}`, {
      method: 'POST',
      headers: { apikey: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

/** Kind 3: from a client. */
function pushFrame(topic: string, event: string, encoding: number, payload: Buffer): Buffer {
  const head = [3, 1, 1, topic.length, event.length, 2, encoding];
  return Buffer.concat([Buffer.from(head), Buffer.from(`19${topic}${event}{}`), payload]);
}
