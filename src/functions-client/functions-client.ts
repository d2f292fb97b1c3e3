import { createHttp, HttpFailure, withinDeadline } from '../platform/http.ts';
import type { Platform } from '../platform/platform.ts';
import { configurationProblem, credentialsOf, serviceUrl } from '../platform/service.ts';
import { decodeBody, encodeBody } from './body.ts';
import { FunctionsError } from './errors.ts';
import { readEvents, type ServerSentEvent } from './server-sent-events.ts';

export interface FunctionsClientOptions {
  /** The project's URL, without `/functions/v1`. */
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random'>;
  /** The signed-in user's token, or null. */
  readonly getAccessToken?: () => Promise<string | null>;
  /** Where to run functions, such as `eu-central-1`. Default, and `any`: as the service decides. */
  readonly region?: string;
  /** Deadline for a call with its token, in milliseconds. Default 150 000, the time that the service gives a function. */
  readonly timeoutMs?: number;
}

/** What is used of Standard Schema v1 (standardschema.dev). */
export interface ResultSchema<out T = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>;
  };
}

type SchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

export interface InvokeOptions {
  /** Text, bytes, a form, a stream, or anything else as JSON. */
  readonly body?: unknown;
  /** Default POST. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** They replace the client's own of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface FunctionsClient {
  /**
   * Calls a function. Its answer is read by its content type, and validated if there is a schema.
   *
   * @throws {FunctionsError}
   */
  invoke<T>(name: string, options: InvokeOptions & { readonly schema: ResultSchema<T> }): Promise<T>;
  invoke<T = unknown>(name: string, options?: InvokeOptions): Promise<T>;
  /** Calls a function that answers with server-sent events. Leaving the loop ends the call. */
  events(name: string, options?: InvokeOptions): AsyncGenerator<ServerSentEvent, void, undefined>;
}

/**
 * Creates a client of edge functions. Creating it sends nothing.
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
  const { platform, apiKey, getAccessToken = async () => null } = options;
  const problem = configurationProblem(options);
  if (problem) throw new FunctionsError('configuration-incomplete', problem);
  const base = serviceUrl(options.url, 'functions');
  const http = createHttp(platform);

  async function call<T>(
    name: string,
    call: InvokeOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { method = 'POST', region = options.region, timeoutMs = options.timeoutMs ?? 150_000 } = call;
    const isPlaced = region && region !== 'any';
    const query = isPlaced ? `?forceFunctionRegion=${encodeURIComponent(region)}` : '';
    const url = `${base}/${encodeName(name)}${query}`;
    const work = async (signal: AbortSignal) => {
      const token = await findToken();
      const { body, type } = await encodeBody(call.body);
      const headers = {
        ...credentialsOf(apiKey, token),
        ...(isPlaced && { 'x-region': region }),
        ...(type !== undefined && { 'content-type': type }),
        ...lowerCased(call.headers),
      };
      return http.send({ method, url, timeoutMs, headers, body, signal }, async (response) => {
        await refuseErrors(response);
        return read(response);
      });
    };
    return withinDeadline(platform.clock, timeoutMs, call.signal, work).catch((problem: unknown) => {
      const cause: unknown = problem instanceof Error ? problem.cause : problem;
      if (cause instanceof FunctionsError) throw cause;
      throw problem instanceof HttpFailure
        ? new FunctionsError(problem.kind, problem.message, { cause })
        : problem;
    });
  }

  async function findToken(): Promise<string | null> {
    try {
      return await getAccessToken();
    } catch (cause) {
      throw new FunctionsError('token-unavailable', 'No access token', { cause });
    }
  }

  return {
    async invoke<T>(
      name: string,
      invocation: InvokeOptions & { readonly schema?: ResultSchema<T> } = {},
    ): Promise<T> {
      const result = await call(name, invocation, decodeBody);
      return invocation.schema ? validate(invocation.schema, result) : (result as T);
    },
    async *events(name, invocation = {}) {
      const left = new AbortController();
      const signal = invocation.signal ? AbortSignal.any([invocation.signal, left.signal]) : left.signal;
      const queue = createQueue<ServerSentEvent>();
      const headers = { accept: 'text/event-stream', ...lowerCased(invocation.headers) };
      const done = call(name, { ...invocation, headers, signal }, async ({ body }) => {
        if (body) for await (const event of readEvents(body)) queue.push(event);
      });
      done.then(queue.end, queue.fail);
      try {
        yield* queue.items();
      } finally {
        left.abort();
      }
    },
  };
}

/** The caller's headers replace those of the same name in any case. */
const lowerCased = (headers: InvokeOptions['headers']) => Object.fromEntries(new Headers(headers));

async function refuseErrors(response: Response): Promise<void> {
  const isRelay = response.headers.get('x-relay-error') === 'true';
  if (response.ok && !isRelay) return;
  const { status } = response;
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // The body is the text.
  }
  throw new FunctionsError(isRelay ? 'relay' : 'http', `The function answered ${status}`, { status, body });
}

async function validate<T>(schema: ResultSchema<T>, result: unknown): Promise<T> {
  const checked = await schema['~standard'].validate(result);
  if (!checked.issues) return checked.value;
  const list = checked.issues.map(({ message }) => message).join('; ');
  throw new FunctionsError('invalid-result', `The answer is not what its schema says: ${list}`, {
    body: result,
  });
}

function encodeName(name: string): string {
  const segments = name.split('/');
  if (segments.some((segment) => /^\.{0,2}$/.test(segment))) {
    throw new FunctionsError('invalid-name', `Not the name of a function: ${JSON.stringify(name)}`);
  }
  return segments.map(encodeURIComponent).join('/');
}

/** Hands items over from who has them to who waits for them. */
function createQueue<T>() {
  const items: T[] = [];
  let wake = () => {};
  let ended: { problem?: unknown } | null = null;
  return {
    push(item: T) {
      items.push(item);
      wake();
    },
    end() {
      ended = {};
      wake();
    },
    fail(problem: unknown) {
      ended = { problem };
      wake();
    },
    async *items() {
      for (;;) {
        while (items.length) yield items.shift() as T;
        if (ended && 'problem' in ended) throw ended.problem;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
