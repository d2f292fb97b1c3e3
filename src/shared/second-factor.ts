import type { Session } from '../auth-client/index.ts';

/** Whether the account has a verified second factor but the session is not `aal2`. The server enforces it; this redirects early. */
export function needsSecondFactor({ accessToken, user }: Session): boolean {
  const hasFactor = user.factors?.some(({ status }) => status === 'verified') ?? false;
  return hasFactor && readAssuranceLevel(accessToken) !== 'aal2';
}

/** The claim `aal` of an access token, unverified. */
function readAssuranceLevel(accessToken: string): unknown {
  const payload = accessToken.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  try {
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === 'object' && claims !== null && 'aal' in claims ? claims.aal : null;
  } catch {
    return null;
  }
}
