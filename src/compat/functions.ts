import { decodeBody } from '../functions-client/body.ts';
import { isEventStream } from '../functions-client/functions-client.ts';
import {
  createFunctionsClient,
  type FunctionsClientOptions,
  FunctionsError as NativeFunctionsError,
} from '../functions-client/index.ts';
import type { Outcome } from './outcome.ts';
import type { Untyped } from './untyped.ts';

/** Why a call of a function failed. */
export class FunctionsError extends Error {
  /** The response, or the underlying failure. */
  context: Untyped;

  /** @param name the class of the error. */
  constructor(message: string, name = 'FunctionsError', context?: unknown) {
    super(message, { cause: context });
    this.name = name;
    this.context = context;
  }

  /** Name, message and context, for logs. */
  toJSON(): object {
    const { name, message, context } = this;
    return { name, message, context };
  }
}

/** No response arrived. */
export class FunctionsFetchError extends FunctionsError {
  /** @param context the underlying failure. */
  constructor(context: unknown) {
    super('Failed to send a request to the Edge Function', 'FunctionsFetchError', context);
  }
}

/** The function could not be reached or started. */
export class FunctionsRelayError extends FunctionsError {
  /** @param context the response. */
  constructor(context: unknown) {
    super('Relay Error invoking the Edge Function', 'FunctionsRelayError', context);
  }
}

/** The function returned an error; `context` is its response, which can still be read. */
export class FunctionsHttpError extends FunctionsError {
  /** @param context the response. */
  constructor(context: unknown) {
    super('Edge Function returned a non-2xx status code', 'FunctionsHttpError', context);
  }
}

/** Regions that run functions; `Any` is the nearest. */
export const FunctionRegion = {
  Any: 'any',
  ApNortheast1: 'ap-northeast-1',
  ApNortheast2: 'ap-northeast-2',
  ApSouth1: 'ap-south-1',
  ApSoutheast1: 'ap-southeast-1',
  ApSoutheast2: 'ap-southeast-2',
  CaCentral1: 'ca-central-1',
  EuCentral1: 'eu-central-1',
  EuWest1: 'eu-west-1',
  EuWest2: 'eu-west-2',
  EuWest3: 'eu-west-3',
  SaEast1: 'sa-east-1',
  UsEast1: 'us-east-1',
  UsWest1: 'us-west-1',
  UsWest2: 'us-west-2',
} as const;
/** A region that runs functions. */
export type FunctionRegion = (typeof FunctionRegion)[keyof typeof FunctionRegion];

/** Options of one call. */
export interface FunctionInvokeOptions {
  /** Text, bytes, a form, a stream, or any other value as JSON. */
  body?: unknown;
  /** Headers of the call. */
  headers?: Record<string, string>;
  /** Default POST. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Region to run the function in. */
  region?: string;
  /** Ends the call. */
  signal?: AbortSignal;
  /** Deadline in milliseconds. */
  timeout?: number;
}

/** The result of `invoke`, with the response if one arrived. */
export type FunctionsResponse<T> = Outcome<T, Untyped> & {
  /** The response; its body has been read if the function succeeded. */
  response?: Response;
};

/** The functions client in the vendor's form. */
export class FunctionsClient {
  readonly #options: FunctionsClientOptions;
  #token: string | null = null;

  /** @param options those of the native client. */
  constructor(options: FunctionsClientOptions) {
    this.#options = options;
  }

  /** Calls functions with this token from now on. */
  setAuth(token: string): void {
    this.#token = token;
  }

  /** Calls a function. */
  async invoke<T = Untyped>(
    name: string,
    { timeout, signal, ...options }: FunctionInvokeOptions = {},
  ): Promise<FunctionsResponse<T>> {
    const { platform } = this.#options;
    const token = this.#token;
    let response: Response | undefined;
    const functions = createFunctionsClient({
      ...this.#options,
      ...(token !== null && {
        getAccessToken: async () => token,
        // The token replaces a header of the client, too.
        headers: withoutAuthorization(this.#options.headers),
      }),
      platform: {
        ...platform,
        async fetch(input, init) {
          const received = await platform.fetch(input, init);
          // The native client reads the body of an error response, which the vendor leaves to the caller.
          response = received.ok ? received : received.clone();
          return received;
        },
      },
    });
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    let isLive = false;
    const timer = timeout ? platform.clock.setTimer(() => controller.abort(), timeout) : null;
    try {
      const live = await functions.fetch(name, { ...options, signal: controller.signal });
      // The caller reads a stream of events while it arrives, and the signal ends that.
      isLive = isEventStream(live);
      const data = (isLive ? live : await decodeBody(live)) as T;
      return { data, error: null, ...(response && { response }) };
    } catch (problem) {
      return { data: null, error: toFunctionsError(problem, response), ...(response && { response }) };
    } finally {
      timer?.cancel();
      if (!isLive) signal?.removeEventListener('abort', abort);
    }
  }
}

function withoutAuthorization(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  );
}

function toFunctionsError(problem: unknown, response: Response | undefined): FunctionsError {
  const code = problem instanceof NativeFunctionsError ? problem.code : null;
  if (code === 'http') return new FunctionsHttpError(response);
  if (code === 'relay') return new FunctionsRelayError(response);
  const hasNoResponse = code === 'aborted' || code === 'network' || code === 'timeout';
  return new FunctionsFetchError(hasNoResponse ? ((problem as Error).cause ?? problem) : problem);
}
