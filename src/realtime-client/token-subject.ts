import { isRecord } from './wire.ts';

/** Whom a JWT is about (RFC 7519 §4.1.2), unverified: good for telling users apart, not for trusting them. */
export function subjectOf(token: string): string {
  try {
    const claims = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const parsed: unknown = JSON.parse(atob(claims));
    if (isRecord(parsed) && typeof parsed['sub'] === 'string') return parsed['sub'];
  } catch {
    // Not a JWT.
  }
  return 'anonymous';
}
