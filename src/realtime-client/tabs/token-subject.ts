import { peekClaims } from '../../platform/base64url.ts';

/** Whom a JWT is about (RFC 7519 §4.1.2), unverified: good for telling users apart, not for trusting them. */
export function subjectOf(token: string): string {
  const subject = peekClaims(token)?.['sub'];
  return typeof subject === 'string' ? subject : 'anonymous';
}
