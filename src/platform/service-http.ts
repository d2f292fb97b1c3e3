import { CallUser, type GetAccessToken, UserChanged } from './call-user.ts';
import {
  type HeaderRecord,
  HttpFailure,
  type HttpOptions,
  type HttpRequest,
  type HttpService,
  sendHttp,
  withinDeadline,
} from './http.ts';
import { duration, rangeProblem } from './number-options.ts';
import { credentialsOf } from './service.ts';

/** The description of a service, which all its clients share. */
export interface Service extends HttpService {
  /** Creates the client's error for a failure of `getAccessToken`. Default: the failure itself. */
  readonly createTokenError?: (message: string, cause: unknown) => Error;
  /** Whether the service refused a token as expired, so that a renewed one may be accepted. Default: never. */
  readonly isTokenExpired?: (problem: unknown) => boolean;
  /**
   * Whether the service denied what the token allows, so that a newer token may be accepted, as after a second factor.
   * Default: never.
   */
  readonly isDenied?: (problem: unknown) => boolean;
  /** Whether a legacy API key, which is a token, is sent as the bearer token without a user. Default true. */
  readonly takesKeyAsToken?: boolean;
}

/** Options of all requests of one client. */
export interface ServiceHttpOptions extends HttpOptions {
  readonly apiKey: string;
  /** The caller's headers of every request. Default: none. */
  readonly headers?: HeaderRecord | undefined;
  /** Returns the user's token; `rejectedToken` is a token that the service has just refused as expired. Default: no user. */
  readonly getAccessToken?: GetAccessToken | undefined;
}

/** How long a call may take, and what ends it. */
export interface ServiceCallOptions {
  /** Deadline in milliseconds of the whole call: its token and all its requests. */
  readonly timeoutMs: number;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** The token to send. Default: what `getAccessToken` returns. */
  readonly token?: string | null | undefined;
  /** The user of the call that this one is a part of. Default: the subject of this call's first token. */
  readonly user?: CallUser | undefined;
}

/** The headers that a client sends; undefined ones are omitted. */
export type OwnHeaders = Readonly<Record<string, string | undefined>>;

/** A request within a call. */
export interface ServiceRequest extends Omit<HttpRequest, 'headers' | 'timeoutMs'> {
  /** The client's headers, besides the credentials. Default: none. */
  readonly ownHeaders?: OwnHeaders | undefined;
  /** The caller's headers of this call. Default: none. */
  readonly headers?: HeaderRecord | undefined;
  /** Deadline in milliseconds of this request. Default: the remaining time of the call. */
  readonly timeoutMs?: number | undefined;
}

/**
 * One call of a service: its requests have credentials, headers, a deadline and the client's errors. It requests a token
 * once, and renews it once if the service refuses it as expired.
 */
export class ServiceCall {
  readonly #client: ServiceHttpOptions;
  readonly #service: Service;
  readonly #signal: AbortSignal | undefined;
  readonly #endsAtMs: number;
  readonly #problem: string | null;
  readonly #user: CallUser;
  #token: string | null | undefined;
  #isRenewed = false;

  constructor(
    client: ServiceHttpOptions,
    service: Service,
    { timeoutMs, signal, token, user = new CallUser() }: ServiceCallOptions,
  ) {
    this.#client = client;
    this.#service = service;
    this.#signal = signal;
    this.#token = token;
    this.#user = user;
    this.#problem = rangeProblem({ timeoutMs }, { timeoutMs: duration });
    this.#endsAtMs = client.platform.clock.monotonicMs() + timeoutMs;
  }

  /** The remaining time until the deadline, in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.#endsAtMs - this.#client.platform.clock.monotonicMs());
  }

  /** Sends a request with credentials. @throws the client's error. */
  send<T>(request: ServiceRequest, read: (response: Response) => Promise<T>): Promise<T> {
    return this.authorize(request, (headers) => this.exchange({ ...request, headers }, read));
  }

