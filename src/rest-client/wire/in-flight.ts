import { untilAborted } from '../../platform/until-aborted.ts';

interface Flight {
  readonly response: Promise<unknown>;
  readonly controller: AbortController;
  callers: number;
}

/** Identical reads in flight, of which each needs one request. */
export interface InFlight {
  /**
   * Joins the read in flight with this key, or starts one. Each caller leaves with its own signal; the request is aborted
   * when the last one has left.
   */
  join<T>(key: string, start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Called when a write begins and when it ends: later reads do not join reads that may not include the write. */
  forget(): void;
}

/** Creates an empty set of reads in flight. */
export function createInFlight(): InFlight {
  const flights = new Map<string, Flight>();
  return {
    async join<T>(key: string, start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
      const joined = flights.get(key) ?? startFlight(start);
      flights.set(key, joined);
      joined.callers += 1;
      try {
        return await untilAborted(joined.response as Promise<T>, signal);
      } finally {
        joined.callers -= 1;
        const isAbandoned = signal.aborted && joined.callers === 0;
        if (isAbandoned) joined.controller.abort(signal.reason);
        if ((isAbandoned || !signal.aborted) && flights.get(key) === joined) flights.delete(key);
      }
    },
    forget: () => flights.clear(),
  };
}

function startFlight(start: (signal: AbortSignal) => Promise<unknown>): Flight {
  const controller = new AbortController();
  return { controller, response: start(controller.signal), callers: 0 };
}
