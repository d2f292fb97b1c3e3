import { createFaultInjection } from './faults/fault-injection.ts';
import { createFaults } from './faults/faults.ts';
import type { Faults, SkewedClock } from './faults/faults.ts';
import { createGateway } from './gateway.ts';
import { reportRequests } from '../http/handled-request.ts';
import type { HandledRequest } from '../http/handled-request.ts';
import { createRequestTracker } from '../http/request-tracker.ts';
import type { ExpirableKeys } from '../keys/expirable-keys.ts';
import { createServices } from './services.ts';
import type { Services, ServicesOptions } from './services.ts';

/** The parts of a project, independent of Node: `server.ts` runs them in Node, `worker.ts` in a browser. */
export interface CoreOptions extends Omit<ServicesOptions, 'now'> {
  readonly keys: ExpirableKeys;
  readonly clock: SkewedClock;
  /** Sets how many milliseconds SQL's clock is ahead of the machine's. */
  readonly setAhead: (byMs: number) => Promise<void>;
  /** Whether a page of another host sent a request. */
  readonly isForeign: (headers: Headers) => boolean;
  /** Ends every HTTP connection, for the fault of that name. Default: no effect. */
  readonly dropConnections?: () => void;
  readonly onRequest?: ((request: HandledRequest) => void) | undefined;
}

/** The clock of the services and of SQL. */
export interface ProjectClock {
  /** Milliseconds since the epoch, as the services see them. */
  now(): number;
  /** Moves the clock ahead by this many milliseconds: tokens expire, and SQL's `now()` follows. */
  advance(byMs: number): Promise<void>;
}

/** The services of a project behind its gateway. */
export interface Core {
  handle(request: Request): Promise<Response>;
  readonly services: Services;
  readonly faults: Faults;
  readonly clock: ProjectClock;
  /** Refuses new requests and waits a bounded time for those in flight. Call it before closing the services. */
  drain(): Promise<void>;
}

/** Starts the services of a project. `services.close` stops them; the database stays open. */
export async function createCore(options: CoreOptions): Promise<Core> {
  const { clock, keys, report, isForeign, onRequest, dropConnections = () => undefined } = options;
  const tracker = createRequestTracker();
  const services = await createServices({
    ...options,
    now: clock.now,
    report: (problem) => {
      if (!tracker.isClosed()) report(problem);
    },
  });
  const gate = createFaultInjection();
  const gateway = createGateway({ keys, ...services, isForeign });
  const handle = (request: Request) => tracker.pass(() => gate.pass(request, () => gateway.handle(request)));
  const realtime = services.realtime.faults;
  let aheadMs = 0;
  return {
    handle: onRequest ? reportRequests(handle, onRequest) : handle,
    services,
    faults: createFaults({ gate, clock, keys, realtime, dropConnections }),
    clock: {
      now: clock.now,
      async advance(byMs) {
        aheadMs += byMs;
        clock.advance(byMs);
        await options.setAhead(aheadMs);
        await realtime.checkTokens();
      },
    },
    drain: tracker.close,
  };
}
