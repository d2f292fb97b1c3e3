import { Suspense } from 'react';
import { lazyPart } from '../../../ui/state/lazy-part.ts';

/** null in production, where the bundler drops the import. */
const SampleButton = import.meta.env.DEV
  ? lazyPart(async () => (await import('../sample/sample-button.tsx')).SampleButton)
  : null;

/** In development a button that sends the user a sample; nothing in production. */
export function SampleSlot({ wide = false }: { readonly wide?: boolean }) {
  if (!SampleButton) return null;
  return (
    <Suspense>
      <SampleButton wide={wide} />
    </Suspense>
  );
}
