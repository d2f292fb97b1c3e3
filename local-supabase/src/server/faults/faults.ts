import { databaseFailureRules } from './database-failure.ts';
import type { ExpirableKeys } from '../../keys/expirable-keys.ts';
import type { FaultInjection } from './fault-injection.ts';
import type { FaultRule } from './fault-rule.ts';
import type { SlotFault } from '../../services/realtime/changes/replication-slot.ts';
import type { RealtimeFaults } from '../../services/realtime/faults.ts';

export interface Faults {
  /** Adds a rule; the first rule that matches a request applies. Returns a function that removes it. */
  add(rule: FaultRule): () => void;
  list(): readonly FaultRule[];
  /** Removes every rule and ends every other active fault. */
  clear(): Promise<void>;
  /** Ends every WebSocket without a close frame. */
  dropSockets(): void;
  /** Makes the open WebSockets half-open: they stay open and silent. Later WebSockets work. */
  freezeSockets(): void;
  /** Sets the server's clock ahead of the true time, or behind it if the number is negative. Tokens expire by this clock. */
  skewClock(byMs: number): Promise<void>;
  /** Makes the server treat every access token issued so far as expired. */
  expireTokens(): void;
  /** Rotates the signing key; the old one stays published. */
  rotateKeys(): Promise<void>;
  /** Simulates a restart of the machine: every connection ends, and for `downMs` (default 0) requests get no response. */
  restart(downMs?: number): Promise<void>;
  /**
   * Sets the state of Realtime's poller. Only `running` delivers changes; changes committed in another state are lost,
   * and subscriptions are still confirmed with `Subscribed to PostgreSQL`.
   *
   * - `ended`: the poller has ended without a message to clients. `running` makes every channel subscribe again.
   * - `slot-refused`: its replication slot cannot be created. After six tries, within about ten seconds, every channel
   * subscribes again and succeeds, without changes. `running` makes every channel subscribe again.
   * - `slot-waiting`: the creation of the slot waits for a transaction. `running` creates it without a message to
   * clients.
   */
  setPoller(state: PollerState): Promise<void>;
  /**
   * Stops or starts the replication of `realtime.messages`. While it is stopped, broadcasts from the database are lost
   * without a message to clients, and joins that ask for `replication_ready` wait.
   */
  setMessageReplication(isRunning: boolean): void;
  /**
   * Drops changes without notice above this number per second. The rate is an average over a minute, checked every five
   * seconds; the free plan has 100. Broadcasts above the same limit end the channel. Null restores the setting.
   */
  limitEvents(perSecond: number | null): void;
  /**
   * Restarts PostgreSQL: for `downMs` (default 0) the services respond as without a database, joins are refused and
   * changes are lost. WebSockets stay open; every channel subscribes again afterwards.
   */
  restartDatabase(downMs?: number): Promise<void>;
  /**
   * Restarts Realtime while a transaction stays open for another `openMs` (default 0): every WebSocket ends, new
   * subscriptions succeed, and changes are lost until the transaction has ended.
   */
  restartDuringTransaction(openMs?: number): Promise<void>;
}

export type PollerState = 'running' | 'ended' | 'slot-refused' | 'slot-waiting';

export interface FaultTargets {
  readonly gate: FaultInjection;
  readonly clock: SkewedClock;
  readonly keys: ExpirableKeys;
  readonly realtime: RealtimeFaults;
  /** Ends every HTTP connection. */
  readonly dropConnections: () => void;
  /** Replaced in tests. Default: the process's timers. */
  readonly wait?: (durationMs: number) => Promise<void>;
}

const SLOT_FAULTS = {
  running: 'available',
  ended: 'ended',
  'slot-refused': 'refused',
  'slot-waiting': 'waiting',
} as const satisfies Record<PollerState, SlotFault>;

export function createFaults(targets: FaultTargets): Faults {
  const { gate, clock, keys, realtime, dropConnections, wait = waitInProcess } = targets;
  const skewClock = (byMs: number) => {
    clock.skew(byMs);
    return realtime.checkTokens();
  };
  return {
    add: gate.add,
    list: gate.list,
    async clear() {
      gate.removeAll();
      realtime.limitEvents(null);
      realtime.setMessageReplication(true);
      await realtime.setDatabaseAvailable(true);
      await skewClock(0);
    },
    dropSockets: realtime.dropSockets,
    freezeSockets: realtime.swallowFrames,
    skewClock,
    expireTokens() {
      keys.expireTokens();
      realtime.expireTokens();
    },
    rotateKeys: keys.rotate,
    async restart(downMs = 0) {
      const endRule = gate.add({ lose: 'request' });
      await realtime.kill();
      dropConnections();
      await wait(downMs);
      await realtime.recover();
      endRule();
    },
    setPoller: (state) => realtime.setSlot(SLOT_FAULTS[state]),
    setMessageReplication: realtime.setMessageReplication,
    limitEvents: realtime.limitEvents,
    async restartDatabase(downMs = 0) {
      const endRules = databaseFailureRules.map(gate.add);
      await realtime.setDatabaseAvailable(false);
      await wait(downMs);
      await realtime.setDatabaseAvailable(true);
      for (const endRule of endRules) endRule();
    },
    async restartDuringTransaction(openMs = 0) {
      await realtime.kill();
      await realtime.setSlot('waiting');
      await realtime.recover();
      await wait(openMs);
      await realtime.setSlot('available');
    },
  };
}

const waitInProcess = (durationMs: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, durationMs));

/** A clock with an adjustable skew. */
export interface SkewedClock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Sets the difference to the true time, in milliseconds. */
  skew(byMs: number): void;
  /** Moves the true time ahead permanently, by milliseconds. */
  advance(byMs: number): void;
}

export function createSkewedClock(trueNow: () => number): SkewedClock {
  let skewMs = 0;
  let aheadMs = 0;
  return {
    now: () => trueNow() + aheadMs + skewMs,
    advance(byMs) {
      aheadMs += byMs;
    },
    skew(byMs) {
      skewMs = byMs;
    },
  };
}
