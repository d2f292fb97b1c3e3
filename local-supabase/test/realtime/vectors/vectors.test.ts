import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { RealtimeSettings } from '../../../src/services/realtime/settings.ts';
import { compareScenario, describeMismatch } from './compare-scenario.ts';
import { exceptions } from './exceptions.ts';
import { createLiveWorld, liveTarget } from './live-world.ts';
import { replay } from './replay.ts';
import { loadScenarios, numberOf, readSetupSql } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { createVectorDatabase, createVectorWorld } from './vector-world.ts';
import type { VectorWorld } from './vector-world.ts';

const live = liveTarget();
const isDefault = ({ tenant }: Scenario) => Object.keys(tenant).length === 0;
/** The settings of a live server cannot be changed from here. */
const scenarios = loadScenarios().filter((scenario) => live === null || isDefault(scenario));

let database: Database | null = null;
let world: VectorWorld;

beforeAll(async () => {
  database = live ? null : await createVectorDatabase();
  world = live ? createLiveWorld(live) : await createVectorWorld(embeddedDatabase(), {});
  if (live) await world.runSql(readSetupSql());
  await holdPollingAwake(world);
});
afterAll(async () => {
  await world.close();
  await database?.close();
});

function embeddedDatabase(): Database {
  if (!database) throw new Error('A live server has no embedded database');
  return database;
}

describe('a recorded scenario of the real server', () => {
  for (const scenario of scenarios) {
    const reason = live ? undefined : exceptions[scenario.id];
    const note = reason === undefined ? '' : ` (differs: ${reason})`;
    test(`${scenario.id} ${scenario.title}${note}`, async () => {
      const own = isDefault(scenario)
        ? null
        : await createVectorWorld(embeddedDatabase(), settingsOf(scenario));
      try {
        const mismatch = compareScenario(scenario, await replay(own ?? world, scenario));
        if (reason === undefined && mismatch) throw new Error(describeMismatch(mismatch));
        expect(mismatch === null, 'an exception that is no longer needed').toBe(reason === undefined);
      } finally {
        await own?.close();
      }
    });
  }
});

test('at most one scenario in twenty is an exception', () => {
  const listed = scenarios.filter(({ id }) => exceptions[id] !== undefined);
  expect(listed.length).toBeLessThanOrEqual(scenarios.length / 20);
});

/** The recorder kept a subscription on a table without writes, so that polling never stopped. */
async function holdPollingAwake({ connect, anonKey, advance }: VectorWorld): Promise<void> {
  const socket = connect(`/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`);
  await new Promise((resolve) => socket.once('open', resolve));
  const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'd_warm' }] };
  socket.send(JSON.stringify(['0', '0', 'realtime:warm', 'phx_join', { config }]));
  await advance(4_000);
}

/** The tenant settings of the real server and the corresponding embedded ones. */
const SETTING_NAMES: Readonly<Record<string, keyof RealtimeSettings>> = {
  max_channels_per_client: 'maxChannelsPerConnection',
  max_concurrent_users: 'maxConnections',
  max_joins_per_second: 'maxJoinsPerSecond',
  max_events_per_second: 'maxEventsPerSecond',
  max_presence_events_per_second: 'maxPresenceEventsPerSecond',
  max_client_presence_events_per_window: 'maxPresenceCalls',
  client_presence_window_ms: 'presenceWindowMs',
  max_payload_size_in_kb: 'maxPayloadKb',
  presence_enabled: 'presenceEnabled',
  private_only: 'privateOnly',
  suspend: 'suspended',
};

function settingsOf({ tenant }: Scenario): Partial<RealtimeSettings> {
  return Object.fromEntries(
    Object.entries(tenant).map(([name, value]) => {
      const setting = SETTING_NAMES[name];
      if (setting === undefined) throw new Error(`No setting for ${name}`);
      return [setting, typeof value === 'boolean' ? value : numberOf(value)];
    }),
  );
}
