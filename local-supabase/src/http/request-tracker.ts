/** Admits requests until it is closed, and drains those in flight. */
export interface RequestTracker {
  /** Runs `handle`; after `close` the response is 503. */
  pass(handle: () => Promise<Response>): Promise<Response>;
  /** Refuses new requests and waits a bounded time for those in flight. */
  close(): Promise<void>;
  /** True after closing began; errors of services are expected from then on. */
  isClosed(): boolean;
}

/** Requests that take longer, for example because of a fault's latency, get a 503. */
const DRAIN_TIMEOUT_MS = 500;

export function createRequestTracker(): RequestTracker {
  const inside = new Set<Promise<unknown>>();
  let isClosing = false;
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    async pass(handle) {
      if (isClosing) return createRefusal();
      const handling = handle();
      inside.add(handling);
      try {
        const response = await handling;
        return isClosed ? createRefusal() : response;
      } catch (problem) {
        if (isClosed) return createRefusal();
        throw problem;
      } finally {
        inside.delete(handling);
      }
    },
    async close() {
      isClosing = true;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const drainTimeout = new Promise((resolve) => {
        timer = setTimeout(resolve, DRAIN_TIMEOUT_MS);
      });
      await Promise.race([Promise.allSettled(inside), drainTimeout]);
      clearTimeout(timer);
      isClosed = true;
    },
  };
}

function createRefusal(): Response {
  const body = { code: 'shutting_down', message: 'The embedded Supabase is shutting down' };
  return Response.json(body, { status: 503, headers: { connection: 'close' } });
}
