import type { AuthErrorCode } from 'supabase-protocol-clients/auth-client';
import { useAuthErrorText } from '../../../shared/auth-problem/auth-problem.ts';
import { Message } from '../../../ui/page/message.tsx';
import { authTexts } from '../auth-texts.ts';
import { isSpentLink } from './spent-link.ts';

const elsewhere: ReadonlySet<AuthErrorCode> = new Set(['pkce-verifier-missing', 'bad_code_verifier']);

export interface LinkProblemMessageProps {
  readonly code: AuthErrorCode;
  /** Whether to offer the password, too: an expired sign-up link may have been confirmed already. */
  readonly mayBeConfirmed: boolean;
}

/** Why a link failed. The form below it requests a new one. */
export function LinkProblemMessage({ code, mayBeConfirmed }: LinkProblemMessageProps) {
  const texts = authTexts.use();
  const problem = useAuthErrorText(code);
  const [title, text] = elsewhere.has(code)
    ? [texts.linkElsewhere, texts.linkElsewhereText]
    : isSpentLink(code)
      ? [texts.linkExpired, texts.linkExpiredText]
      : [texts.linkFailed, problem];
  return (
    <Message tone="warning">
      <p>
        <strong>{title}</strong>
      </p>
      <p>{text}</p>
      {mayBeConfirmed && isSpentLink(code) && <p>{texts.linkMayBeConfirmed}</p>}
    </Message>
  );
}
