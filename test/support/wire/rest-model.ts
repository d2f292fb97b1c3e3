import type { Platform } from '../../../src/platform/platform.ts';

/** What happens to the next request instead of a response. */
export type RestFault = 'unavailable' | 'lost' | 'stuck';

/**
 * A small model of the REST service in the fake world: it checks the token, takes time in both directions, reads the
 * table in between, and injects faults.
 *
 * @param select reads what the URL names.
 * @param maxLatencyMs of each direction.
 */
export function createRestModel(
  select: (url: string) => readonly object[],
  validTokens: ReadonlySet<string>,
  maxLatencyMs = 600,
) {
  const faults: RestFault[] = [];

  /** The `fetch` of one tab. */
  const createFetch =
    ({ clock, random }: Pick<Platform, 'clock' | 'random'>): Platform['fetch'] =>
    (input, init) =>
      new Promise((resolve, reject) => {
        const url = input instanceof Request ? input.url : `${input}`;
        const later = (run: () => void) => clock.setTimer(run, Math.floor(random.number() * maxLatencyMs));
        let timer = later(() => {
          const fault = faults.shift();
          if (fault === 'stuck') return;
          const response = fault === 'unavailable' ? unavailable() : respond(url, new Headers(init?.headers));
          timer = later(() => (fault === 'lost' ? reject(new TypeError('fetch failed')) : resolve(response)));
        });
        init?.signal?.addEventListener('abort', () => {
          timer.cancel();
          reject(init.signal?.reason as Error);
        });
      });
  const unavailable = () => new Response('', { status: 503, headers: { 'Retry-After': '1' } });
  const respond = (url: string, headers: Headers) => {
    const token = headers.get('authorization')?.replace('Bearer ', '');
    if (token !== undefined && validTokens.has(token)) return Response.json(select(url));
    return token === undefined
      ? Response.json({ code: '42501', message: 'permission denied' }, { status: 401 })
      : Response.json({ code: 'PGRST303', message: 'JWT expired' }, { status: 401 });
  };
  return {
    createFetch,
    /** Injects a fault into the next request of any tab. */
    fail: (fault: RestFault) => void faults.push(fault),
    recover: () => void faults.splice(0),
  };
}
