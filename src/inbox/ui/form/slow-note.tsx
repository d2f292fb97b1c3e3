import { useDelay } from '../state/use-delay.ts';
import { credentialTexts } from './credential-texts.ts';

/** After this time a pending request shows that it is slow. */
const slowMs = 2_000;

/** A live region with a message while a request is slow. */
export function SlowNote({ pending }: { readonly pending: boolean }) {
  const texts = credentialTexts.use();
  const isSlow = useDelay(pending, slowMs);
  return <p role="status">{isSlow && <span>{texts.slow}</span>}</p>;
}
