import { encodeSegment } from '../../platform/path-segment.ts';
import { AuthError } from '../errors.ts';

/** One call of the auth server, as plain data (conformance/protocol/auth.md). */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/auth/v1`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
}

export type GrantType = 'password' | 'refresh_token' | 'pkce' | 'id_token' | 'web3';

/** The user's address: exactly one of the two. */
export type Contact =
  | { readonly email: string; readonly phone?: undefined }
  /** A phone number in E.164 form. */
  | { readonly phone: string; readonly email?: undefined };

/** S256 only (RFC 7636 §4.2). */
export interface CodeChallenge {
  readonly code_challenge: string;
  readonly code_challenge_method: 's256';
}

/** `undefined` members do not reach the wire. */
export function post(path: string, body: object, redirectTo?: string): Endpoint {
  return { method: 'POST', path, body, query: { redirect_to: redirectTo } };
}

export function token(grant: GrantType, body: object): Endpoint {
  return { method: 'POST', path: '/token', query: { grant_type: grant }, body };
}

/** An identifier as a segment of a path. @throws {AuthError} `invalid-argument` */
export function encodeId(name: string, id: string): string {
  return encodeSegment(id, (reason) => refuse(`You must provide ${name}: ${reason}.`));
}

/** An id that is a UUID on the server (RFC 9562), as a segment of a path. @throws {AuthError} `invalid-argument` */
export function encodeUuid(name: string, id: string): string {
  if (!uuid.test(id)) refuse(`You must provide ${name}: ${JSON.stringify(id)} is not a UUID.`);
  return id;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function refuse(message: string): never {
  throw new AuthError('invalid-argument', message);
}

export function get(path: string, query: Endpoint['query'] = {}): Endpoint {
  return { method: 'GET', path, query };
}

/** The field of the body that carries a captcha's token. */
export function captcha(captchaToken: string | undefined): object {
  return captchaToken ? { gotrue_meta_security: { captcha_token: captchaToken } } : {};
}

export function encodeQuery(query: Endpoint['query'] = {}): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}
