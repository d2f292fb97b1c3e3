import type { ExpirableKeys } from './keys/expirable-keys.ts';
import type { FaultGate } from './fault-gate.ts';
import type { FaultRule } from './fault-rule.ts';
import type { RealtimeFaults } from './realtime/faults.ts';
import type { SkewedClock } from './skewed-clock.ts';

/** Makes things go wrong on command. */
export interface Faults {
  /** Adds a rule; the first that matches a request strikes it. Returns a function that removes it. */
  add(rule: FaultRule): () => void;
  list(): readonly FaultRule[];
  /** Removes every rule and sets the clock right. */
  clear(): Promise<void>;
  /** Cuts every websocket without a close frame. */
  dropSockets(): void;
  /** Half-open connections: the websockets that are open now stay open and silent; later ones work. */
  freezeSockets(): void;
  /** Puts the server's clock ahead of the true time (negative: behind). Tokens expire accordingly. */
  skewClock(byMs: number): Promise<void>;
  /** Makes every access token that was handed out so far expire now, as seen by the server. */
  expireTokens(): void;
  /** A new signing key; the old stays published. */
  rotateKeys(): Promise<void>;
  /** As after a restart of the machine: every connection ends, and for `downMs` nothing answers. Default 0. */
  restart(downMs?: number): Promise<void>;
}

export interface FaultTargets {
  readonly gate: FaultGate;
  readonly clock: SkewedClock;
  readonly keys: ExpirableKeys;
  readonly realtime: RealtimeFaults;
  /** Ends every HTTP connection. */
  readonly dropConnections: () => void;
}

export function createFaults({ gate, clock, keys, realtime, dropConnections }: FaultTargets): Faults {
  const skewClock = (byMs: number) => {
    clock.skew(byMs);
    return realtime.checkTokens();
  };
  return {
    add: gate.add,
    list: gate.list,
    async clear() {
      gate.removeAll();
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
      const up = gate.add({ lose: 'request' });
      await realtime.kill();
      dropConnections();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await realtime.recover();
      up();
    },
  };
}
