import { useHistoryState } from 'wouter/use-browser-location';
import type { AuthErrorCode } from 'supabase-protocol-clients/auth-client';
import { useAuth } from 'supabase-protocol-clients/react';
import { useAuthErrorText } from '../../../shared/auth-problem/auth-problem.ts';
import type { LoginNotice } from '../../../shared/routes.ts';
import { Message } from '../../../ui/page/message.tsx';
import { authTexts } from '../auth-texts.ts';

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

/** Why the link that led to this page failed; null without a link, or if it worked. */
export function useLinkProblem(): AuthErrorCode | null {
  const { callbackError } = useAuth();
  const notice = useHistoryState<LoginNotice | null>();
  return callbackError?.code ?? (notice === 'link-expired' ? 'otp_expired' : null);
}

const elsewhere: ReadonlySet<AuthErrorCode> = new Set(['pkce-verifier-missing', 'bad_code_verifier']);

export interface LinkProblemProps {
  /** Whether to offer the password, too: an expired sign-up link may have been confirmed already. */
  readonly mayBeConfirmed?: boolean;
}

/** A live region that explains why a link failed; empty otherwise. The form below it requests a new one. */
export function LinkProblem({ mayBeConfirmed = false }: LinkProblemProps) {
  const texts = authTexts.use();
  const code = useLinkProblem();
  const problem = useAuthErrorText(code ?? undefined);
  if (code === null) return <div role="alert" />;
  const [title, text] = elsewhere.has(code)
    ? [texts.linkElsewhere, texts.linkElsewhereText]
    : isSpentLink(code)
      ? [texts.linkExpired, texts.linkExpiredText]
      : [texts.linkFailed, problem];
  return (
    <div role="alert">
      <Message tone="warning">
        <p>
          <strong>{title}</strong>
        </p>
        <p>{text}</p>
        {mayBeConfirmed && isSpentLink(code) && <p>{texts.linkMayBeConfirmed}</p>}
      </Message>
    </div>
  );
}
