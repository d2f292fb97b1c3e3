/** Lets requests in until it is closed. */
export interface FrontDoor {
  /** Answers a request by `answer`; with 503 once the door is closed, whatever `answer` came to. */
  pass(answer: () => Promise<Response>): Promise<Response>;
  /** Lets nobody in any more, and waits for those who are, though not for ever. */
  close(): Promise<void>;
  /** Whether what is behind the door may be gone: what fails then is no news. */
  isClosed(): boolean;
}

/** Who waits longer, such as for a fault's latency, is left behind. */
const PATIENCE_MS = 500;

export function createFrontDoor(): FrontDoor {
  const inside = new Set<Promise<unknown>>();
  let isClosing = false;
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    async pass(answer) {
      if (isClosing) return createRefusal();
      const answering = answer();
      inside.add(answering);
      try {
        const response = await answering;
        return isClosed ? createRefusal() : response;
      } catch (problem) {
        if (isClosed) return createRefusal();
        throw problem;
      } finally {
        inside.delete(answering);
      }
    },
    async close() {
      isClosing = true;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS);
      });
      await Promise.race([Promise.allSettled(inside), patience]);
      clearTimeout(timer);
      isClosed = true;
    },
  };
}

function createRefusal(): Response {
  const body = { code: 'shutting_down', message: 'The embedded Supabase is shutting down' };
  return Response.json(body, { status: 503, headers: { connection: 'close' } });
}
