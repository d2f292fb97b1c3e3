import { setTimeout as delay } from 'node:timers/promises';
import type { CurlRequest } from './curl.ts';
import type { WaitingScale } from './deadlines.ts';
import { isMissingOwnName, needsSchema } from './product-schema.ts';
import type { AuditRun } from './run.ts';
import { NotRunError, type ConformanceTarget } from './target.ts';
import { at, parseJson } from './wire.ts';

/** A request of an audit, with what came. */
export interface Exchange {
  readonly request: CurlRequest;
  /** Null where no answer arrived. */
  readonly status: number | null;
  readonly headers: Headers;
  /** The body of the answer as far as it has arrived, or the reason why there is none. */
  readonly answer: () => string;
}

export interface WatchedTarget {
  readonly watched: ConformanceTarget;
  /** The error codes of the auth service's refusals. */
  readonly codes: readonly string[];
  /** The latest exchanges, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** The latest text frames of the realtime service, oldest first. */
  readonly frames: readonly string[];
}

export interface WatchOptions {
  readonly run: AuditRun;
  readonly missingSchema: string | undefined;
  readonly scale: WaitingScale;
}

const keptExchanges = 12;
const keptFrames = 16;

/** A target for one audit: records its traffic and the users that it creates, and waits where the server asks for it. */
export function watchTarget(
  target: ConformanceTarget,
  { run, missingSchema, scale }: WatchOptions,
): WatchedTarget {
  const codes: string[] = [];
  const exchanges: Exchange[] = [];
  const frames: string[] = [];
  return {
    codes,
    exchanges,
    frames,
    watched: {
      ...target,
      onFrame(direction, text) {
        target.onFrame?.(direction, text);
        frames.push(`${direction === 'sent' ? '→' : '←'} ${text}`);
        if (frames.length > keptFrames) frames.shift();
      },
      async fetch(input, init) {
        const request = toCurlRequest(input, init);
        const startedMs = performance.now();
        const response = await fetchWhenAllowed(target, input, init, scale).catch((problem: unknown) => {
          keep(exchanges, {
            request,
            status: null,
            headers: new Headers(),
            answer: () => describeFailure(problem),
          });
          throw problem;
        });
        scale.record(performance.now() - startedMs);
        keep(exchanges, {
          request,
          status: response.status,
          headers: response.headers,
          answer: readAside(response),
        });
        const code = response.headers.get('x-sb-error-code');
        if (code !== null) codes.push(code);
        if (missingSchema !== undefined && (await isMissingOwnName(response)))
          throw new NotRunError(needsSchema(missingSchema));
        if (init.method === 'POST' && response.ok && input.startsWith(target.authUrl))
          recordUser(parseJson(await response.clone().text()), run);
        return response;
      },
    },
  };
}

function keep(exchanges: Exchange[], exchange: Exchange): void {
  exchanges.push(exchange);
  if (exchanges.length > keptExchanges) exchanges.shift();
}

function toCurlRequest(url: string, init: RequestInit): CurlRequest {
  const { body, method = 'GET' } = init;
  const text =
    body === undefined || body === null
      ? null
      : typeof body === 'string'
        ? body
        : body instanceof ArrayBuffer || ArrayBuffer.isView(body)
          ? new TextDecoder().decode(body)
          : '<stream>';
  return { method, url, headers: new Headers(init.headers), body: text };
}

/** The innermost message: "fetch failed" says nothing. */
export function describeFailure(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  return problem.cause instanceof Error
    ? describeFailure(problem.cause)
    : `${problem.name}: ${problem.message}`;
}

const longestWaitMs = 60_000;
const mostWaits = 3;

/** Sends a request again after a refusal that names a time to wait, as the server asks. */
async function fetchWhenAllowed(
  target: ConformanceTarget,
  input: string,
  init: RequestInit,
  scale: WaitingScale,
): Promise<Response> {
  for (let waits = 0; ; waits += 1) {
    const response = await fetchAgainWhereReset(target, input, init);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const waitMs = seconds * 1000;
    const isWorthWaiting = response.status === 429 && waitMs >= 0 && waitMs <= longestWaitMs;
    if (!isWorthWaiting || waits === mostWaits || init.body instanceof ReadableStream) return response;
    scale.recordWait(waitMs);
    await delay(waitMs);
  }
}

const resetCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'UND_ERR_SOCKET']);

/** Sends once more what met a connection that the server had just closed as idle: a busy client notices that too late. */
async function fetchAgainWhereReset(
  { fetch }: ConformanceTarget,
  input: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (problem) {
    const isReset = problem instanceof TypeError && resetCodes.has(at(problem.cause, 'code'));
    if (!isReset || init.body instanceof ReadableStream) throw problem;
    return fetch(input, init);
  }
}

/** Reads the body beside the audit that reads it. */
function readAside(response: Response): () => string {
  let text = '';
  response
    .clone()
    .text()
    .then(
      (body) => void (text = body),
      () => void (text = '(the answer was cut)'),
    );
  return () => text;
}

/** Records the user of a session, or a bare user, which has an audience. */
function recordUser(json: unknown, { userIds }: AuditRun): void {
  const id = at(json, 'user', 'id') ?? (at(json, 'aud') === undefined ? undefined : at(json, 'id'));
  if (typeof id === 'string') userIds.add(id);
}
