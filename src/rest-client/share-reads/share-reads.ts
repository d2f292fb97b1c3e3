import { HttpFailure, withinDeadline } from '../../platform/http.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import { RestError } from '../errors.ts';
import type { SharedReads } from '../wire/exchange.ts';

interface Flight {
  readonly response: Promise<unknown>;
  readonly controller: AbortController;
  callers: number;
}

/**
 * Lets identical reads of one client that execute with `shareInFlight` share a request: pass it as the client's option
 * `shareReads`.
 *
 * @example
 * ```ts
 * import { createRestClient, shareReads } from 'supabase-protocol-clients/rest-client';
 *
 * const db = createRestClient<Database>({ url, apiKey, platform, shareReads });
 * const unread = db.from('notifications').select('id').eq('status', 'unread');
 * await Promise.all([unread.execute({ shareInFlight: true }), unread.execute({ shareInFlight: true })]);
 * ```
 */
export function shareReads(): SharedReads {
  const flights = new Map<string, Flight>();
  return {
    join({ method, url, headers, clock, timeoutMs, signal }, start) {
      const key = JSON.stringify([method, url, headers]);
      const controller = new AbortController();
      const join = () => joinFlight(flights, key, start, controller.signal);
      return withinDeadline(clock, timeoutMs, signal, join, controller);
    },
    forget: () => flights.clear(),
  };
}

async function joinFlight<T>(
  flights: Map<string, Flight>,
  key: string,
  start: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const joined = flights.get(key) ?? startFlight(start);
  flights.set(key, joined);
  joined.callers += 1;
  try {
    return await untilAborted(joined.response as Promise<T>, signal);
  } catch (problem) {
    if (problem instanceof HttpFailure || problem instanceof RestError) throw problem;
    // Cloudflare Workers ends a request together with the incoming request that began it.
    throw new HttpFailure('network', problem);
  } finally {
    joined.callers -= 1;
    const isAbandoned = signal.aborted && joined.callers === 0;
    if (isAbandoned) joined.controller.abort(signal.reason);
    if ((isAbandoned || !signal.aborted) && flights.get(key) === joined) flights.delete(key);
  }
}

function startFlight(start: (signal: AbortSignal) => Promise<unknown>): Flight {
  const controller = new AbortController();
  return { controller, response: start(controller.signal), callers: 0 };
}
