import type { Session } from '../auth-client/index.ts';

/** The assurance level of a session (`aal1`, `aal2`), unverified. */
export function readAssuranceLevel(session: Session): unknown {
  return readClaims(session)['aal'];
}

/** The id of a session, unverified; empty where the token has none. */
export function readSessionId(session: Session): string {
  const id = readClaims(session)['session_id'];
  return typeof id === 'string' ? id : '';
}

function readClaims({ accessToken }: Session): Readonly<Record<string, unknown>> {
  const payload = accessToken.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  try {
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
}
