import { peekClaims } from '../../platform/base64url.ts';

/** The unverified subject of a JWT (RFC 7519 §4.1.2): distinguishes users, proves nothing. */
export function subjectOf(token: string): string {
  const subject = peekClaims(token)?.['sub'];
  return typeof subject === 'string' ? subject : 'anonymous';
}
