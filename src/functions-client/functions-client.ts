import type { CallUser, GetAccessToken } from '../platform/call-user.ts';
import { HttpFailure, isStream, withinDeadline } from '../platform/http.ts';
import type { Log } from '../platform/log.ts';
import { foreignResponse } from '../platform/foreign-response.ts';
import { duration } from '../platform/number-options.ts';
import { encodeSegment } from '../platform/path-segment.ts';
import type { Platform } from '../platform/platform.ts';
import { parseRetryAfterSeconds } from '../platform/retry.ts';
import { configurationProblem, serviceUrl } from '../platform/service.ts';
import { mergeHeaders, type Service, ServiceCall } from '../platform/service-http.ts';
import type { StandardSchema } from '../platform/standard-schema.ts';
import { decodeBody, encodeBody } from './body.ts';
import { FunctionsError } from './errors.ts';
import { readEvents, type ServerSentEvent } from './server-sent-events.ts';

/** Options of `createFunctionsClient`. */
export interface FunctionsClientOptions {
  /** The project's URL (http or https), without `/functions/v1`. */
  readonly url: string;
  /** The publishable or anonymous key; on a server, the secret one. */
  readonly apiKey: string;
  /** The runtime, such as `createPlatform()`. */
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random'>;
  /** The signed-in user's token, or null. Default: no user. */
  readonly getAccessToken?: GetAccessToken;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Region to run functions in, such as `eu-central-1`. Default, and `any`: the service decides. */
  readonly region?: string;
  /** Deadline in milliseconds of a call with its token. Default 150 000, the service's limit for a function. */
  readonly timeoutMs?: number;
  /** Receives an event per exchange, without tokens and bodies. Default: none. */
  readonly log?: Log;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: () => string | null;
}

/** Options of one call. */
export interface InvokeOptions {
  /** Text, bytes, a form, a stream, or any other value as JSON; a GET has none. Default: no body. */
  readonly body?: unknown;
  /** Default POST. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Replace the client's headers of the same name, regardless of case. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `follow`: the call follows a redirect of the function, and sends `apikey` and the caller's headers to its target; fetch
   * withholds the access token from another origin. `error`: a redirect fails the call. Default `error`.
   */
  readonly redirect?: 'error' | 'follow';
  /** Default: the client's `region`. */
  readonly region?: string;
  /** Deadline in milliseconds of the call with its token. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
  /** Ends the call; its error has the code `aborted`. */
  readonly signal?: AbortSignal;
  /** The user of earlier calls; another one ends this call with `user-changed`. Default: the user at its start. */
  readonly user?: CallUser | undefined;
}

/** Calls edge functions. Every method throws {@link FunctionsError}. */
export interface FunctionsClient {
  /**
   * Calls a function. The response is read by its content type, and validated by the schema.
   *
   * @param name the function, and a path and an encoded query after it, such as `report/today?tz=UTC`.
   */
  invoke<T>(
    name: string,
    options: InvokeOptions & { readonly schema: StandardSchema<unknown, T> },
  ): Promise<T>;
  /** Calls a function. The response is read by its content type. */
  invoke<T = unknown>(name: string, options?: InvokeOptions): Promise<T>;
  /**
   * Calls a function and returns its successful response with an unread body: a PDF, a stream, headers. `timeoutMs` counts until the
   * response begins; the signal ends the reading of the body, too.
   */
  fetch(name: string, options?: InvokeOptions): Promise<Response>;
  /**
   * Calls a function that sends server-sent events. Leaving the loop ends the call. `timeoutMs` is the longest wait for the
   * response and for each further part of it; there is no deadline for the whole stream.
   */
  events(name: string, options?: InvokeOptions): AsyncGenerator<ServerSentEvent, void, undefined>;
}

/** The service's limit for a function. */
const DEFAULT_TIMEOUT_MS = 150_000;

const functionsService: Service = {
  name: 'functions',
  errorClass: FunctionsError,
  createTokenError: (message, cause) => new FunctionsError('token-unavailable', message, { cause }),
};

/**
 * Creates a client of edge functions. Creating it sends nothing.
 *
 * @throws {FunctionsError} `invalid-options`
 * @example
 * ```ts
 * import * as z from 'zod/mini';
 * import { createFunctionsClient } from 'supabase-protocol-clients/functions-client';
 *
 * const functions = createFunctionsClient(connection);
 * const { total } = await functions.invoke('sum', {
 *   body: { values: [1, 2, 3] },
 *   schema: z.object({ total: z.number() }),
 * });
 * for await (const { data } of functions.events('progress', { body: { total } })) console.log(data);
 * ```
 */
