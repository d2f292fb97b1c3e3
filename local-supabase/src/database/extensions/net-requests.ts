import { decodeBase64 } from '../../platform/base64.ts';
import type { Database } from '../database.ts';

export interface NetOptions {
  readonly database: Database;
  /** The project's URL, as clients reach it. */
  readonly url: () => string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly now: () => number;
  readonly report: (problem: unknown) => void;
}

interface QueuedRequest {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly timeout_milliseconds: number;
}

interface Outcome {
  readonly status?: number;
  readonly headers?: Headers;
  readonly content?: string;
  readonly timedOut: boolean;
  readonly error?: string;
}

/** pg_net keeps responses for six hours. */
const KEPT_MS = 6 * 3_600_000;
/** The gateway's host names inside the vendor's containers. */
const gatewayHost = /^(?:kong|api\.supabase\.internal|host\.docker\.internal|supabase_kong_.*)$/;

/**
 * Sends the requests that the replacement for `pg_net` has queued, after each commit that queued some, and stores the
 * responses.
 *
 * @returns a function that stops it, once the requests in flight have ended.
 */
export async function startNetRequests(options: NetOptions): Promise<() => Promise<void>> {
  const { database, now, report } = options;
  const inFlight = new Set<Promise<void>>();
  const track = (task: Promise<void>) => {
    const tracked = task.catch(report).finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  };
  const send = async (request: QueuedRequest) =>
    saveOutcome(database, request.id, await exchange(request, options), now());
  const sendQueued = async () => {
    const requests = await database.query<QueuedRequest>(
      `delete from net.http_request_queue
       returning id, method, url, headers, encode(body, 'base64') as body, timeout_milliseconds`,
    );
    for (const request of requests) track(send(request));
  };
  const start = () => track(sendQueued());
  const stopListening = await database.listen('pg_net', start);
  start();
  return async () => {
    await stopListening();
    while (inFlight.size > 0) await Promise.all(inFlight);
  };
}

async function exchange(queued: QueuedRequest, { fetch, url }: NetOptions): Promise<Outcome> {
  const { method, headers, body, timeout_milliseconds: timeoutMs } = queued;
  try {
    const request = new Request(localAddress(queued.url, url()), {
      method,
      headers: headers ?? {},
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== null && { body: decodeBase64(body) }),
    });
    const response = await fetch(request);
    const content = await response.text();
    return { status: response.status, headers: response.headers, content, timedOut: false };
  } catch (problem) {
    const timedOut = problem instanceof Error && problem.name === 'TimeoutError';
    const reason = problem instanceof Error ? problem.message : String(problem);
    return { timedOut, error: timedOut ? `Timeout of ${timeoutMs} ms reached` : reason };
  }
}

/** Triggers that were written for the vendor's containers use the gateway's host name there. */
function localAddress(address: string, projectUrl: string): string {
  const { hostname, pathname, search } = new URL(address);
  return gatewayHost.test(hostname) ? new URL(pathname + search, projectUrl).href : address;
}

async function saveOutcome(database: Database, id: number, outcome: Outcome, nowMs: number): Promise<void> {
  const { status = null, headers, content = null, timedOut, error = null } = outcome;
  await database.query(
    `insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg, created)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      status,
      headers?.get('content-type') ?? null,
      headers ? JSON.stringify(Object.fromEntries(headers)) : null,
      content,
      timedOut,
      error,
      new Date(nowMs).toISOString(),
    ],
  );
  await database.query('delete from net._http_response where created < $1', [
    new Date(nowMs - KEPT_MS).toISOString(),
  ]);
}
