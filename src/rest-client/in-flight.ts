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
    const joined = flights.get(key);
    const controller = joined?.controller ?? new AbortController();
    const landed = (joined?.landed as Promise<T> | undefined) ?? start(controller.signal);
    const flight: Flight = joined ?? { landed, controller, passengers: 0 };
    flights.set(key, flight);
    flight.passengers += 1;
    const forget = () => flights.get(key) === flight && flights.delete(key);
    return untilAborted(landed, signal).finally(() => {
      flight.passengers -= 1;
      if (signal.aborted && flight.passengers) return;
      // It has landed, or nobody waits for it any more.
      forget();
      controller.abort(signal.reason);
    });
  };
}
