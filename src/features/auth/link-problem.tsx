import { lazy, Suspense } from 'react';
import type { AuthErrorCode } from '../../auth-client/index.ts';
import { useAuthState } from '../../app/clients-context.ts';

const LinkProblemMessage = lazy(async () => ({
  default: (await import('./link-problem-message.tsx')).LinkProblemMessage,
}));

export interface LinkProblemProps {
  /** The link may have done its work all the same, when something opened it before its reader did. */
  readonly mayBeConfirmed?: boolean;
}

/** Speaks up where somebody comes by a link that did not sign in; else an empty region, waiting. */
export function LinkProblem({ mayBeConfirmed = false }: LinkProblemProps) {
  const { callbackError } = useAuthState();
  return (
    <div role="alert">
      {callbackError && (
        <Suspense>
          <LinkProblemMessage code={callbackError.code} mayBeConfirmed={mayBeConfirmed} />
        </Suspense>
      )}
    </div>
  );
}

/** Whether the link is used up, and with it the code of its mail: only a fresh mail leads on. */
export function isSpentLink(code: AuthErrorCode | undefined): boolean {
  return code !== undefined && /^(otp_exp|flow_state|pkce-ver|bad_code_v)/.test(code);
}
