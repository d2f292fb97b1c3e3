import type { RealtimeSettings } from './settings.ts';
import type { Timers } from './timers.ts';

/** The replication connection that reads the database's messages; messages that are written without it are lost. */
export interface MessageReplication {
  /** Connects on the first call, and calls `onReady` once the connection runs. */
  connect(onReady: () => void): void;
  /** Whether a message written now will be sent. */
  readonly isRunning: boolean;
  /** Stops or restarts the connection, without a message to channels. */
  setRunning(isRunning: boolean): void;
}

export function createMessageReplication(
  settings: () => RealtimeSettings,
  timers: Timers,
  now: () => number,
): MessageReplication {
  /** The time from which messages are read; null before the first join. */
  let fromMs: number | null = null;
  let isEnded = false;
  const waiting = new Set<() => void>();
  const connect = (onReady: () => void) => {
    if (isEnded) return void waiting.add(onReady);
    fromMs ??= now() + settings().replicationDelayMs;
    const waitMs = fromMs - now();
    if (waitMs <= 0) onReady();
    else timers.after(waitMs, () => connect(onReady));
  };
  return {
    connect,
    get isRunning() {
      return !isEnded && now() >= (fromMs ?? 0);
    },
    setRunning(next) {
      isEnded = !next;
      if (!next) return;
      const ready = [...waiting];
      waiting.clear();
      ready.forEach(connect);
    },
  };
}
