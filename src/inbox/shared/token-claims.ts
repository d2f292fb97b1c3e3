import { decodeJwtClaims, type Session } from 'supabase-protocol-clients/auth-client';

/** The assurance level of a session (`aal1`, `aal2`), unverified. */
export function readAssuranceLevel(session: Session): unknown {
  return decodeJwtClaims(session.accessToken)?.['aal'];
}

/** The id of a session, unverified; empty where the token has none. */
export function readSessionId(session: Session): string {
  const id = decodeJwtClaims(session.accessToken)?.['session_id'];
  return typeof id === 'string' ? id : '';
}

/** Whether only a recovery code of the auth service has raised the session to `aal2`. */
export function usedOnlyRecoveryCode(session: Session): boolean {
  const methods = readMethods(session).map((method) => String(Object(method)['method']));
  const others = new Set(['totp', 'mfa/phone', 'mfa/webauthn']);
  return methods.includes('mfa/recovery_code') && !methods.some((method) => others.has(method));
}

function readMethods(session: Session): readonly unknown[] {
  const methods = decodeJwtClaims(session.accessToken)?.['amr'];
  return Array.isArray(methods) ? methods : [];
}

/** When the user last proved their identity by a password, code or factor, in epoch milliseconds; 0 if unknown. */
export function readProofTimeMs(session: Session): number {
  const times = readMethods(session).map((method) => Number(Object(method)['timestamp']));
  return Math.max(0, ...times.filter(Number.isFinite)) * 1000;
}

/** Whether the account has a verified second factor but the session is not `aal2`. The server enforces it; this redirects early. */
export function needsSecondFactor(session: Session): boolean {
  const hasFactor = session.user.factors?.some(({ status }) => status === 'verified') ?? false;
  return hasFactor && readAssuranceLevel(session) !== 'aal2';
}
