import { Suspense } from 'react';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import { useAuthState } from '../../../shared/clients/clients-context.ts';

const LinkProblemMessage = lazyPart(
  async () => (await import('./link-problem-message.tsx')).LinkProblemMessage,
);

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
