import { foreignResponse } from '../../platform/foreign-response.ts';
import type { CallUser } from '../../platform/call-user.ts';
import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { type Service, ServiceCall, type ServiceHttpOptions } from '../../platform/service-http.ts';
import { AuthError } from '../errors.ts';
import { type Endpoint, encodeQuery } from './endpoints.ts';
import { toServerErrorCode } from './server-error-codes.ts';

/** Name and version of the package; a test compares them with its manifest, which a page would load for nothing else. */
const clientInfo = 'supabase-protocol-clients/1.0.0';

/** Longer than the auth server's own timeout of 10 s. */
export const DEFAULT_TIMEOUT_MS = 15_000;

/** Options that every call takes. */
export interface CallOptions {
  /** Ends the call with an `aborted` error. A request that was sent may still take effect. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline in milliseconds; the call then ends with a `timeout` error. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** The user of earlier calls; another one ends this call with `user-changed`. Default: the user at its start. */
  readonly user?: CallUser | undefined;
}

/**
 * Reads the JSON body of a successful response: undefined for status 204, null for an empty body of another status. An error that it
 * throws becomes `not-the-service`.
 */
export type Parse<T> = (body: unknown) => T;

export interface Send {
  /** @throws {AuthError} unless `parse` accepts the response. */
  <T>(endpoint: Endpoint, parse: Parse<T>, options?: CallOptions & AuthRequestOptions): Promise<T>;
}

interface AuthRequestOptions {
  /** The user's access token. Default: the request carries the API key alone. */
  readonly accessToken?: string;
  /** Whether the request may outlive the page (`keepalive` of fetch). Default false. */
  readonly keepalive?: boolean;
  /** Receives the headers of a successful response before its body is read. Default: none. */
  readonly onHeaders?: (headers: Headers) => void;
}

/** Where requests go and what each of them carries. */
export interface SendSettings extends ServiceHttpOptions {
  /** The project's URL with `/auth/v1`. */
  readonly baseUrl: string;
  readonly timeoutMs?: number | undefined;
}

export const authService: Service = { name: 'auth', errorClass: AuthError, takesKeyAsToken: false };

export function createSend(settings: SendSettings): Send {
  return (endpoint, parse, options = {}) => {
    const {
      timeoutMs = settings.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      signal,
      user,
      accessToken: token = null,
    } = options;
    const { method, path, query, body } = endpoint;
    const request = {
      method,
      url: `${settings.baseUrl}${path}${encodeQuery(query)}`,
      ownHeaders: {
        'x-client-info': clientInfo,
        'x-supabase-api-version': '2024-01-01',
        'content-type': body && 'application/json;charset=UTF-8',
      },
      body: body && JSON.stringify(body),
      keepalive: options.keepalive,
    };
    const call = new ServiceCall(settings, authService, { timeoutMs, signal, token, user });
    return call.send(request, async (response) => {
      const text = await response.text();
      if (!response.ok) throw parseErrorResponse(response, text, settings.platform.clock.now());
      options.onHeaders?.(response.headers);
      try {
        if (text) return parse(JSON.parse(text));
        return parse(response.status === 204 ? undefined : null);
      } catch (cause) {
        throw new AuthError(...foreignResponse('auth', response, text, cause));
      }
    });
  };
}

/** Reads an error response: GoTrue's current form, its older form, OAuth's form, or a proxy's page. */
function parseErrorResponse(response: Response, text: string, nowMs: number): AuthError {
  const { status, headers } = response;
  let body: Record<string, unknown>;
  try {
    body = Object(JSON.parse(text)) as Record<string, unknown>;
  } catch (cause) {
    return new AuthError(...foreignResponse('auth', response, text, cause));
  }
  const readString = (...names: readonly string[]) => {
    const value = names.map((name) => body[name]).find((member) => typeof member === 'string');
    return typeof value === 'string' ? value : null;
  };
  const goTrueCode = readString('code', 'error_code');
  const oauthCode = readString('error');
  const serverCode = goTrueCode ?? oauthCode;
  const message = readString('message', 'msg', 'error_description') ?? serverCode;
  if (message === null) return new AuthError(...foreignResponse('auth', response, text, body));
  const code = oauthCode === null ? 'unknown' : 'oauth-error';
  return new AuthError(goTrueCode === null ? code : toServerErrorCode(goTrueCode), message, {
    status,
    serverCode,
    retryAfterSeconds: readRetryAfterSeconds(message, headers, nowMs),
    weakPasswordReasons: readWeakPasswordReasons(body['weak_password']),
  });
}

/** GoTrue's rate limits name the seconds in the message, those of a gateway in the header. */
function readRetryAfterSeconds(message: string, headers: Headers, nowMs: number): number | null {
  const inMessage = /after (\d+) seconds?/.exec(message)?.[1];
  return parseRetryAfterSeconds(inMessage ?? headers.get('retry-after'), nowMs);
}

function readWeakPasswordReasons(value: unknown): readonly string[] {
  const { reasons } = Object(value) as { readonly reasons?: unknown };
  return Array.isArray(reasons) ? reasons.map(String) : [];
}
