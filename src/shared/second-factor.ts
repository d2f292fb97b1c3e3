import type { Session } from '../auth-client/index.ts';
import { readAssuranceLevel } from './token-claims.ts';

/** Whether the account has a verified second factor but the session is not `aal2`. The server enforces it; this redirects early. */
export function needsSecondFactor(session: Session): boolean {
  const hasFactor = session.user.factors?.some(({ status }) => status === 'verified') ?? false;
  return hasFactor && readAssuranceLevel(session) !== 'aal2';
}
