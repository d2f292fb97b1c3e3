import { setTimeout as delay } from 'node:timers/promises';
import type { CurlRequest } from '../target/curl.ts';
import type { WaitingScale } from '../target/deadlines.ts';
import { isMissingOwnName, needsSchema } from '../schema/product-schema.ts';
import { findSecrets } from '../target/redaction.ts';
import type { AuditRun } from '../target/run.ts';
import { NotRunError, type ConformanceTarget } from '../target/target.ts';
import { at, fetchAgainWhereReset, parseJson } from '../target/wire.ts';

/** A request of an audit, with its response. */
export interface Exchange {
  readonly request: CurlRequest;
  /** Null without a response. */
  readonly status: number | null;
  readonly headers: Headers;
  /** The received part of the response body, or the reason why it is missing. */
  readonly body: () => string;
}

export interface WatchedTarget {
  readonly watched: ConformanceTarget;
  /** The error codes of the auth service's responses. */
  readonly codes: readonly string[];
  /** The latest exchanges, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** The latest text frames of the realtime service, oldest first. */
  readonly frames: readonly string[];
  /** The tokens, passwords and codes that the audit has sent or received. */
  readonly secrets: ReadonlySet<string>;
}

export interface WatchOptions {
  readonly run: AuditRun;
  readonly missingSchema: string | undefined;
  readonly scale: WaitingScale;
  /** The wait before the retry of a rate-limited request whose response names no time, in milliseconds. */
  readonly limitPauseMs: number;
}

const keptExchanges = 12;
const keptFrames = 16;

/** A target for one audit: records its traffic and the users that it creates, and waits when the server asks for a retry. */
export function watchTarget(
  target: ConformanceTarget,
  { run, missingSchema, scale, limitPauseMs }: WatchOptions,
): WatchedTarget {
  const codes: string[] = [];
  const recordCode = ({ headers }: Response) => {
    const code = headers.get('x-sb-error-code');
    if (code !== null) codes.push(code);
  };
  const wait = async (waitMs: number, refusal: Response) => {
    recordCode(refusal);
    scale.recordWait(waitMs);
    await delay(waitMs);
  };
  const timed = measureFetch(target, scale);
  const exchanges: Exchange[] = [];
  const frames: string[] = [];
  const secrets = new Set<string>();
  const recordSecrets = (text: string) => findSecrets(text).forEach((value) => secrets.add(value));
  return {
    codes,
    exchanges,
    frames,
    secrets,
    watched: {
      ...target,
      onFrame(direction, text) {
        target.onFrame?.(direction, text);
        frames.push(`${direction === 'sent' ? '→' : '←'} ${text}`);
        if (frames.length > keptFrames) frames.shift();
      },
      async fetch(input, init) {
        const request = toCurlRequest(input, init);
        recordSecrets(request.url);
        recordSecrets(request.body ?? '');
        const response = await fetchWhenAllowed(timed, input, init, { limitPauseMs, wait }).catch(
          (problem: unknown) => {
            const body = () => describeFailure(problem);
            keep(exchanges, { request, status: null, headers: new Headers(), body });
            throw problem;
          },
        );
        recordSecrets(response.headers.get('location') ?? '');
        const { status, headers } = response;
        keep(exchanges, { request, status, headers, body: readAside(response, recordSecrets) });
        recordCode(response);
        if (missingSchema !== undefined && (await isMissingOwnName(response)))
          throw new NotRunError(needsSchema(missingSchema));
        if (init.method === 'POST' && response.ok && input.startsWith(target.authUrl))
          recordUser(parseJson(await response.clone().text()), run);
        return response;
      },
    },
  };
}

function measureFetch(target: ConformanceTarget, scale: WaitingScale): ConformanceTarget {
  return {
    ...target,
    async fetch(input, init) {
      const startedMs = performance.now();
      const response = await target.fetch(input, init);
      scale.record(performance.now() - startedMs);
      return response;
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

/** The innermost message, because "fetch failed" alone is not helpful. */
export function describeFailure(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  return problem.cause instanceof Error
    ? describeFailure(problem.cause)
    : `${problem.name}: ${problem.message}`;
}

const longestWaitMs = 60_000;
const maxWaits = 3;

/** The maximum number of retries for errors of the auth service without a `Retry-After` header. */
const unnamedWaits: Readonly<Record<string, number>> = {
  // The rate limits allow one more request every 2 to 10 s.
  '429 over_request_rate_limit': 12,
  // A busy server: "please retry after a moment".
  '504 request_timeout': maxWaits,
};

interface Waiting {
  readonly limitPauseMs: number;
  readonly wait: (waitMs: number, refusal: Response) => Promise<void>;
}

/** Retries a request after a refusal that asks for it, after the requested time or `limitPauseMs`. */
async function fetchWhenAllowed(
  target: ConformanceTarget,
  input: string,
  init: RequestInit,
  { limitPauseMs, wait }: Waiting,
): Promise<Response> {
  for (let waits = 0; ; waits += 1) {
    const response = await fetchAgainWhereReset(target.fetch, input, init);
    const { status, headers } = response;
    const namedMs = await readWaitMs(response, limitPauseMs);
    const maxCount =
      namedMs === null ? (unnamedWaits[`${status} ${headers.get('x-sb-error-code')}`] ?? 0) : maxWaits;
    const waitMs = namedMs ?? limitPauseMs;
    const isWorthWaiting = waits < maxCount && waitMs >= 0 && waitMs <= longestWaitMs;
    if (!isWorthWaiting || init.body instanceof ReadableStream) return response;
    await wait(waitMs, response);
  }
}

/** The auth service names the time until its next mail in whole seconds, rounded down, and in its message alone. */
const untilNextMail = /only request this after (\d+) seconds/;

/** The wait that a refusal names, in milliseconds; null if it names none. */
async function readWaitMs(refusal: Response, limitPauseMs: number): Promise<number | null> {
  if (refusal.status !== 429) return null;
  const header = refusal.headers.get('retry-after');
  if (header !== null) return Number(header) * 1000;
  const [, seconds] = untilNextMail.exec(await refusal.clone().text()) ?? [];
  return seconds === undefined ? null : Math.max(Number(seconds) * 1000, limitPauseMs);
}

/** Reads the body without consuming it for the audit. */
function readAside(response: Response, onText: (text: string) => void): () => string {
  let text = '';
  response
    .clone()
    .text()
    .then(
      (body) => {
        text = body;
        onText(body);
      },
      () => void (text = '(the response was cut off)'),
    );
  return () => text;
}

/** Records the user of a session, or a plain user, which has an audience. */
function recordUser(json: unknown, { userIds }: AuditRun): void {
  const id = at(json, 'user', 'id') ?? (at(json, 'aud') === undefined ? undefined : at(json, 'id'));
  if (typeof id === 'string') userIds.add(id);
}
