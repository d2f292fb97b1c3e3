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
  return async function share<T>(
    key: string,
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    let flight = flights.get(key);
    if (!flight) {
      const controller = new AbortController();
      const landed = start(controller.signal);
      flight = { landed, controller, passengers: 0 };
      flights.set(key, flight);
      const forget = () => flights.get(key) === flight && flights.delete(key);
      landed.then(forget, forget);
    }
    const { landed, controller } = flight;
    flight.passengers += 1;
    const leave = () => {
      if ((flight.passengers -= 1)) return;
      if (flights.get(key) === flight) flights.delete(key);
      controller.abort(signal.reason);
    };
    return until(landed as Promise<T>, signal).finally(leave);
  };
}

/** The promise, or a rejection with the signal's reason as soon as that is aborted. */
export function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
