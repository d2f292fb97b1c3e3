import type { AuthErrorCode } from '../../auth-client/index.ts';
import { useAuthErrorText } from '../../app/auth-problem.ts';
import { Button } from '../../ui/button.tsx';
import { Message } from '../../ui/message.tsx';
import { followUpTexts } from './follow-up-texts.ts';

const expired: ReadonlySet<AuthErrorCode> = new Set([
  'otp_expired',
  'flow_state_expired',
  'flow_state_not_found',
  'flow_state_already_used',
]);
const elsewhere: ReadonlySet<AuthErrorCode> = new Set(['pkce-verifier-missing', 'bad_code_verifier']);

export interface LinkProblemMessageProps {
  readonly code: AuthErrorCode;
  readonly onHaveCode: () => void;
}

/** Why the link that led here did not sign in, and the way on: the code of the same mail. */
export function LinkProblemMessage({ code, onHaveCode }: LinkProblemMessageProps) {
  const texts = followUpTexts.use();
  const problem = useAuthErrorText(code);
  const isExpired = expired.has(code);
  const isElsewhere = elsewhere.has(code);
  const title = isExpired ? texts.linkExpired : isElsewhere ? texts.linkElsewhere : texts.linkFailed;
  const text = isExpired ? texts.linkExpiredText : isElsewhere ? texts.linkElsewhereText : problem;
  return (
    <Message tone="warning">
      <p>
        <strong>{title}</strong>
      </p>
      <p>{text}</p>
      {(isExpired || isElsewhere) && (
        <Button look="link" onClick={onHaveCode}>
          {texts.haveCode}
        </Button>
      )}
    </Message>
  );
}
