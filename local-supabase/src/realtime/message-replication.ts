import type { RealtimeSettings } from './settings.ts';
import type { Timers } from './timers.ts';

/** The replication connection that reads the messages of the database; what is written without it is lost. */
export interface MessageReplication {
  /** Connects at the first call, and calls `onReady` once the connection runs. */
  connect(onReady: () => void): void;
  /** Whether a message that is written now will be sent. */
  readonly isRunning: boolean;
  /** Ends the connection, or starts it again; channels are not told. */
  setRunning(isRunning: boolean): void;
}

export function createMessageReplication(
  settings: () => RealtimeSettings,
  timers: Timers,
  now: () => number,
): MessageReplication {
  /** When the messages of the database are read from; null before the first join. */
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
