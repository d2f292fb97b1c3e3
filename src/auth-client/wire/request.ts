import { type Http, HttpFailure } from '../../platform/http.ts';
import { type Endpoint, encodeQuery } from './endpoints.ts';
import { AuthError, type AuthErrorCode } from '../errors.ts';

/** The server itself gives up after 10 s (protocol document §1). */
export const DEADLINE_MS = 15_000;

export interface CallOptions {
  /** Ends the call with an `aborted` error. What was sent may still take effect. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline in milliseconds. Default 15,000. */
  readonly timeoutMs?: number | undefined;
}

/** Reads the JSON body of a success; what it throws becomes `invalid-response`. */
export type Parse<T> = (body: unknown) => T;

export interface Send {
  /** @throws {AuthError} in any case but a reply that `parse` accepts. */
  <T>(endpoint: Endpoint, parse: Parse<T>, options?: CallOptions & SendOptions): Promise<T>;
}

interface SendOptions {
  /** The user's access token. Default: the call is made with the API key alone. */
  readonly accessToken?: string;
  readonly keepalive?: boolean;
}

export function createSend(http: Http, baseUrl: string, apiKey: string): Send {
  return async (
    endpoint,
    parse,
    { signal, timeoutMs = DEADLINE_MS, accessToken, keepalive = false } = {},
  ) => {
    try {
      return await http.send(
        {
          method: endpoint.method,
          url: `${baseUrl}${endpoint.path}${encodeQuery(endpoint.query)}`,
          headers: {
            apikey: apiKey,
            'X-Client-Info': 'auth-client/0.1',
            'X-Supabase-Api-Version': '2024-01-01',
            ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
            ...(endpoint.body && { 'Content-Type': 'application/json;charset=UTF-8' }),
          },
          ...(endpoint.body && { body: JSON.stringify(endpoint.body) }),
          timeoutMs,
          keepalive,
          ...(signal && { signal }),
        },
        async (response) => {
          const text = await response.text();
          if (!response.ok) throw parseRefusal(response, text);
          try {
            return parse(text ? JSON.parse(text) : null);
          } catch (cause) {
            throw invalidResponse(response.status, cause);
          }
        },
      );
    } catch (problem) {
      throw authErrorOf(problem);
    }
  };
}

/** `network`, `timeout` or `aborted` for what had no answer; the rest as it is. */
export function authErrorOf(problem: unknown): unknown {
  if (!(problem instanceof HttpFailure)) return problem;
  if (problem.cause instanceof AuthError) return problem.cause;
  return new AuthError(problem.kind, `No answer: ${problem.kind}`, {
    cause: problem.cause,
  });
}

function invalidResponse(status: number, cause?: unknown): AuthError {
  return new AuthError('invalid-response', `The reply is not the auth server's (HTTP ${status})`, {
    status,
    cause,
  });
}

/** Any of the three wire forms, or a proxy's page (protocol document §1, Errors). */
function parseRefusal({ status, headers }: Response, text: string): AuthError {
  let body: Record<string, unknown>;
  try {
    body = Object(JSON.parse(text)) as Record<string, unknown>;
  } catch (cause) {
    return invalidResponse(status, cause);
  }
  const read = (...keys: string[]) => keys.map((key) => body[key]).find((value) => typeof value === 'string');
  const message = read('message', 'msg', 'error_description');
  const oauthError = read('error');
  const code = read('code', 'error_code') ?? (oauthError && 'oauth-error');
  if (!code && !message) return invalidResponse(status, body);
  const weakness = Object(body['weak_password']) as { reasons?: unknown };
  return new AuthError((code ?? 'unknown') as AuthErrorCode, (message ?? code) as string, {
    status,
    retryAfterSeconds:
      Number(/after (\d+) seconds?/.exec(String(message))?.[1] ?? headers.get('retry-after')) || null,
    reasons: Array.isArray(weakness.reasons) ? weakness.reasons.map(String) : oauthError ? [oauthError] : [],
  });
}
