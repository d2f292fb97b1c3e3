import { useState } from 'react';
import { createPortal } from 'react-dom';
import { PendingNote } from '../../features/outbox/pending-note.tsx';
import { PartBoundary } from '../../ui/page/part-boundary.tsx';
import { onDemand } from '../../ui/state/loader.ts';

const loadList = () => import('./pending-list.tsx');
const PendingList = onDemand(async () => (await loadList()).PendingList);

/** Loads the code of the list, which opens while the network is lost. */
export const preloadPendingList = () => void loadList().catch(() => undefined);

/** The number of pending changes, and the list of them. Unmounted when none is left. */
export function PendingChanges({ count }: { readonly count: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <PendingNote count={count} onShow={() => setIsOpen(true)} />
      {isOpen &&
        // Render the list outside of the live region of the note, which would announce all of it.
        createPortal(
          <PartBoundary onFail={close}>
            <PendingList onClose={close} />
          </PartBoundary>,
          document.body,
        )}
    </>
  );
}
