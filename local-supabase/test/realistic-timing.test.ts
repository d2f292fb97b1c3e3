import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { realisticTiming } from '../src/services/realtime/settings.ts';
import type { RawClient } from './realtime/raw-client.ts';
import {
  ADA,
  createNotesDatabase,
  createRealtimeWorld,
  type RealtimeWorld,
} from './realtime/realtime-world.ts';

const TOPIC = 'realtime:timed';
const OPEN_NOTES = { event: 'INSERT', schema: 'public', table: 'open_notes' };

let database: Database;
let world: RealtimeWorld;
beforeAll(async () => {
  database = await createNotesDatabase();
});
afterAll(() => database.close());
afterEach(() => world.close());

/** Moves the clock in small steps, so that timers which timers set run in their order. */
async function advance(client: RawClient, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 100) {
    world.timers.advance(Math.min(100, ms - passedMs));
    await client.flush();
  }
}

const count = (client: RawClient, text: string) =>
  client.texts.filter((frame) => frame.includes(text)).length;

/** An effect that occurs at once without the delay, and after that time with it. */
interface Timed {
  readonly delays: readonly (keyof typeof realisticTiming)[];
  readonly name: string;
  /** Starts the case; returns a function that counts how often the effect has occurred. */
  begin(client: RawClient): Promise<() => number>;
  /** The maximum time until the effect. */
  readonly withinMs: number;
}

const joinOpenNotes = async (client: RawClient) =>
  client.joinLive(TOPIC, { changes: [OPEN_NOTES], token: await world.tokenOf(ADA) });

const timed: readonly Timed[] = [
  {
    delays: ['pollIntervalMs'],
    name: 'a change is delivered',
    withinMs: 1000,
    async begin(client) {
      await joinOpenNotes(client);
      await world.database.exec(`insert into open_notes values (1, '${ADA}', 'polled')`);
      return () => count(client, 'polled');
    },
  },
  {
    delays: ['publicationCheckMs'],
    name: 'a table that joins the publication delivers',
    withinMs: 61_000,
    async begin(client) {
      await joinOpenNotes(client);
      await world.database.exec('alter publication supabase_realtime add table public.unpublished');
      return () => count(client, 'Subscribed to PostgreSQL') - 1;
    },
  },
  {
    delays: ['connectErrorBackoffMs'],
    name: 'a refused handshake gets a response',
    withinMs: 2000,
    begin() {
      let refusals = 0;
      void world.service.handshake(new URL(`${world.url}?apikey=garbage`)).then((response) => {
        if ('status' in response) refusals += 1;
      });
      return Promise.resolve(() => refusals);
    },
  },
  {
    delays: ['joinErrorBackoffMs'],
    name: 'a refused join gets a reply',
    withinMs: 5000,
    begin(client) {
      client.join('realtime:');
      return Promise.resolve(() => count(client, 'TopicNameRequired'));
    },
  },
  {
    delays: ['coldStartMs'],
    name: 'the first subscription is confirmed',
    withinMs: 4000,
    async begin(client) {
      client.join(TOPIC, { changes: [OPEN_NOTES], token: await world.tokenOf(ADA) });
      await client.nextOf('phx_reply');
      return () => count(client, 'Subscribed to PostgreSQL');
    },
  },
  {
    delays: ['replicationDelayMs'],
    name: 'messages of the database are read',
    withinMs: 500,
    begin(client) {
      client.join(TOPIC, { config: { broadcast: { replication_ready: true } } });
      return Promise.resolve(() => count(client, 'Replication connection established'));
    },
  },
  {
    delays: ['resubscribeDelayMs', 'resubscribeJitterMs'],
    name: 'a new token is subscribed with',
    withinMs: 2000,
    async begin(client) {
      await joinOpenNotes(client);
      client.send('1', '7', TOPIC, 'access_token', { access_token: await world.tokenOf(ADA, { n: 1 }) });
      await client.flush();
      return () => count(client, 'Subscribed to PostgreSQL') - 1;
    },
  },
  {
    delays: ['accessTokenThrottleMs'],
    name: 'a second token is verified',
    withinMs: 10_000,
    async begin(client) {
      await joinOpenNotes(client);
      client.send('1', '7', TOPIC, 'access_token', { access_token: await world.tokenOf(ADA, { n: 1 }) });
      client.send('1', '8', TOPIC, 'access_token', { access_token: 'garbage' });
      return () => count(client, '"status":"error"');
    },
  },
];

const eachDelay = timed.flatMap(({ delays, ...rest }) => delays.map((delay) => ({ ...rest, delay })));

describe('what the platform does by a timer', () => {
  afterEach(() =>
    world.database.exec(
      `do $$ begin alter publication supabase_realtime drop table public.unpublished; exception when others then null; end $$`,
    ),
  );

  it.each(timed)('$name at once by default', async ({ begin }) => {
    world = await createRealtimeWorld({}, database);
    const client = await world.connect();
    const happened = await begin(client);
    await expect.poll(async () => (await client.flush(), happened())).toBe(1);
  });

  it.each(eachDelay)('$name after `$delay` with realistic timing', async ({ delay, begin, withinMs }) => {
    // The client sends no heartbeats.
    world = await createRealtimeWorld({ [delay]: realisticTiming[delay], idleTimeoutMs: Infinity }, database);
    const client = await world.connect();
    const other = await world.connect();
    const happened = await begin(client);
    await other.flush();
    await world.service.settled();
    expect(happened()).toBe(0);
    await expect
      .poll(async () => {
        await advance(other, withinMs);
        return happened();
      })
      .toBe(1);
  });

  it.each([
    ['delivered after it by default', {}, 1],
    ['lost with realistic timing', { recoveryWindowMs: realisticTiming.recoveryWindowMs }, 0],
  ])('changes before a crash are %s', async (_, settings, expected) => {
    world = await createRealtimeWorld(settings, database);
    const { faults } = world.service;
    await joinOpenNotes(await world.connect());
    faults.pauseDelivery(true);
    await world.database.exec(`insert into open_notes values (1, '${ADA}', 'before')`);
    await faults.kill();
    faults.pauseDelivery(false);
    await faults.recover();
    const returned = await world.connect();
    await joinOpenNotes(returned);
    await world.database.exec(`insert into open_notes values (2, '${ADA}', 'since')`);
    await expect.poll(async () => (await returned.flush(), count(returned, 'since'))).toBe(1);
    expect(count(returned, 'before')).toBe(expected);
  });
});
