import type { AuthErrorCode } from '../../auth-client/index.ts';
import { useAuthErrorText } from '../../app/auth-problem.ts';
import { Message } from '../../ui/message.tsx';
import { followUpTexts } from './follow-up-texts.ts';
import { isSpentLink, type LinkProblemProps } from './link-problem.tsx';

const elsewhere: ReadonlySet<AuthErrorCode> = new Set(['pkce-verifier-missing', 'bad_code_verifier']);

/** Why the link that led here did not sign in. The way on is the form below: a fresh mail, and its code. */
export function LinkProblemMessage({
  code,
  mayBeConfirmed,
}: Required<LinkProblemProps> & { readonly code: AuthErrorCode }) {
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
