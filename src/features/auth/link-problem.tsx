import { lazy, Suspense } from 'react';
import { useAuthState } from '../../app/clients-context.ts';

const LinkProblemMessage = lazy(async () => ({
  default: (await import('./link-problem-message.tsx')).LinkProblemMessage,
}));

/** Speaks up where somebody comes by a link that did not sign in; else an empty region, waiting. */
export function LinkProblem({ onHaveCode }: { readonly onHaveCode: () => void }) {
  const { callbackError } = useAuthState();
  return (
    <div role="alert">
      {callbackError && (
        <Suspense>
          <LinkProblemMessage code={callbackError.code} onHaveCode={onHaveCode} />
        </Suspense>
      )}
    </div>
  );
}
