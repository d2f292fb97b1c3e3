import { untilAborted } from '../../platform/until-aborted.ts';

interface Flight {
  readonly landed: Promise<unknown>;
  readonly controller: AbortController;
  passengers: number;
}

/**
 * Lets identical requests that are under way at the same time share one. Each caller leaves with its own signal; the
 * last to leave ends the request.
 *
 * @returns what joins the request of this key, or starts one. Without a key it is a write, which nobody joins: what was asked
 * before it began or ended may not know of it, and is joined by nobody from then on either.
 */
export function createInFlight() {
  const flights = new Map<string | false, Flight>();
  return <T>(
    key: string | false,
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    if (!key) flights.clear();
    const controller = new AbortController();
    const flight = flights.get(key) ?? { controller, landed: start(controller.signal), passengers: 0 };
    flights.set(key, flight);
    flight.passengers += 1;
    return untilAborted(flight.landed as Promise<T>, signal).finally(() => {
      flight.passengers -= 1;
      if (signal.aborted && flight.passengers) return;
      // It has landed, or nobody waits for it any more.
      if (!key) flights.clear();
      if (flights.get(key) === flight) flights.delete(key);
      flight.controller.abort(signal.reason);
    });
  };
}