  /**
   * Runs an attempt with the headers of a request. Retries once with a renewed token if the service refuses the first one
   * as expired, or if it denies the request and a newer token of the same user exists. The call's headers override the
   * client's, and both override the library's: see the table in docs/clients/headers-and-logs.md.
   *
   * @throws the client's error.
   */
  async authorize<T>(
    { ownHeaders, headers }: Pick<ServiceRequest, 'ownHeaders' | 'headers'>,
    attempt: (headers: HeaderRecord) => Promise<T>,
  ): Promise<T> {
    const service = this.#service;
    const attemptWith = (token: string | null) =>
      attempt(mergeHeaders(this.#credentials(token), ownHeaders, this.#client.headers, headers));
    this.#requireOptions();
    try {
      const token = this.#token === undefined ? (this.#token = await this.#requestToken()) : this.#token;
      this.#user.admit(token);
      try {
        return await attemptWith(token);
      } catch (refusal) {
        if (!token || this.#isRenewed) throw refusal;
        const isExpired = service.isTokenExpired?.(refusal) ?? false;
        if (!isExpired && !service.isDenied?.(refusal)) throw refusal;
        this.#isRenewed = true;
        const renewed = await this.#requestToken(isExpired ? { rejectedToken: token } : undefined);
        if (!renewed || renewed === token) throw refusal;
        this.#user.admit(renewed);
        this.#token = renewed;
        return await attemptWith(renewed);
      }
    } catch (problem) {
      throw this.#toOwnError(problem);
    }
  }

  /** Sends a request with exactly these headers. @throws {HttpFailure} or what `read` throws of the client's errors. */
  exchange<T>(
    request: ServiceRequest & { readonly headers: HeaderRecord },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs = Infinity, signal = this.#signal } = request;
    const sent = { ...request, signal, timeoutMs: Math.min(timeoutMs, this.remainingMs) };
    return sendHttp(this.#client, this.#service, sent, read);
  }

  /** Binds the call to the user who is signed in now, for work that precedes its request. @throws the client's error. */
  async bindUser(): Promise<void> {
    this.#requireOptions();
    try {
      this.#user.admit(await this.#requestToken());
    } catch (problem) {
      throw this.#toOwnError(problem);
    }
  }

  /** Awaits work until the call's deadline or signal. @throws the client's error. */
  async wait<T>(work: () => Promise<T>): Promise<T> {
    this.#requireOptions();
    try {
      return await this.#untilEnd(work);
    } catch (problem) {
      throw this.#toOwnError(problem);
    }
  }

  #requireOptions(): void {
    if (this.#problem !== null) throw new this.#service.errorClass('invalid-options', this.#problem, {});
  }

  #credentials(token: string | null): HeaderRecord {
    const { apiKey } = this.#client;
    const { takesKeyAsToken = true } = this.#service;
    return token !== null || takesKeyAsToken ? credentialsOf(apiKey, token) : { apikey: apiKey };
  }

  async #requestToken(rejected?: { readonly rejectedToken: string }): Promise<string | null> {
    const { getAccessToken } = this.#client;
    const { createTokenError } = this.#service;
    if (!getAccessToken) return null;
    try {
      return await this.#untilEnd(() => getAccessToken({ ...rejected, user: this.#user }));
    } catch (cause) {
      if (cause instanceof HttpFailure || cause instanceof UserChanged || !createTokenError) throw cause;
      if (isUserChange(cause)) throw new UserChanged(cause);
      throw createTokenError('No access token is available', cause);
    }
  }

  #untilEnd<T>(work: () => Promise<T>): Promise<T> {
    return withinDeadline(this.#client.platform.clock, this.remainingMs, this.#signal, work);
  }

  #toOwnError(problem: unknown): unknown {
    const { errorClass } = this.#service;
    if (problem instanceof UserChanged)
      return new errorClass('user-changed', problem.message, { cause: problem.cause });
    if (!(problem instanceof HttpFailure)) return problem;
    const { kind, message, cause } = problem;
    return new errorClass(kind, message, { cause });
  }
}

/** Whether the auth client detected the change of the user itself. */
const isUserChange = (problem: unknown): boolean =>
  problem instanceof Error && 'code' in problem && problem.code === 'user-changed';

/** Merges headers by their lower-case names: a later value replaces an earlier one; undefined values are ignored. */
export function mergeHeaders(...layers: readonly (OwnHeaders | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const layer of layers) {
    if (!layer) continue;
    for (const name of Object.keys(layer)) {
      const value = layer[name];
      if (value !== undefined) merged[name.toLowerCase()] = value;
    }
  }
  return merged;
}