export function createFunctionsClient(options: FunctionsClientOptions): FunctionsClient {
  const problem = configurationProblem(options, { timeoutMs: duration });
  if (problem) throw new FunctionsError('invalid-options', problem);
  const base = serviceUrl(options.url, 'functions');

  const call = <T>(
    name: string,
    invocation: InvokeOptions,
    read: (response: Response) => Promise<T>,
    isStreamed?: boolean,
  ) => sendInvocation(options, base, name, invocation, read, isStreamed);
  const open: FunctionsClient['fetch'] = (name, invocation = {}) =>
    call(name, invocation, async (response) => response, true);

  return {
    async invoke<T>(
      name: string,
      invocation: InvokeOptions & { readonly schema?: StandardSchema<unknown, T> } = {},
    ): Promise<T> {
      const result = await call(name, invocation, decodeBody);
      return invocation.schema ? validate(invocation.schema, result) : (result as T);
    },
    fetch: open,
    async *events(name, invocation = {}) {
      const { signal, timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = invocation;
      const controller = new AbortController();
      const abort = () => controller.abort(signal?.reason);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      const { clock } = options.platform;
      // The deadline applies to each wait, so that a stream may last as long as it sends events.
      const wait = <T>(read: () => Promise<T>) =>
        withinDeadline(clock, timeoutMs, controller.signal, read).catch(failRead);
      try {
        const headers = mergeHeaders({ accept: 'text/event-stream' }, invocation.headers);
        const response = await open(name, { ...invocation, headers, signal: controller.signal });
        if (!isEventStream(response))
          throw new FunctionsError(
            ...foreignResponse('functions', response, await wait(() => response.text())),
          );
        yield* readEvents(response, wait);
      } finally {
        signal?.removeEventListener('abort', abort);
        controller.abort();
      }
    },
  };
}

async function sendInvocation<T>(
  options: FunctionsClientOptions,
  base: string,
  name: string,
  invocation: InvokeOptions,
  read: (response: Response) => Promise<T>,
  isStreamed = false,
): Promise<T> {
  const { method = 'POST', region = options.region, redirect, headers, signal, user } = invocation;
  // fetch would refuse it as if the network had failed.
  if (method === 'GET' && invocation.body !== undefined)
    throw new FunctionsError('invalid-body', 'A GET request has no body');
  const timeoutMs = invocation.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const forcedRegion = region === 'any' ? undefined : region;
  const [path = '', ...query] = name.split('?');
  const regionQuery = forcedRegion && `forceFunctionRegion=${encodeURIComponent(forcedRegion)}`;
  // A number sign would begin the fragment, which fetch does not send.
  const search = [query.join('?').replaceAll('#', '%23'), regionQuery].filter(Boolean).join('&');
  const url = `${base}/${encodeName(path)}${search && `?${search}`}`;
  const work = new ServiceCall(options, functionsService, { timeoutMs, signal, user });
  // A stream is read to its end first, and may last longer than the user's session.
  if (isStream(invocation.body)) await work.bindUser();
  const { body, type } = await work.wait(() => encodeBody(invocation.body));
  const ownHeaders = { 'x-region': forcedRegion, 'content-type': type };
  const request = { method, url, redirect, ownHeaders, headers, body, isStreamed };
  return work.send(request, async (response) => {
    await throwRefusal(response, options.platform.clock.now());
    return read(response);
  });
}

/** Whether the response is a stream of events (HTML Living Standard §9.2). */
export const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

/** The failure of reading a body after the exchange. */
function failRead(cause: unknown): never {
  const failure = cause instanceof HttpFailure ? cause : new HttpFailure('network', cause);
  throw new FunctionsError(failure.kind, failure.message, { cause: failure.cause });
}

async function throwRefusal(response: Response, nowMs: number): Promise<void> {
  const isRelay = response.headers.get('x-relay-error') === 'true';
  if (response.ok && !isRelay) return;
  const { status, headers } = response;
  throw new FunctionsError(isRelay ? 'relay' : 'http', `The function responded with ${status}`, {
    status,
    body: parseJsonOrText(await response.text()),
    retryAfterSeconds: parseRetryAfterSeconds(headers.get('retry-after'), nowMs),
  });
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function validate<T>(schema: StandardSchema<unknown, T>, result: unknown): Promise<T> {
  const checked = await schema['~standard'].validate(result);
  if (!checked.issues) return checked.value;
  const list = checked.issues.map(({ message }) => message).join('; ');
  throw new FunctionsError('invalid-result', `The response does not satisfy its schema: ${list}`, {
    body: result,
  });
}

function encodeName(name: string): string {
  const refuse = (): never => {
    throw new FunctionsError('invalid-name', `Not a name of a function: ${JSON.stringify(name)}`);
  };
  // A slash at the end is part of the path that the function sees.
  const [, path = '', slash = ''] = /^(.*?)(\/?)$/s.exec(name) ?? [];
  const segments = path.split('/').map((segment) => encodeSegment(segment, refuse));
  return `${segments.join('/')}${slash}`;
}
