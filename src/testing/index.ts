/** Fakes for the tests of an application: no network, no real time, no test runner. */
import { createMemoryStore } from '../auth-client/index.ts';
import { createPlatform } from '../platform/browser-platform.ts';
import { createRealmLocks } from '../platform/realm-locks.ts';
import type { UnknownDatabase } from '../rest-client/index.ts';
import { createSupabaseClients, type SupabaseClients } from '../clients/supabase-clients.ts';
import { scriptAuth, type TestUser } from './auth-replies.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createRealtimeScript, type EmittedChange } from './realtime-script.ts';
import { createRecordedWire, type RecordedWire } from './recorded-wire.ts';

export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { createRecordedWire, type RecordedRequest, type RecordedWire, type Reply } from './recorded-wire.ts';
export type { EmittedChange } from './realtime-script.ts';
export type { TestUser } from './auth-replies.ts';

/** The options of {@link createTestClients}. */
export interface TestClientsOptions {
  /** The signed-in user; null: signed out. Default: a user with a fixed id. */
  readonly user?: TestUser | null;
  /** Default: a clock that starts in 2026. */
  readonly clock?: FakeClock;
}

/** Clients of a project that exists only in the test. */
export interface TestClients<Database = UnknownDatabase> extends SupabaseClients<Database> {
  /** Responds to the requests of all clients and records them. The auth service's own routes have responses already. */
  readonly wire: RecordedWire;
  /** The time of all clients. */
  readonly clock: FakeClock;
  /** Failures that no caller awaits, such as the error of a listener. */
  readonly reported: readonly unknown[];
  /** Sends a change of a row to the channels that listen to it; call it once a channel is `live`. */
  emitChange(change: EmittedChange): void;
}

/**
 * Creates the real clients over a scripted network, signed in and started. For `SupabaseProvider` pass them as `clients`.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';
 * import { createTestClients } from 'supabase-protocol-clients/testing';
 *
 * const { auth, rest, realtime, wire, clock, emitChange, close } = await createTestClients<Database>();
 * assert.equal(auth.getSnapshot().user?.email, 'ada@example.com');
 *
 * wire.on('GET /rest/v1/notifications', Response.json([{ id: '1' }]));
 * assert.deepEqual(await rest.from('notifications').select('id').eq('status', 'unread'), [{ id: '1' }]);
 * assert.equal(wire.requests.at(-1)?.path, '/rest/v1/notifications?select=id&status=eq.unread');
 *
 * const channel = realtime.channel('inbox');
 * const arrived: unknown[] = [];
 * createPostgresChanges(channel).on({ table: 'notifications' }, (change) => arrived.push(change.type));
 * channel.join();
 * await clock.advance(100);
 * emitChange({ type: 'INSERT', table: 'notifications', record: { id: '2', content: 'Hello' } });
 * await clock.advance(100);
 * assert.deepEqual(arrived, ['INSERT']);
 * close();
 * ```
 */
export async function createTestClients<Database = UnknownDatabase>({
  user = {},
  clock = createFakeClock(),
}: TestClientsOptions = {}): Promise<TestClients<Database>> {
  const wire = createRecordedWire();
  const script = createRealtimeScript(clock.now);
  const reported: unknown[] = [];
  scriptAuth(wire, clock, user ?? {});
  const clients = createSupabaseClients<Database>({
    url: 'https://project.test',
    apiKey: 'sb_publishable_test',
    store: createMemoryStore(),
    auth: { address: undefined },
    platform: createPlatform({
      fetch: wire.fetch,
      clock,
      locks: createRealmLocks(),
      openSocket: script.openSocket,
      openTabChannel: () => ({ post() {}, subscribe: () => () => {}, close() {} }),
      page: { isVisible: () => true, isOnline: () => true, subscribe: () => () => {} },
      report: (problem) => void reported.push(problem),
    }),
  });
  await clients.auth.start();
  if (user)
    await clients.auth.signInWithPassword({ email: user.email ?? 'ada@example.com', password: 'password' });
  return { ...clients, wire, clock, reported, emitChange: script.emit };
}
