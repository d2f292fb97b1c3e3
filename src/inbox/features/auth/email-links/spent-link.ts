import { useHistoryState } from 'wouter/use-browser-location';
import type { AuthErrorCode } from 'supabase-protocol-clients/auth-client';
import { useAuth } from 'supabase-protocol-clients/react';
import type { LoginNotice } from '../../../shared/routes.ts';

/** Codes of links that are used or expired, or belong to another browser: only a new mail helps. */
const spentLinkCodes: ReadonlySet<AuthErrorCode> = new Set<AuthErrorCode>([
  'otp_expired',
  'flow_state_already_used',
  'flow_state_expired',
  'flow_state_not_found',
  'pkce-verifier-missing',
  'bad_code_verifier',
]);

export function isSpentLink(code: AuthErrorCode | null): boolean {
  return code !== null && spentLinkCodes.has(code);
}

/** Why the link that led to this page failed; null if there was none, or it worked. */
export function useLinkProblem(): AuthErrorCode | null {
  const { callbackError } = useAuth();
  const notice = useHistoryState<LoginNotice | null>();
  return callbackError?.code ?? (notice === 'link-expired' ? 'otp_expired' : null);
}
