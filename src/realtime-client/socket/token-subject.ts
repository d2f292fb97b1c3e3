import { decodeJwtClaims } from '../../platform/jwt.ts';

/** The unverified subject of a JWT (RFC 7519 §4.1.2): distinguishes users, proves nothing. */
export function subjectOf(token: string): string {
  const subject = decodeJwtClaims(token)?.['sub'];
  return typeof subject === 'string' ? subject : 'anonymous';
}
