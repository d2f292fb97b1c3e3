import type { AuthErrorCode } from '../../../auth-client/index.ts';
import { useAuthErrorText } from '../../../shared/auth-problem/auth-problem.ts';
import { Message } from '../../../ui/page/message.tsx';
import { followUpTexts } from '../texts/follow-up-texts.ts';
import { isSpentLink } from './spent-link.ts';

const elsewhere: ReadonlySet<AuthErrorCode> = new Set(['pkce-verifier-missing', 'bad_code_verifier']);

export interface LinkProblemMessageProps {
  readonly code: AuthErrorCode;
  /** The link may have done its work all the same, when something opened it before its reader did. */
  readonly mayBeConfirmed: boolean;
}

/** Why the link that led here did not sign in. The way on is the form below: a fresh mail, and its code. */
export function LinkProblemMessage({ code, mayBeConfirmed }: LinkProblemMessageProps) {
  const texts = followUpTexts.use();
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
