import { untilAborted } from '../platform/until-aborted.ts';

interface Flight {
  readonly landed: Promise<unknown>;
  readonly controller: AbortController;
  passengers: number;
}

/**
 * Lets identical requests that are under way at the same time share one. Each caller leaves with its own signal; the
 * last to leave ends the request.
 */
export function createInFlight() {
  const flights = new Map<string, Flight>();
  return <T>(key: string, start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> => {
    let flight = flights.get(key);
    if (!flight) {
      const controller = new AbortController();
      flight = { controller, landed: start(controller.signal), passengers: 0 };
      flights.set(key, flight);
    }
    const joined = flight;
    joined.passengers += 1;
    return untilAborted(joined.landed as Promise<T>, signal).finally(() => {
      joined.passengers -= 1;
      if (signal.aborted && joined.passengers) return;
      // It has landed, or nobody waits for it any more.
      if (flights.get(key) === joined) flights.delete(key);
      joined.controller.abort(signal.reason);
    });
  };
}
