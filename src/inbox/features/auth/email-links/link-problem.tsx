import { Suspense } from 'react';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import { useLinkProblem } from './spent-link.ts';

const LinkProblemMessage = lazyPart(
  async () => (await import('./link-problem-message.tsx')).LinkProblemMessage,
);

export interface LinkProblemProps {
  /** Whether to offer the password, too: an expired sign-up link may have been confirmed already. */
  readonly mayBeConfirmed?: boolean;
}

/** A live region that explains a failed link; empty otherwise. */
export function LinkProblem({ mayBeConfirmed = false }: LinkProblemProps) {
  const code = useLinkProblem();
  return (
    <div role="alert">
      {code && (
        <Suspense>
          <LinkProblemMessage code={code} mayBeConfirmed={mayBeConfirmed} />
        </Suspense>
      )}
    </div>
  );
}
