import { decodeBase64Url } from './base64.ts';
import { decodeUtf8 } from './utf8.ts';

/** A part of a JWT as JSON, unverified. */
export type UnverifiedJwtPart = Readonly<Record<string, unknown>>;

/**
 * The claims of a JWT (RFC 7519 §4) without checking its signature: a hint for the interface, never a proof.
 *
 * @returns null if `token` is not a JWT.
 */
export function decodeJwtClaims(token: string): UnverifiedJwtPart | null {
  return decodePart(token, 1);
}

/**
 * The header of a JWT (RFC 7515 §4), such as its `alg` and `kid`, unverified.
 *
 * @returns null if `token` is not a JWT.
 */
export function decodeJwtHeader(token: string): UnverifiedJwtPart | null {
  return decodePart(token, 0);
}

function decodePart(token: string, index: number): UnverifiedJwtPart | null {
  try {
    const part: unknown = JSON.parse(decodeUtf8(decodeBase64Url(token.split('.')[index] ?? '')));
    return typeof part === 'object' ? (part as UnverifiedJwtPart | null) : null;
  } catch {
    return null;
  }
}

/** The unverified subject of a JWT (RFC 7519 §4.1.2): distinguishes users, proves nothing. `anonymous` if it is missing. */
export function readJwtSubject(token: string): string {
  const subject = decodeJwtClaims(token)?.['sub'];
  return typeof subject === 'string' ? subject : 'anonymous';
}
